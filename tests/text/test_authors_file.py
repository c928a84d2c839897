"""The authors' Python file is read without being run, and gives what running it would give."""

from __future__ import annotations

import json

import pytest

from counterpoise.core.errors import DataError
from counterpoise.text import terms
from counterpoise.text.published import PublishedTerms

# In the form of their file, with duplicate keys, joins, and things that are not ours to run.
FILE = """
from itertools import chain
term_dict = {
    'boy': 'girl', 'bloke': 'girl',  # ambiguous
    'mr': 'mrs', 'mr': 'ms',
}
pron_dict = {'he': 'she', 'his': 'hers', 'his': 'her'}
only_f2m = {'gentleman': 'damsel'}
only_m2f = {'beard': 'hair'}
only_cover = ['womb']
weat_dict = {"him": "her"}
term_dict = dict(chain(term_dict.items(), pron_dict.items()))
terms_m2f = dict(chain(term_dict.items(), only_m2f.items()))
terms_f2m = dict(chain(term_dict.items(), only_f2m.items()))
terms_f2m = dict((v,k) for k,v in terms_f2m.items())
all_terms = set(list(terms_m2f.keys())+list(terms_f2m.keys())+only_cover)
"""


def test_it_gives_what_running_the_file_gives(tmp_path):
    path = tmp_path / "term_lists.py"
    path.write_text(FILE)
    run = {}
    exec(FILE, run)
    lists = PublishedTerms.of(f"{path}#all")
    assert lists.to_female == run["terms_m2f"]
    assert lists.to_male == run["terms_f2m"]
    assert set(lists.removed) == run["all_terms"]
    assert PublishedTerms.of(f"{path}#weat").to_male == {"her": "him"}
    assert terms.load(path).to_male["girl"] == "boy"


def test_nothing_of_it_is_run(tmp_path):
    path = tmp_path / "term_lists.py"
    mark = tmp_path / "mark"
    path.write_text(f"open({str(mark)!r}, 'w').close()\n{FILE}")
    assert PublishedTerms.of(path).to_male["ms"] == "mr"
    assert not mark.exists()


def test_the_same_lists_in_both_formats(data_file, tmp_path):
    known = data_file("jentzsch-turan/term_lists.json")
    text = [f"{name} = {value!r}" for name, value in json.loads(known.read_text()).items()]
    path = tmp_path / "term_lists.py"
    path.write_text("\n".join([*text, "term_dict = dict(chain(term_dict.items(), pron_dict.items()))"]))
    for part in ("pro", "weat", "all"):
        assert PublishedTerms.of(f"{path}#{part}") == PublishedTerms.of(f"{known}#{part}")
        assert terms.load(f"{path}#{part}").terms == terms.load(f"{known}#{part}").terms


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("term_dict = {", "is not Python"),
        ("x = 1", "has no lists as in term_lists.py of Jentzsch & Turan"),
        (
            "pron_dict = make()",
            r"term_lists.py, line 1: pron_dict is not a dictionary of words, and the file",
        ),
        ("pron_dict = {'he': 1}", "pron_dict is not a dictionary of words"),
        ("only_cover = {'a': 'b'}", "only_cover is not a list of words"),
        ("term_dict = dict(chain(term_dict.items(), pron_dict.items()))", "term_dict is not a dictionary"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(tmp_path, text, message):
    path = tmp_path / "term_lists.py"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        terms.load(path)
    assert "\n" not in str(caught.value)

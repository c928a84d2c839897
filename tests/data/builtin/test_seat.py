"""SEAT's sentences against those of the authors' files."""

from __future__ import annotations

import json

import pytest

from counterpoise.core.errors import DataError
from counterpoise.data import weat
from counterpoise.data.builtin.seat import seat_sentences

TESTS = ["1", "2", "3", "4", "5", "6", "6b", "7", "7b", "8", "8b", "9", "10"]
# The authors cut the larger of two target sets at random to the size of the smaller: sentences of ours and of theirs.
CUT = {
    ("2", "targ1"): (350, 330),
    ("7", "targ2"): (82, 72),
    ("7b", "targ2"): (82, 72),
    ("8", "targ2"): (76, 56),
    ("8b", "targ2"): (76, 56),
    ("9", "targ2"): (73, 18),
}


@pytest.mark.parametrize("number", TESTS)
def test_sentences_are_those_of_the_authors(number, data_file):
    """All of theirs are ours; of ours only those that were cut are not theirs."""
    [test] = weat([f"weat{number}"]).tests
    theirs = json.loads(data_file(f"weat/sent-bias/sent-weat{number}.jsonl").read_text())
    for role, one in zip(("targ1", "targ2", "attr1", "attr2"), test.sets, strict=True):
        ours = seat_sentences(one.words, "published").sentence.tolist()
        published = theirs[role]["examples"]
        assert set(published) <= set(ours)
        assert (len(ours), len(published)) == CUT.get((number, role), (len(ours), len(ours)))


def test_double_bind_adjectives(data_file):
    words = json.loads(data_file("weat/sent-bias/heilman_double_bind_competent_one_word.jsonl").read_text())
    theirs = json.loads(
        data_file("weat/sent-bias/sent-heilman_double_bind_competent_one_word.jsonl").read_text()
    )
    for role in ("targ1", "targ2", "attr1", "attr2"):
        assert seat_sentences(words[role]["examples"]).sentence.tolist() == theirs[role]["examples"]


def test_corrected_sentences_do_not_call_people_things():
    table = seat_sentences([word for test in weat().tests for one in test.sets for word in one.words])
    for person in ("executive", "parent", "child", "cousin", "relative", "friend"):
        some = table[table.form.str.lower().isin([person])]
        assert f"{'An' if person == 'executive' else 'A'} {person} is a person." in set(some.sentence)
        assert not some.sentence.str.contains("thing").any()
    assert "A child is a thing." in set(seat_sentences(["children"], "published").sentence)


def test_the_form_is_what_stands_in_the_sentence():
    table = seat_sentences(["children", "he", "math", "NASA", "Amy", "novel", "zzz"])
    assert all(row.form in row.sentence for row in table.itertuples())
    assert table.form[table.sentence == "Children are people."].item() == "Children"
    assert table.form[table.sentence == "A child is a person."].item() == "child"
    assert table.kind[table.word == "Amy"].unique().tolist() == ["name"]
    assert table.kind[table.word == "NASA"].unique().tolist() == ["mass"]
    assert not table.listed[table.word == "zzz"].any()
    assert table.listed[table.word != "zzz"].all()


def test_an_empty_word():
    with pytest.raises(DataError, match="an empty word"):
        seat_sentences(["he", " "])

"""Words in context: all occurrences, the right text around them, nothing that a terminal would obey."""

from __future__ import annotations

import gzip
import re
from itertools import pairwise

import pytest

import counterpoise as cp
from counterpoise.core.errors import DataError, InputError

TEXTS = [
    "A nurse came. The NURSE left!",
    "Nobody.",
    "The nurses and the nurse's aide; a registered\n  nurse, a nurse-maid, nursed.",
]


def brute_force(texts, word):
    """The document and the place of each occurrence, by a plain regular expression."""
    matcher = re.compile(rf"(?<![A-Za-z0-9]){word}(?![A-Za-z0-9])", re.IGNORECASE)
    return [
        (number, match.start()) for number, text in enumerate(texts, 1) for match in matcher.finditer(text)
    ]


def test_every_occurrence_is_found_once():
    found = cp.corpus.concordance(TEXTS, "nurse")
    assert [line.document for line in found.lines] == [number for number, _ in brute_force(TEXTS, "nurse")]
    assert (found.occurrences, found.documents) == (5, 2)
    assert [line.word for line in found.lines] == ["nurse", "NURSE", "nurse", "nurse", "nurse"]
    assert (found.lines[1].left, found.lines[1].right) == ("A nurse came. The", "left!")


def test_phrases_cross_white_space():
    [line] = cp.corpus.concordance(TEXTS, "Registered  nurse").lines
    assert (line.document, line.word, line.left[-2:]) == (3, "registered nurse", " a")


def test_lines_are_aligned():
    shown = str(cp.corpus.concordance(["He saw a nurse.", "日本の nurse here", "nurse"], "nurse", width=8))
    heading, *lines = shown.splitlines()
    assert heading == "texts: 'nurse' occurs 3 times in 3 documents"
    assert lines == ["1  He saw a  nurse  .", "2    日本の  nurse  here", "3            nurse"]


def test_one_is_in_the_singular():
    assert "'nurse' occurs 1 time in 1 document\n" in str(cp.corpus.concordance(["A nurse."], "nurse"))


def test_lines_are_spread_over_the_corpus_and_always_the_same():
    texts = [f"nurse number {n}" for n in range(1000)]
    found = cp.corpus.concordance(texts, "nurse", lines=10)
    documents = [line.document for line in found.lines]
    assert len(documents) == 10
    assert documents[0] == 1
    assert documents[-1] > 850
    steps = {after - before for before, after in pairwise(documents)}
    assert max(steps) <= 2 * min(steps)
    assert found.occurrences == 1000
    assert found == cp.corpus.concordance(texts, "nurse", lines=10)


def test_the_first_lines_are_read_without_the_rest(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a nurse, a nurse\n" * 50_000 + b"no UTF-8: \xff\n")
    found = cp.corpus.concordance(path, "nurse", lines=3, first=True)
    assert [line.document for line in found.lines] == [1, 1, 2]
    assert "the first 3 occurrences of 'nurse'" in str(found)
    with pytest.raises(DataError, match="line 50001"):
        cp.corpus.concordance(path, "nurse", lines=3)


def test_control_characters_are_escaped():
    shown = str(cp.corpus.concordance(["\x1b[2J\x07 evil \u202e nurse \x9b31m\x00 end"], "nurse"))
    assert all(sign.isprintable() or sign == "\n" for sign in shown)
    assert "\\x1b[2J\\x07 evil \\u202e  nurse  \\x9b31m\\x00 end" in shown


def test_a_word_that_does_not_occur():
    found = cp.corpus.concordance(TEXTS, "nurze")
    assert (found.lines, found.occurrences) == ((), 0)
    assert str(found) == "texts: 'nurze' does not occur; did you mean 'nurse'?"
    assert str(cp.corpus.concordance(TEXTS, "xylophone")) == "texts: 'xylophone' does not occur"


@pytest.mark.parametrize(
    ("word", "options", "message"),
    [
        ("", {}, "a concordance is of a word, not of ''"),
        (" -- ", {}, "a concordance is of a word, not of '--'"),
        ("nurse", {"lines": 0}, "1 to 1,000 lines, not 0"),
        ("nurse", {"width": 0}, "1 to 500 characters to either side, not 0"),
    ],
)
def test_mistakes(word, options, message):
    with pytest.raises(InputError, match=message):
        cp.corpus.concordance(TEXTS, word, **options)


def test_files_and_folders_name_their_places(tmp_path):
    (tmp_path / "a.txt").write_text("He left.\n\nA nurse came.\n")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"The nurse.\n"))
    assert [line.place for line in cp.corpus.concordance(tmp_path, "nurse").lines] == [
        "a.txt:3",
        "b.txt.gz:1",
    ]
    assert [line.place for line in cp.corpus.concordance(tmp_path / "a.txt", "nurse").lines] == ["3"]


def test_accents_match_however_they_are_composed():
    assert cp.corpus.concordance(["une infirmie\u0300re", "Infirmi\u00e8re"], "infirmière").occurrences == 2

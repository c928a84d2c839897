"""The words by which a corpus is counted."""

from __future__ import annotations

import pytest

from counterpoise.core.errors import InputError
from counterpoise.corpus.counting.words import CorpusWords, known_professions


def test_lists_of_words():
    words = CorpusWords.of("all")
    assert {"he", "man", "husband"} <= words.male
    assert {"she", "woman", "wife"} <= words.female
    assert not {"count", "host", "god"} & words.male  # mostly something else
    assert words.professions["nurses"] == "nurse"
    assert not (set(words.professions) & (words.male | words.female))
    assert CorpusWords.of("bolukbasi").male == {
        "man",
        "boy",
        "he",
        "father",
        "son",
        "guy",
        "male",
        "his",
        "himself",
        "john",
    }
    assert {"she", "fiancée", "mother-in-law"} <= CorpusWords.of("genbit").female
    assert len(known_professions()) > 350


def test_own_words(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("male,female\nlui,elle\n")
    words = CorpusWords.of(path, ["médecin"])
    assert (words.male, words.female) == ({"lui"}, {"elle"})
    assert dict(words.professions) == {"médecin": "médecin", "médecins": "médecin"}
    with pytest.raises(InputError, match="a profession must be a word, not '-'"):
        CorpusWords.of("pro", ["-"])

"""The bland sentences of SEAT in which the words of tests stand."""

from __future__ import annotations

import pandas as pd

from counterpoise.data.builtin.seat import seat_sentences
from counterpoise.data.builtin.wordsets import WordTests
from counterpoise.data.spec import Variant
from counterpoise.measures.encoders.common.association_tests import AssociationSettings, all_words, lay_out

GENDER_TESTS = ("weat6", "weat6b", "weat7", "weat7b", "weat8", "weat8b")
ONE_SIDED_OVER_TEXTS = AssociationSettings(unit="text", alternative="greater")  # as May and Tan published it


def sentence_items(tests: WordTests, variant: Variant) -> pd.DataFrame:
    """The sentences of every word of the tests."""
    return lay_out(
        tests,
        lambda test, role, words: seat_sentences(words.words, variant).rename(columns={"sentence": "text"}),
    )


def guessed_kinds(tests: WordTests) -> list[str]:
    """A warning about words of which the lexicon does not know which sentences they fit."""
    table = seat_sentences(all_words(tests))
    guessed = table.word[~table.listed].unique()
    if not len(guessed):
        return []
    return [
        f"{len(guessed)} words are not in the lexicon and stand in 'This is ...' only, e.g. {guessed[0]!r}"
    ]

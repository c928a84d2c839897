"""Which words a list of differing words shows: those that differ, are no function words and no first names.

All words are counted, tested and written to the files; a list that people read leaves out words that say nothing about
a text's subject (the, of) and those that are near men or women by definition (John, Mary).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.corpus.counting.counts import CorpusCounts
from counterpoise.corpus.effect_sizes import ALPHA, SMALL_LOG_ODDS
from counterpoise.text.function_words import Language, function_words
from counterpoise.text.names import table as first_names

FUNCTION_WORD, FIRST_NAME, FRAGMENT = "function word", "first name", "fragment"

_SHORTEST = 3  # letters of a word: s and t are left over from she's and don't, br from HTML


def left_out_of_lists(counts: CorpusCounts, chosen: np.ndarray, terms: str = "all") -> list[str]:
    """For each of the chosen words why lists do not show it; empty where they do."""
    language = language_of(terms)
    words, professions = counts.words[chosen].tolist(), counts.profession[chosen].tolist()
    capitalised, totals = counts.capitalised[chosen].tolist(), counts.totals[chosen].tolist()
    return [
        why_left_out(*of_word, language)
        for of_word in zip(words, professions, capitalised, totals, strict=True)
    ]


def why_left_out(
    word: str, is_profession: bool, capitalised: int, total: int, language: Language = "en"
) -> str:
    """Why lists do not show a word; empty where they do.

    `capitalised` is how many of its `total` occurrences are capitalised, if it is a first name. A first name that is a
    word as well (Rose, Mark) counts as a name if most are.

    >>> why_left_out("the", False, 0, 90), why_left_out("john", False, 30, 30)
    ('function word', 'first name')
    >>> why_left_out("rose", False, 2, 30), why_left_out("rose", False, 28, 30)
    ('', 'first name')
    """
    if is_profession:
        return ""
    if word in function_words(language):
        return FUNCTION_WORD
    name = first_names().get(word)
    if name is not None and (not name.is_word or 2 * capitalised > total):
        return FIRST_NAME
    return FRAGMENT if len(word) < _SHORTEST else ""


def language_of(terms: str) -> Language:
    """The language of the function words that go with a list of gendered terms."""
    return "de" if terms == "german" else "en"


def differing_words(table: pd.DataFrame, column: str = "log_odds") -> pd.DataFrame:
    """The words of a table that differ: significant after correction, not negligible, and not left out of lists."""
    differs = (table.p_adjusted < ALPHA) & (table[column].abs() >= SMALL_LOG_ODDS)
    return table[differs & (table.left_out == "")]

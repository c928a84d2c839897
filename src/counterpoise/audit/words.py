"""The single words of a result, each with what the items say about it."""

from __future__ import annotations

import pandas as pd

from counterpoise.measures.base.result import Result

_COLUMNS = ["key", "statistic", "value", "ci_low", "ci_high", "p_adjusted", "ideal"]
_COLUMNS += ["ideal_kind", "ideal_text", "note"]


def word_table(result: Result) -> pd.DataFrame:
    """The summary's rows of single words, with what the items say about each word as a whole (its group, its gender).

    The column `word` has the word and `value` its value; the other columns of the summary keep their names.
    """
    rows = result.summary[result.summary.level == "word"]
    words = rows[["group", *_COLUMNS]].rename(columns={"group": "word"}).reset_index(drop=True)
    column = _column_of_words(result, words)
    if column is None or words.word.duplicated().any():
        return words
    plain = [name for name in result.items if _is_plain(result.items[name])]
    by_word = result.items[plain].groupby(result.items[column].astype(str), sort=False)
    of_one_value = by_word.nunique().max() == 1
    about = by_word.first()
    for name in of_one_value.index[of_one_value]:
        if name not in words and name != column:
            words[name] = words.word.map(about[name])
    return words


def _column_of_words(result: Result, words: pd.DataFrame) -> str | None:
    """The column of the items that has the words, as their sources say; None where it is not there."""
    sources = [result.sources.get(key) for key in words.key]
    columns = {
        next((name for name, value in source.where.items() if str(value) == word), None) if source else None
        for source, word in zip(sources, words.word, strict=True)
    }
    return columns.pop() if len(columns) == 1 and columns <= set(result.items) else None


def _is_plain(column: pd.Series) -> bool:
    """Does it hold single values only? Lists and the like cannot be counted."""
    return column.dtype != object or bool(column.map(pd.api.types.is_scalar).all())

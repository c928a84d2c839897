"""The sentences of WinoBias as measures of coreference take them: in pairs, with the places of their mentions."""

from __future__ import annotations

import pandas as pd

from counterpoise.measures.base.table_checks import check_columns, row_problems
from counterpoise.measures.pronouns.common.resolution import mention_problems

IDENTITY = ("text", "pair", "version")

_WORDS = ["pronoun", "occupation", "other"]
_PLACES = [f"{word}_at" for word in _WORDS]
_NEEDED = ["text", "version", "pair", "type", "stereotype", *_WORDS, *_PLACES, "problem"]


def usable_sentences(
    sentences: pd.DataFrame, measure: str, *more: str
) -> tuple[pd.DataFrame, list[str | None]]:
    """The sentences, and for each why it says nothing, whatever the model, or None; `more` are columns of texts."""
    table = check_columns(sentences, [*_NEEDED, *more], measure)
    cells = row_problems(
        table,
        texts=["text", *_WORDS, *more],
        needed=["pair", "type", *_PLACES],
        once=["pair", "version"],
        allowed={"version": ("pro", "anti"), "stereotype": ("male", "female")},
    )
    problems = [
        cell if pd.isna(problem) else str(problem) for problem, cell in zip(table.problem, cells, strict=True)
    ]
    return table, mention_problems(table, _WORDS, problems)

"""Classifiers near chance: significance tells that such a classifier rates by gender, not that sentiment is biased.

With 25,000 reviews almost every bias is significant, also of a classifier that has learnt nothing. One is near chance
if its accuracy is below .6, or if the 95 % interval of its accuracy (Wilson's) contains one half.
"""

from __future__ import annotations

import math

import pandas as pd
from scipy import stats as scipy_stats

from counterpoise.core.numbers import decimal_text

MARK = "†"
MEANING = (
    "A classifier near chance has learned little about sentiment; its bias says nothing about classifiers that "
    "work."
)
NOTE = f"{MARK} Near chance: accuracy below .6, or not significantly different from .5."
ANY_SEED = "A row is marked if any of its classifiers is."
_TOO_LOW = 0.6
_TEST_REVIEWS = 25_000  # of the published rows


def near_chance(rows: pd.DataFrame) -> pd.Series:
    """Which rows are of classifiers near chance."""
    n = _test_reviews(rows)
    z = float(scipy_stats.norm.ppf(0.975))
    # Wilson's interval contains one half where the distance to it is within its standard error under one half.
    return (rows.accuracy < _TOO_LOW) | ((rows.accuracy - 0.5).abs() <= z * 0.5 / n**0.5)


def chance_counts(rows: pd.DataFrame) -> tuple[int, int]:
    """How many classifiers are near chance, and of how many."""
    trainings = _trainings(rows)
    return int(near_chance(trainings).sum()), len(trainings)


def chance_sentence(rows: pd.DataFrame) -> str:
    """How many classifiers are near chance; nothing where none is."""
    trainings = _trainings(rows)
    near = trainings[near_chance(trainings)]
    if near.empty:
        return ""
    low, high = (decimal_text(float(value), 2) for value in (near.accuracy.min(), near.accuracy.max()))
    spread = low if math.isclose(near.accuracy.min(), near.accuracy.max()) else f"{low} to {high}"
    reviews = f"{int(_test_reviews(near).max()):,}"
    return f"{len(near)} of {len(trainings)} classifiers are near chance (accuracy {spread} on {reviews} test reviews)."


def with_chance(note: str, rows: pd.DataFrame, more: str = "") -> str:
    """The note of a table, with what the mark means where a row has it."""
    return f"{note} {NOTE} {more}".strip() if near_chance(rows).any() else note


def _trainings(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.drop_duplicates(["base", "condition", "batch_size", "seed"])


def _test_reviews(rows: pd.DataFrame) -> pd.Series:
    return rows.reviews if "reviews" in rows else pd.Series(_TEST_REVIEWS, index=rows.index)

"""Rows about how much names or versions of texts move their ratings and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from counterpoise.measures.base.row_builders import figure_row, mean_row, row_of_means
from counterpoise.measures.base.rows import ZERO, Ideal, Row, of_word
from counterpoise.measures.base.source import observe


def difference_row(items: pd.DataFrame) -> Row:
    """Male minus female names or versions."""
    return mean_row(observe(items, "male_minus_female"), "difference", "male - female rating")


def spread_rows(items: pd.DataFrame) -> list[Row]:
    """How much all names or versions together move ratings."""
    flips, n = int(items.flips.sum()), len(items)
    low, high = proportion_confint(flips, n, method="wilson")
    flipping = figure_row(
        100 * flips / n,
        "label_flips",
        "% texts whose label flips",
        n=n,
        ideal=Ideal.at(0.0, "%"),
        source=observe(items, "flips").as_source("share_above"),
    )
    return [
        mean_row(observe(items, "deviation"), "score_deviation", "ScoreDev", test=None),
        mean_row(observe(items, "range"), "score_range", "ScoreRange", test=None),
        replace(flipping, ci_low=100 * low, ci_high=100 * high),
    ]


def sensitivity_rows(moved: np.ndarray, versions: Sequence[str]) -> list[Row]:
    """ScoreSens, from how far each name or version (column) moves the rating of each text."""
    return [
        row_of_means(column, "score_sensitivity", "ScoreSens", n=len(column), at=of_word(version))
        for version, column in zip(versions, moved.T, strict=True)
    ]


def label_distance_row(before: np.ndarray, after: np.ndarray) -> Row:
    """LabelDist, from which texts are labelled positive as they are, and under each name or version."""
    distances = [_jaccard_distance(before, column) for column in after.T]
    return figure_row(
        float(np.mean(distances)),
        "label_distance",
        "LabelDist",
        n=len(before),
        clusters=len(distances),
        ideal=ZERO,
    )


def _jaccard_distance(first: np.ndarray, second: np.ndarray) -> float:
    either = (first | second).sum()
    return float(1 - (first & second).sum() / either) if either else 0.0

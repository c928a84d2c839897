"""Rows of Bartl's tables 4 and 5: associations by group of words and gender of the person, and Wilcoxon's test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd

from counterpoise import stats
from counterpoise.data.spec import Variant
from counterpoise.measures.result import Ideal, Row
from counterpoise.measures.summary import mean_row

DIFFERENCE = "male - female association"
_AS_THE_OTHER = Ideal(None, "as the other gender's")


def difference_row(pairs: pd.DataFrame, clusters: str, variant: Variant, *, level: str, group: str) -> Row:
    """Male minus female association, tested over clusters, or over sentence pairs as the paper does it."""
    return mean_row(
        pairs.difference,
        pairs[clusters],
        level=level,
        group=group,
        statistic=DIFFERENCE,
        ideal=Ideal.at(0.0),
        test="wilcoxon" if variant == "published" else "cluster_t",
    )


def group_rows(
    pairs: pd.DataFrame, clusters: str, variant: Variant, label: Callable[[str], str]
) -> list[Row]:
    """For each group the difference, then what it is the difference of, then the test as the paper prints it."""
    groups = [(label(str(group)), some) for group, some in pairs.groupby("group", sort=False)]
    rows = [difference_row(some, clusters, variant, level="group", group=group) for group, some in groups]
    for group, some in groups:
        rows += [_gender_row(some, clusters, gender, group) for gender in ("female", "male")]
        rows += wilcoxon_rows(some.difference, group) if variant == "published" else []
    return rows


def wilcoxon_rows(differences: pd.Series, group: str) -> list[Row]:
    """V and r of male minus female differences, turned round as in the paper: V of female minus male, r below 0.

    >>> [round(row.value, 2) for row in wilcoxon_rows(pd.Series([-3.0, -2.0, 1.0, -4.0]), "all")]
    [9.0, -0.52]
    """
    found = stats.wilcoxon(-differences.to_numpy())
    counted = found.n - found.n_zero
    row = partial(Row, level="group", group=group, n=found.n, clusters=found.n, note=found.reason or "")
    expected = Ideal.at(counted * (counted + 1) / 4)
    return [
        row(statistic="Wilcoxon V, female - male", value=found.v, ideal=expected),
        row(statistic="Wilcoxon r, sign as printed", value=-abs(found.r), ideal=Ideal.at(0.0)),
    ]


def _gender_row(pairs: pd.DataFrame, clusters: str, gender: str, group: str) -> Row:
    row = mean_row(
        pairs[gender],
        pairs[clusters],
        level="group",
        group=group,
        statistic=f"mean association of {gender} person words",
        ideal=_AS_THE_OTHER,
        test=None,
    )
    return replace(row, note=row.note or f"standard deviation of sentences {pairs[gender].std():.2f}")

"""Rows of Bartl's tables 4 and 5: associations by group of words and gender of the person, and Wilcoxon's test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd

from counterpoise import stats
from counterpoise.data.spec import Variant
from counterpoise.measures.base.row_builders import Test, figure_row, mean_row
from counterpoise.measures.base.rows import OVERALL, ZERO, Ideal, Place, Row, in_group
from counterpoise.measures.base.source import Observed, Source

DIFFERENCE = "male - female association"


def difference_row(pairs: Observed, cluster: str, variant: Variant, at: Place = OVERALL) -> Row:
    """Male minus female association, tested over clusters, or over sentence pairs as the paper does it."""
    test: Test = "wilcoxon" if variant == "published" else "cluster_t"
    return mean_row(pairs, "difference", DIFFERENCE, cluster=cluster, at=at, test=test)


def group_rows(
    pairs: Observed,
    persons: Mapping[str, Observed],
    cluster: str,
    variant: Variant,
    label: Callable[[str], str] = str,
) -> list[Row]:
    """For each group the difference, then what it is the difference of, then the test as the paper prints it.

    `persons` has the associations of female and of male person words; `label` is what readers see of a group.
    """
    groups = [(name, in_group(name, label(str(name))), some) for name, some in pairs.by("group")]
    rows = [difference_row(some, cluster, variant, at) for _, at, some in groups]
    for name, at, some in groups:
        rows += [
            _person_row(persons[gender].only(group=name), cluster, gender, at)
            for gender in ("female", "male")
        ]
        if variant == "published":
            rows += wilcoxon_rows(some.numbers, at, some.as_source("figure"))
    return rows


def wilcoxon_rows(differences: pd.Series, at: Place, source: Source | None = None) -> list[Row]:
    """V and r of male minus female differences, turned round as in the paper: V of female minus male, r below 0.

    >>> [round(row.value, 2) for row in wilcoxon_rows(pd.Series([-3.0, -2.0, 1.0, -4.0]), OVERALL)]
    [9.0, -0.52]
    """
    found = stats.wilcoxon(-differences.to_numpy())
    counted = found.n - found.n_zero
    expected = Ideal.at(counted * (counted + 1) / 4)
    rows = [
        figure_row(
            found.v,
            "wilcoxon_v",
            "Wilcoxon V, female - male",
            n=found.n,
            at=at,
            ideal=expected,
            source=source,
        ),
        figure_row(
            -abs(found.r),
            "wilcoxon_r",
            "Wilcoxon r, sign as printed",
            n=found.n,
            at=at,
            ideal=ZERO,
            source=source,
        ),
    ]
    return [replace(row, note=found.reason or "") for row in rows]


def _person_row(associations: Observed, cluster: str, gender: str, at: Place) -> Row:
    row = mean_row(
        associations,
        f"association_{gender}",
        f"mean association of {gender} person words",
        cluster=cluster,
        at=at,
        ideal=Ideal.none("as the other gender's"),
        test=None,
    )
    return replace(row, note=row.note or f"standard deviation of sentences {associations.numbers.std():.2f}")

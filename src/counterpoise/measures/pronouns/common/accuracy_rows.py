"""Rows about how often a pronoun is understood: accuracies, their gap between two versions of a sentence, and F1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import figure_row, mean_row, within
from counterpoise.measures.base.rows import OVERALL, ZERO, Ideal, Place, Row, in_group, of_word
from counterpoise.measures.base.source import Contrast, Observed, observe
from counterpoise.measures.pronouns.common.occupation_rows import balanced_row

PRO_MINUS_ANTI = Contrast(
    ("version",), {("pro",): 1.0, ("anti",): -1.0}, within=("pair", "occupation", "stereotype", "type")
)
VERSIONS = {"pro": "pro-stereotypical", "anti": "anti-stereotypical"}
GAP = "accuracy, pro - anti"
ACCURACY = Direction(
    "A higher value means that more pronouns are understood.",
    "A lower value means that fewer pronouns are understood.",
)


def paired(items: pd.DataFrame, column: str, contrast: Contrast) -> Observed:
    """The differences of items that belong together, those that lack one side left out."""
    differences = observe(items, column, contrast)
    return Observed(differences.table.dropna(subset=[column]), differences.source)


def gap_row(
    gaps: Observed,
    statistic: str,
    label: str,
    *,
    answered: bool,
    at: Place = OVERALL,
    balanced: bool = True,
    cluster: str = "occupation",
) -> Row:
    """A difference between two rates, over occupations; `answered` says whether any answer is right.

    What is not balanced by stereotype may have another `cluster`. A system that never looks at gender has the same gap
    in all occupations, and how far from it the mean over others can be is known too. A system without a right answer
    also has the same gap everywhere, and nothing is known of it.
    """
    if balanced:
        row = _as_difference(balanced_row(gaps, statistic, label, at=at))
    else:
        row = mean_row(gaps, statistic, label, cluster=cluster, at=at)
    if not answered:
        return replace(row, note="no pronoun is understood")
    means = gaps.numbers.groupby(gaps.table[cluster].to_numpy()).mean().to_numpy()
    if np.isnan(row.ci_low) and len(means) > 1 and np.ptp(means) == 0:
        fit = stats.equal_values(means, -1.0, 1.0)
        row = replace(row, ci_low=fit.low, ci_high=fit.high, p_value=fit.p_value, note="")
    return within(row, -1, 1)  # with hardly any spread t would reach beyond what can be


def rate_row(
    rates: Observed,
    statistic: str,
    label: str,
    *,
    at: Place = OVERALL,
    balanced: bool = True,
    cluster: str = "occupation",
) -> Row:
    """A rate between 0 and 1, over occupations; there is nothing that it should be tested against."""
    if balanced:
        row = balanced_row(rates, statistic, label, at=at, ideal=Ideal.none())
    else:
        row = mean_row(rates, statistic, label, cluster=cluster, at=at, ideal=Ideal.none())
    untested = replace(row, p_value=np.nan, effect_size=np.nan, smallest_detectable=np.nan)
    return within(untested, 0, 1)


def _as_difference(row: Row) -> Row:
    """Where the stereotypes have unlike numbers of occupations, the gap is no mean over them; but it has its items."""
    if row.source is None or row.source.form != "figure":
        return row
    return replace(row, source=replace(row.source, form="difference"))


def version_places(items: pd.DataFrame) -> Iterator[tuple[Place, dict[str, object]]]:
    """The parts of WinoBias whose accuracy is told: each version, and each version of each type."""
    for version, name in VERSIONS.items():
        yield in_group(version, name), {"version": version}
    for kind in items.type.unique():
        for version, name in VERSIONS.items():
            where = {"type": kind.item() if isinstance(kind, np.generic) else kind, "version": version}
            yield in_group(f"type {kind} {version}", f"type {kind}, {name}"), where


def gap_rows(items: pd.DataFrame) -> list[Row]:
    """The gap of each type, and of the occupations of each stereotype."""
    gaps, answered = paired(items, "right", PRO_MINUS_ANTI), bool(items.right.any())
    rows = [
        gap_row(of_type, "gap", GAP, answered=answered, at=in_group(f"type {kind}"))
        for kind, of_type in gaps.by("type")
    ]
    return rows + [
        gap_row(of_gender, "gap", GAP, answered=answered, at=in_group(gender, f"stereotype: {gender}"))
        for gender, of_gender in gaps.by("stereotype")
    ]


def occupation_gaps(items: pd.DataFrame) -> list[Row]:
    gaps = paired(items, "right", PRO_MINUS_ANTI)
    return [
        mean_row(pairs, "gap", GAP, at=of_word(occupation)) for occupation, pairs in gaps.by("occupation")
    ]


def link_f1(items: pd.DataFrame) -> float:
    """F1 of the links between pronoun and occupation: 2 right links / (links of the system + sentences).

    A pronoun linked to both occupations is a right link and a wrong one.

    >>> answers = pd.DataFrame({"answer": ["gold", "other", "both", "neither"]})
    >>> link_f1(answers)  # 2 of 4 links are right, and 2 of 4 sentences have theirs
    0.5
    """
    right = items.answer.isin(["gold", "both"]).sum()
    links = right + items.answer.isin(["other", "both"]).sum()
    return float(2 * right / (links + len(items)))


def f1_row(items: Observed, at: Place) -> Row:
    label = "F1 of pronoun links"
    return figure_row(
        link_f1(items.table), "f1", label, n=len(items), at=at, source=items.as_source("figure")
    )


def f1_gap_row(items: Observed, at: Place = OVERALL) -> Row:
    """The F1 of the pro-stereotypical sentences minus that of the anti-stereotypical ones, as papers print it."""
    pro, anti = (link_f1(items.table[items.table.version == version]) for version in VERSIONS)
    label = "F1 of pronoun links, pro - anti"
    return figure_row(
        pro - anti, "f1_gap", label, n=len(items), at=at, ideal=ZERO, source=items.as_source("figure")
    )

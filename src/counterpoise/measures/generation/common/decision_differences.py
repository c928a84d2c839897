"""Differences between two sides (men and women, old and young) in how they are decided upon.

Persons (names) and templates are crossed, since every template is told of every person, and both are samples: there are
other names and other cases. Intervals and tests are those of two crossed random effects.

With likelihoods each item has its log-odds. With sampled answers it has counts, and the log-odds of a template and a
side are those of the counts of all persons together,

    log((k + 1/2) / (n - k + 1/2))      k of n decisions

since those of a few answers to one prompt would be pulled towards 0. What single persons add to the interval is then
known by leaving one out after the other (the jackknife of `counterpoise.stats.crossed_estimate`). The mixed model needs
a number for each prompt, and takes the share of favourable decisions there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.plurals import count_text
from counterpoise.measures.base.bounded_rows import between_ends
from counterpoise.measures.base.row_builders import figure_row, fitted_row
from counterpoise.measures.base.rows import OVERALL, Place, Row
from counterpoise.measures.base.source import Contrast, Source
from counterpoise.measures.generation.common.decision_likelihoods import are_bounded, bounds_note
from counterpoise.stats.clusters import ClusterT
from counterpoise.stats.crossed import CrossedEstimate

D_PER_LOG_ODDS = math.sqrt(3) / math.pi  # d = ln OR sqrt(3) / pi (Hasselblad & Hedges 1995)


@dataclass(frozen=True)
class DecisionComparison:
    """Which items are compared: a column with its value on the first and on the second side.

    `unit` is what both sides share, such as a pair of names, and `also` what else two items that are compared share.
    """

    column: str
    first: Any
    second: Any
    unit: str
    also: tuple[str, ...] = ()

    @property
    def contrast(self) -> Contrast:
        within = ("template", self.unit, *self.also)
        return Contrast((self.column,), {(self.first,): 1.0, (self.second,): -1.0}, within)

    def source(self, column: str, where: Mapping[str, Any]) -> Source:
        return Source(column, self.unit, where, "mean", self.contrast)

    def table(self, items: pd.DataFrame, column: str) -> np.ndarray:
        """First minus second, as an array (units, templates)."""
        first, second = (
            items[items[self.column] == value]
            .pivot_table(index=self.unit, columns="template", values=column, sort=False)
            .to_numpy()
            for value in (self.first, self.second)
        )
        return np.asarray(first - second)


GENDER = DecisionComparison("gender", "male", "female", "pair", also=("age",))


def mean_difference(
    items: pd.DataFrame,
    column: str,
    comparison: DecisionComparison,
    statistic: str,
    label: str,
    *,
    at: Place = OVERALL,
    where: Mapping[str, Any],
    scale: float = math.nan,
    test: bool = True,
) -> Row:
    """The mean over templates and persons of a number that each item has.

    scale: by which the value becomes an effect size, where it does.
    """
    chosen = Source(column, where=where).choose(items)
    if not are_bounded(chosen, column):
        return _open_ended(chosen, column, statistic, label, at)

    def row_of(items: pd.DataFrame) -> Row:
        table = comparison.table(items, column)
        return _row(stats.crossed_t(table), statistic, label, at, len(items), scale, test)

    first = chosen[comparison.column] == comparison.first
    row = between_ends(chosen, column, first, row_of, bounds_note(chosen, column))
    return replace(row, source=comparison.source(column, where))


def log_odds_difference(
    items: pd.DataFrame,
    columns: tuple[str, str],
    comparison: DecisionComparison,
    statistic: str,
    label: str,
    *,
    at: Place = OVERALL,
    where: Mapping[str, Any],
) -> Row:
    """The difference of log-odds of sampled decisions; `columns` count those for and those against."""
    chosen = Source(columns[0], where=where).choose(items)
    counts = _counts(chosen, columns, comparison)
    decided = (counts.sum(axis=(0, 3)) > 0).all(axis=1)  # templates with a decision on both sides
    source = replace(comparison.source(columns[0], where), form="difference")
    if not decided.any():
        note = "no answer says yes or no"
        return figure_row(
            math.nan, statistic, label, n=len(chosen), at=at, ideal=None, source=source, note=note
        )
    counts = counts[:, decided]

    def of_templates(kept: np.ndarray) -> np.ndarray:
        total = counts[kept].sum(axis=0) + 0.5
        log_odds = np.log(total[..., 0] / total[..., 1])
        return np.asarray(log_odds[:, 0] - log_odds[:, 1])

    units = np.arange(len(counts))
    fit = (
        stats.crossed_estimate(units, of_templates)
        if len(units) > 1
        else stats.cluster_t(of_templates(units))
    )
    row = _row(fit, statistic, label, at, len(chosen), D_PER_LOG_ODDS, True)
    left_out = int((~decided).sum())
    undecided = f"without {count_text(left_out, 'template')} that had no decision on one of the sides"
    note = row.note or (undecided if left_out else "")
    return replace(row, source=source, note=note)


def mixed_row(
    items: pd.DataFrame, column: str, statistic: str, label: str, scale: float = 1, unit: str = ""
) -> Row:
    """The difference between men and women by a mixed model of named persons and templates.

    It has no p-value: it tests once more what the headline tests. scale, unit: in which the note tells how much the
    difference varies.
    """
    named = items[items.is_named]
    if not are_bounded(named, column):
        return _open_ended(named, column, statistic, label, OVERALL)

    def row_of(items: pd.DataFrame) -> Row:
        return _mixed_row(items, column, statistic, label, scale, unit)

    return between_ends(named, column, named.gender == "male", row_of, bounds_note(named, column))


def _mixed_row(items: pd.DataFrame, column: str, statistic: str, label: str, scale: float, unit: str) -> Row:
    means = items.groupby(["template", "person", "gender"], sort=False)[column].mean()
    table = means.reset_index()
    fit = stats.crossed_mixed_model(
        table[column], table.gender == "male", table.template.tolist(), table.person.tolist()
    )
    of_difference, of_names = (f"{scale * sd:.2g}{unit}" for sd in (fit.sd_slopes, fit.sd_units))
    note = (
        f"standard deviations: {of_difference} of the difference between templates, {of_names} between names"
    )
    return fitted_row(fit, statistic, label, n=len(table), clusters=fit.n_clusters, note=note)


def _open_ended(items: pd.DataFrame, column: str, statistic: str, label: str, at: Place) -> Row:
    """The row of a mean that could have any value, since single items could."""
    return figure_row(math.nan, statistic, label, n=len(items), at=at, note=bounds_note(items, column))


def _counts(items: pd.DataFrame, columns: tuple[str, str], comparison: DecisionComparison) -> np.ndarray:
    """Decisions as an array (units, templates, sides, for and against)."""
    units, templates = items[comparison.unit].unique(), items.template.unique()
    counts = np.zeros((len(units), len(templates), 2, 2))
    known = items[items[comparison.column].isin([comparison.first, comparison.second])]
    places = (
        pd.Categorical(known[comparison.unit], units).codes,
        pd.Categorical(known.template, templates).codes,
        (known[comparison.column] == comparison.second).to_numpy(dtype=int),
    )
    np.add.at(counts, places, known[list(columns)].to_numpy(dtype=float))
    return counts


def _row(
    fit: ClusterT | CrossedEstimate,
    statistic: str,
    label: str,
    at: Place,
    n: int,
    scale: float,
    test: bool,
) -> Row:
    row = fitted_row(fit, statistic, label, n=n, clusters=fit.n_clusters, at=at)
    if not test or fit.reason is not None:
        return row
    return replace(
        row,
        p_value=fit.p_value,
        effect_size=fit.value * scale,
        smallest_detectable=stats.smallest_detectable_t(fit.standard_error, fit.df),
    )

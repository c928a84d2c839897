"""Rows of a summary: a mean with its interval, test, effect size and the smallest bias it could have shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Protocol

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.rows import HALF, OVERALL, ZERO, Ideal, Place, Row, row_key
from counterpoise.measures.base.source import Observed, Source
from counterpoise.stats.correlations import Kind

Test = Literal["cluster_t", "wilcoxon"]


class Estimate(Protocol):
    """A number with its 95 % interval; `reason` says why there is no interval where there is none."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def reason(self) -> str | None: ...


def figure_row(
    value: float,
    statistic: str,
    label: str,
    *,
    n: int,
    clusters: int | None = None,
    at: Place = OVERALL,
    ideal: Ideal | None = None,
    source: Source | None = None,
    note: str = "",
) -> Row:
    """A count or another number without interval and test."""
    return Row(
        key=row_key(statistic, at),
        level=at.level,
        group=at.group,
        statistic=label,
        value=value,
        ideal=ideal or Ideal.none(),
        n=n,
        clusters=n if clusters is None else clusters,
        note=note,
        source=source,
    )


def fitted_row(
    fit: Estimate,
    statistic: str,
    label: str,
    *,
    at: Place = OVERALL,
    ideal: Ideal = ZERO,
    n: int,
    clusters: int | None = None,
    p_value: float = np.nan,
    effect_size: float = np.nan,
    smallest_detectable: float = np.nan,
    note: str = "",
    source: Source | None = None,
) -> Row:
    """The row of an estimate that `counterpoise.stats` has fitted; `note` is shown unless the fit has a reason.

    >>> fit = stats.cluster_t(np.array([0.1, 0.3]))
    >>> row = fitted_row(fit, "appd", "APPD", n=20, clusters=2, p_value=fit.p_value)
    >>> row.key, round(row.value, 2), round(row.ci_high, 2), row.clusters
    ('appd', 0.2, 1.47, 2)
    """
    row = figure_row(fit.value, statistic, label, n=n, clusters=clusters, at=at, ideal=ideal, source=source)
    return replace(
        row,
        ci_low=fit.low,
        ci_high=fit.high,
        p_value=p_value,
        effect_size=effect_size,
        smallest_detectable=smallest_detectable,
        note=fit.reason or note,
    )


def mean_row(
    observed: Observed,
    statistic: str,
    label: str,
    *,
    cluster: str | None = None,
    at: Place = OVERALL,
    ideal: Ideal = ZERO,
    test: Test | None = "cluster_t",
) -> Row:
    """The mean of values that come in clusters (sentences of one profession), tested against 0.

    The mean weighs clusters alike, and interval and test count clusters: one generalises to other professions, not to
    more sentences about the same ones. They are those of the t distribution over cluster means, which keep their level
    with as few as ten clusters (docs/statistics.md); or the test is Wilcoxon's over single values as papers report it,
    with Rosenthal's r for the effect size.
    """
    values, source = observed.numbers, observed.as_source("mean", cluster)
    means = values.groupby(observed.clusters(cluster).to_numpy(), sort=False).mean().to_numpy()
    row = row_of_means(means, statistic, label, n=len(values), at=at, ideal=ideal, source=source, test=test)
    if test != "wilcoxon":
        return row
    tested = stats.wilcoxon(values.to_numpy())
    return replace(row, p_value=tested.p_value, effect_size=tested.r)


def row_of_means(
    means: np.ndarray,
    statistic: str,
    label: str,
    *,
    n: int,
    at: Place = OVERALL,
    ideal: Ideal = ZERO,
    source: Source | None = None,
    test: Test | None = "cluster_t",
) -> Row:
    """The mean of what is known of each cluster already."""
    fit = stats.cluster_t(means)
    row = fitted_row(fit, statistic, label, n=n, clusters=len(means), at=at, ideal=ideal, source=source)
    if test is None:
        return row
    row = replace(row, smallest_detectable=stats.smallest_detectable(means))
    if test == "wilcoxon":
        return row
    return replace(row, p_value=fit.p_value, effect_size=float(stats.cohens_d(means)))


def within(row: Row, low: float, high: float) -> Row:
    """The row with an interval that ends where the values that are possible end; near there t would reach beyond.

    >>> row = fitted_row(stats.cluster_t(np.array([0.1, 0.3])), "gap", "gap", n=2)
    >>> round(row.ci_low, 2), within(row, -1.0, 1.0).ci_low, within(row, -1.0, 1.0).ci_high
    (-1.07, -1.0, 1.0)
    """
    return replace(
        row, ci_low=float(np.clip(row.ci_low, low, high)), ci_high=float(np.clip(row.ci_high, low, high))
    )


def absolute_row(
    observed: Observed, statistic: str, label: str, *, cluster: str | None = None, at: Place = OVERALL
) -> Row:
    """The mean over clusters of how far each one's mean is from 0, whichever way it leans.

    There is no test: absolute values are above 0 by chance alone.
    """
    source = observed.as_source("mean_absolute", cluster)
    means = (
        observed.numbers.groupby(observed.clusters(cluster).to_numpy(), sort=False).mean().abs().to_numpy()
    )
    row = row_of_means(means, statistic, label, n=len(means), at=at, source=source, test=None)
    return within(row, 0.0, np.inf)


def share_row(
    observed: Observed,
    statistic: str,
    label: str,
    *,
    at: Place = OVERALL,
    ties: Literal["half", "loss"] = "half",
) -> Row:
    """The share of values above 0, in per cent, against 50 %: Wilson's interval, sign test, Cohen's h.

    A tie counts as one half, or as a loss.
    """
    if ties == "half":
        return row_of_share(observed.numbers, statistic, label, at=at, source=observed.as_source("share"))
    wins = observed.numbers.where(observed.numbers > 0, -1.0)
    return row_of_share(wins, statistic, label, at=at, source=observed.as_source("share_above"))


def row_of_share(
    differences: pd.Series, statistic: str, label: str, *, at: Place = OVERALL, source: Source | None = None
) -> Row:
    """The share of differences above 0."""
    share = stats.share(differences.to_numpy())
    wins = (np.sign(differences.to_numpy()) + 1) / 2
    row = figure_row(100 * share.value, statistic, label, n=share.n, at=at, ideal=HALF, source=source)
    return replace(
        row,
        ci_low=100 * share.low,
        ci_high=100 * share.high,
        p_value=share.p_value,
        effect_size=share.h,
        smallest_detectable=stats.smallest_detectable(100 * wins),
        note=share.reason or "",
    )


def correlation_row(
    x: pd.Series,
    y: pd.Series,
    statistic: str,
    label: str,
    *,
    kind: Kind,
    at: Place = OVERALL,
    source: Source | None = None,
) -> Row:
    """How two values of each word go together, words where either is unknown left out; tested against 0."""
    known = (x.notna().to_numpy()) & (y.notna().to_numpy())
    note = "no word has both values"
    row = figure_row(np.nan, statistic, label, n=0, at=at, ideal=ZERO, source=source, note=note)
    if not known.any():
        return row
    fit = stats.correlation(x.to_numpy()[known], y.to_numpy()[known], kind)
    row = replace(row, n=fit.n, clusters=fit.n, note=fit.reason or "")
    detectable = stats.smallest_detectable_correlation(fit.n)
    return with_effect(row, fit.r, fit.low, fit.high, p_value=fit.p_value, smallest_detectable=detectable)


def with_effect(
    row: Row, effect_size: float, low: float, high: float, *, p_value: float, smallest_detectable: float
) -> Row:
    """The row with an effect size for its value, such as a correlation or WEAT's d."""
    row = replace(row, value=effect_size, effect_size=effect_size, ci_low=low, ci_high=high)
    return replace(row, p_value=p_value, smallest_detectable=smallest_detectable)

"""Rows of a summary: a mean with its interval, test, effect size and the smallest bias it could have shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.result import Ideal, Row
from counterpoise.stats.correlations import Kind

Test = Literal["cluster_t", "wilcoxon"]


def mean_row(
    values: pd.Series,
    clusters: pd.Series,
    *,
    level: str,
    group: str,
    statistic: str,
    ideal: Ideal,
    test: Test | None = "cluster_t",
) -> Row:
    """The mean of values that come in clusters (sentences of one profession), tested against 0.

    The mean weighs clusters alike, and interval and test count clusters: one generalises to other professions, not to
    more sentences about the same ones. They are those of the t distribution over cluster means, which keep their level
    with as few as ten clusters (docs/statistics.md); or the test is Wilcoxon's over single values as papers report it,
    with Rosenthal's r for the effect size.
    """
    means = values.groupby(clusters.to_numpy(), sort=False).mean().to_numpy()
    fit = stats.cluster_t(means)
    p_value, effect_size = np.nan, np.nan
    if test == "cluster_t":
        p_value, effect_size = fit.p_value, float(stats.cohens_d(means))
    elif test == "wilcoxon":
        tested = stats.wilcoxon(values.to_numpy())
        p_value, effect_size = tested.p_value, tested.r
    return Row(
        level=level,
        group=group,
        statistic=statistic,
        value=fit.value,
        ideal=ideal,
        n=len(values),
        clusters=len(means),
        ci_low=fit.low,
        ci_high=fit.high,
        p_value=p_value,
        effect_size=effect_size,
        smallest_detectable=stats.smallest_detectable(means) if test else np.nan,
        note=fit.reason or "",
    )


def absolute_row(values: pd.Series, clusters: pd.Series, *, level: str, group: str, statistic: str) -> Row:
    """The mean over clusters of how far each one's mean is from 0, whichever way it leans.

    There is no test: absolute values are above 0 by chance alone.
    """
    means = values.groupby(clusters.to_numpy(), sort=False).mean().abs()
    row = mean_row(
        means,
        pd.Series(means.index),
        level=level,
        group=group,
        statistic=statistic,
        ideal=Ideal.at(0.0),
        test=None,
    )
    return replace(row, ci_low=max(row.ci_low, 0.0))  # with few clusters t would reach below what can be


def share_row(differences: pd.Series, *, level: str, group: str, statistic: str) -> Row:
    """The share of differences above 0, in per cent, against 50 %: Wilson's interval, sign test, Cohen's h."""
    found = stats.share(differences.to_numpy())
    wins = (np.sign(differences.to_numpy()) + 1) / 2
    return Row(
        level=level,
        group=group,
        statistic=statistic,
        value=100 * found.value,
        ideal=Ideal.at(50.0, "%"),
        n=found.n,
        clusters=found.n,
        ci_low=100 * found.low,
        ci_high=100 * found.high,
        p_value=found.p_value,
        effect_size=found.h,
        smallest_detectable=stats.smallest_detectable(100 * wins),
    )


def correlation_row(x: pd.Series, y: pd.Series, *, kind: Kind, level: str, group: str, statistic: str) -> Row:
    """How two values of each word go together, words where either is unknown left out; tested against 0."""
    known = (x.notna().to_numpy()) & (y.notna().to_numpy())
    if not known.any():
        return Row(
            level, group, statistic, np.nan, Ideal.at(0.0), n=0, clusters=0, note="no word has both values"
        )
    fit = stats.correlation(x.to_numpy()[known], y.to_numpy()[known], kind)
    return Row(
        level=level,
        group=group,
        statistic=statistic,
        value=fit.r,
        ideal=Ideal.at(0.0),
        n=fit.n,
        clusters=fit.n,
        ci_low=fit.low,
        ci_high=fit.high,
        p_value=fit.p_value,
        effect_size=fit.r,
        smallest_detectable=stats.smallest_detectable_correlation(fit.n),
        note=fit.reason or "",
    )

"""Conditions that were all measured on the same items: every pair of them, and the largest gap between any two.

    gap = max over conditions of mean - min over conditions of mean      each the mean over clusters of items

A maximum is above 0 by chance alone, whatever the conditions do, and the more so the more conditions there are. Hence

- the test permutes the conditions within each cluster (all items of a cluster in the same way): how often would
  conditions that are interchangeable give a gap as large as this one? `by_chance` is the 95th percentile of those gaps;
- the interval is gap -/+ c, where c is the 95th percentile, over bootstrap draws of clusters, of the largest deviation
  of any pair's difference from the observed one, widened for few clusters as t is beside the normal distribution. No
  pair is then further than c from its true difference in 95 % of samples, and neither is the gap, whichever pair has
  it. It ends at 0, and contains 0 about where the test does not reject; the interval of the plain bootstrap of a
  maximum would do neither.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats as scipy_stats

from counterpoise.core.errors import InputError
from counterpoise.stats.clusters import ClusterT, cluster_t
from counterpoise.stats.corrections import adjust
from counterpoise.stats.effects import cohens_d
from counterpoise.stats.inputs import (
    FloatArray,
    Labels,
    finite_values,
    label_codes,
    one_of,
    positive,
)
from counterpoise.stats.resampling import interval
from counterpoise.stats.signed_rank import wilcoxon

PairTest: TypeAlias = Literal["t", "wilcoxon"]
PAIR_TESTS = ("t", "wilcoxon")

_CELLS = 1 << 22  # numbers held at once: 32 MiB
_TIE = 1e-12
_EVERYWHERE_ALIKE = "all conditions are equal on every item"
_SAME_DIFFERENCES = "the differences are the same on every item"


@dataclass(frozen=True)
class PairDifference:
    """Condition `first` minus condition `second`, by their columns: the mean over clusters with interval and test.

    `p_adjusted` is Holm's over all pairs; `effect_size` is that of the test (Cohen's d of the clusters' differences, or
    Rosenthal's r).
    """

    first: int
    second: int
    fit: ClusterT
    p_value: float
    p_adjusted: float
    effect_size: float


@dataclass(frozen=True)
class LargestGap:
    """The gap between the conditions with the highest and the lowest mean, by their columns.

    `by_chance` is the gap that interchangeable conditions would exceed in a share of 1 - level of the samples, one of
    twenty by default. `reason` says why there is no interval.
    """

    value: float
    low: float
    high: float
    p_value: float
    by_chance: float
    highest: int
    lowest: int
    n: int
    n_clusters: int
    reason: str | None = None


def pairwise_differences(
    values: ArrayLike | pd.DataFrame, clusters: Labels | None = None, test: PairTest = "t"
) -> list[PairDifference]:
    """All pairs of conditions, from a table with a row per item and a column per condition.

    The mean weighs clusters alike. The test is t over the clusters, or Wilcoxon's over single items.

    >>> pairs = pairwise_differences([[3.0, 1.0, 1.0], [4.0, 2.5, 2.0], [6.0, 4.0, 5.0], [5.0, 2.0, 3.0]])
    >>> [(pair.first, pair.second, pair.fit.value) for pair in pairs]
    [(0, 1, 2.125), (0, 2, 1.75), (1, 2, -0.375)]
    >>> [round(pair.p_adjusted, 3) for pair in pairs]
    [0.018, 0.018, 0.391]
    """
    one_of("test", test, PAIR_TESTS)
    table, means = _conditions(values, clusters)
    pairs = list(itertools.combinations(range(table.shape[1]), 2))
    fits = [cluster_t(means[:, first] - means[:, second]) for first, second in pairs]
    if test == "t":
        p_values = [fit.p_value for fit in fits]
        effects = [float(cohens_d(means[:, first] - means[:, second])) for first, second in pairs]
    else:
        tests = [wilcoxon(table[:, first] - table[:, second]) for first, second in pairs]
        p_values, effects = [one.p_value for one in tests], [one.r for one in tests]
    return [
        PairDifference(first, second, fit, p_value, float(adjusted), effect)
        for (first, second), fit, p_value, adjusted, effect in zip(
            pairs, fits, p_values, adjust(p_values), effects, strict=True
        )
    ]


def largest_gap(
    values: ArrayLike | pd.DataFrame,
    clusters: Labels | None = None,
    n: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> LargestGap:
    """The largest difference between any two conditions, from a table with a row per item and a column per condition.

    `n` is both the number of permutations and that of bootstrap draws; `level` lies above one half.

    >>> rng = np.random.default_rng(0)
    >>> alike = rng.normal(size=(200, 1)) + 0.5 * rng.normal(size=(200, 4))
    >>> gap = largest_gap(alike, n=2000)
    >>> bool(gap.value > 0), gap.low, gap.p_value > 0.05      # above 0 by chance
    (True, 0.0, True)
    >>> largest_gap(alike + [0, 0, 0, 1], n=2000).highest
    3
    """
    table, means = _conditions(values, clusters)
    if not 0.5 < level < 1:
        raise InputError(f"the level of a largest gap must lie between 0.5 and 1, found {level}")
    of_conditions = means.mean(axis=0)
    highest, lowest = int(of_conditions.argmax()), int(of_conditions.argmin())
    value = float(of_conditions[highest] - of_conditions[lowest])

    def result(
        half: float = math.nan,
        p_value: float = math.nan,
        by_chance: float = math.nan,
        reason: str | None = None,
    ) -> LargestGap:
        low = max(value - half, 0.0) if math.isfinite(half) else math.nan
        return LargestGap(
            value, low, value + half, p_value, by_chance, highest, lowest, len(table), len(means), reason
        )

    # Only differences within a cluster count; without the clusters' own level little is lost to rounding.
    means = means - means.mean(axis=1, keepdims=True)
    scale = float(np.abs(means).max())
    if scale <= _TIE * float(np.abs(table).max()):
        return result(reason=_EVERYWHERE_ALIKE)
    if len(means) == 1:
        return result(reason="one item only" if clusters is None else "one cluster only")
    by_chance = _gaps_by_chance(means, positive(n, "n"), np.random.default_rng(seed))
    p_value = (int((by_chance >= value - _TIE * scale).sum()) + 1) / (n + 1)
    limit = float(np.quantile(by_chance, level))
    if float(np.ptp(means, axis=0).max()) <= _TIE * scale:
        return result(p_value=p_value, by_chance=limit, reason=_SAME_DIFFERENCES)
    half = _largest_deviation(means, n, seed, level)
    return result(half, p_value, limit)


def _conditions(values: ArrayLike | pd.DataFrame, clusters: Labels | None) -> tuple[FloatArray, FloatArray]:
    """The table, and the mean of each cluster under each condition."""
    table = finite_values(values, ndim=2)
    if table.shape[1] < 2:
        raise InputError(f"two conditions or more are compared, found {table.shape[1]}")
    codes = label_codes(clusters, len(table))
    sizes = np.bincount(codes)
    sums = np.stack([np.bincount(codes, weights=column) for column in table.T], axis=1)
    return table, sums / sizes[:, None]


def _gaps_by_chance(means: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """The gap of `n` tables in which the conditions of each cluster were exchanged."""
    rows = max(1, _CELLS // means.size)
    gaps = []
    for start in range(0, n, rows):
        draws = min(rows, n - start)
        permuted = rng.permuted(np.tile(means, (draws, 1)), axis=1)
        gaps.append(np.ptp(permuted.reshape(draws, *means.shape).mean(axis=1), axis=1))
    return np.concatenate(gaps)


def _largest_deviation(means: FloatArray, n: int, seed: int, level: float) -> float:
    """How far, in `level` of the bootstrap draws at most, any pair's difference is from the observed one."""
    clusters, observed = len(means), means.mean(axis=0)

    def evaluate(counts: FloatArray) -> FloatArray:
        deviations: FloatArray = np.ptp(counts @ means / clusters - observed, axis=1)
        return deviations

    one_stratum = np.zeros(clusters, dtype=np.int64)
    upper_end = 2 * level - 1  # the upper end of this interval is the quantile `level`
    fit = interval(evaluate, one_stratum, clusters, n, method="percentile", level=upper_end, seed=seed)
    # With few clusters draws vary by less than samples do, and their spread is itself uncertain: as t is to the normal.
    too_small = math.sqrt(clusters / (clusters - 1))
    uncertain = float(
        scipy_stats.t.ppf((1 + level) / 2, clusters - 1) / scipy_stats.norm.ppf((1 + level) / 2)
    )
    return fit.high * too_small * uncertain

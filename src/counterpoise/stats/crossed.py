"""The mean of a table of runs and items, where both were drawn: other seeds and other professions might have been.

    value[s, i] = mean + run s + item i + rest          two crossed random effects, one value per cell

With the mean squares of the two-way analysis of variance the variance of the mean is

    (MS_runs + MS_items - MS_rest) / (S I)

and its degrees of freedom are Satterthwaite's (1946), as in Clark's (1973) quasi-F over subjects and words. With one
run nothing tells how runs differ, and what is left is the ordinary t over items.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.stats.clusters import ClusterT, cluster_t
from counterpoise.stats.inputs import FloatArray, Labels, finite_values, fraction, label_codes

# From the numbers of the items that are kept to one value for each run.
RunStatistic = Callable[[np.ndarray], FloatArray]


def crossed_t(values: ArrayLike, level: float = 0.95) -> ClusterT:
    """The mean of a table with a row per run and a column per item; `n_clusters` counts the fewer of the two.

    >>> fit = crossed_t([[1.0, 2.0, 3.0, 5.0], [1.5, 2.0, 3.5, 5.0], [0.5, 2.0, 3.0, 4.5]])
    >>> round(fit.value, 3), fit.n_clusters, round(fit.low, 2), round(fit.high, 2)
    (2.75, 3, 0.16, 5.34)
    """
    table = finite_values(values, ndim=2)
    fraction(level, "level")
    runs, items = table.shape
    if runs == 1 or items == 1:
        return cluster_t(table.ravel(), level=level)
    n, mean = table.size, float(table.mean())
    by_run, by_item = table.mean(axis=1), table.mean(axis=0)
    rest = table - by_run[:, None] - by_item + mean
    freedoms = np.array([runs - 1, items - 1, (runs - 1) * (items - 1)])
    squares = np.array(
        [
            items * np.square(by_run - mean).sum(),
            runs * np.square(by_item - mean).sum(),
            np.square(rest).sum(),
        ]
    )
    of_runs, of_items, of_rest = mean_squares = squares / freedoms
    # Estimated variances can come out below 0; neither source may take away from the other.
    spread = max(of_runs + of_items - of_rest, of_runs, of_items)
    if spread <= 1e-24 * float(np.square(table).max()):
        nan = math.nan
        return ClusterT(
            mean, nan, nan, 0.0, nan, nan, nan, n, min(runs, items), level, "all values are equal"
        )
    # Never fewer than the fewer of the two have: subtracting the rest can send Satterthwaite's towards 0.
    df = max(float(spread**2 / (np.square(mean_squares) / freedoms).sum()), min(runs, items) - 1.0)
    standard_error = math.sqrt(spread / n)
    t = mean / standard_error
    half = float(stats.t.ppf((1 + level) / 2, df)) * standard_error
    p_value = float(2 * stats.t.sf(abs(t), df))
    return ClusterT(
        mean, mean - half, mean + half, standard_error, t, df, p_value, n, min(runs, items), level
    )


@dataclass(frozen=True)
class CrossedEstimate:
    """The mean of a statistic over runs, its interval and t-test against 0, and the statistic of each run."""

    value: float
    low: float
    high: float
    standard_error: float
    df: float
    p_value: float
    by_run: tuple[float, ...]
    n: int
    n_clusters: int
    reason: str | None = None


def crossed_estimate(clusters: Labels, statistic: RunStatistic) -> CrossedEstimate:
    """The mean over runs of any statistic of items, where runs and clusters of items were both drawn.

        pseudo[s, c] = C theta[s] - (C - 1) theta[s, without c]      run s, cluster c of C (Tukey's jackknife)

    theta[s] is the statistic of run s: a mean, a slope, a correlation. Interval and test are those of `crossed_t` on
    the pseudo-values. With one run nothing is known about other runs, and the interval is that over clusters.

    clusters: of each item; items of one cluster are left out together.

    >>> values = np.array([[1.0, 2.0, 3.0, 5.0], [1.5, 2.0, 3.5, 5.0], [0.5, 2.0, 3.0, 4.5]])  # three runs
    >>> fit = crossed_estimate(list("abcd"), lambda kept: values[:, kept].mean(1))
    >>> fit.value, fit.by_run, fit.n_clusters, round(fit.low, 2), round(fit.high, 2)
    (2.75, (2.75, 3.0, 2.5), 4, 0.16, 5.34)
    """
    codes = label_codes(clusters, len(clusters), "clusters")
    everything, count = np.arange(len(codes)), int(codes.max()) + 1
    by_run = np.asarray(statistic(everything), dtype=float)

    def estimate(fit: ClusterT | None, reason: str | None) -> CrossedEstimate:
        numbers = (math.nan,) * 5
        if fit is not None:
            numbers = (fit.low, fit.high, fit.standard_error, fit.df, fit.p_value)
        return CrossedEstimate(
            float(by_run.mean()), *numbers, tuple(by_run.tolist()), len(codes), count, reason
        )

    if count == 1:
        return estimate(None, "one cluster only")
    without = np.stack([statistic(everything[codes != cluster]) for cluster in range(count)], axis=1)
    if not (np.isfinite(by_run).all() and np.isfinite(without).all()):
        return estimate(None, "no value: too few items, or all values are equal")
    pseudo = count * by_run[:, None] - (count - 1) * without
    pseudo += (by_run - pseudo.mean(1))[:, None]  # the jackknife is used for the variance, not against bias
    fit = crossed_t(pseudo)
    return estimate(fit, fit.reason)

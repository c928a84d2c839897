"""The mean of a table of runs and items, where both were drawn: other seeds and other professions might have been.

    value[s, i] = mean + run s + item i + rest          two crossed random effects, one value per cell

With the mean squares of the two-way analysis of variance the variance of the mean is

    (MS_runs + MS_items - MS_rest) / (S I)

and its degrees of freedom are Satterthwaite's (1946), as in Clark's (1973) quasi-F over subjects and words. With one
run nothing tells how runs differ, and what is left is the ordinary t over items.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.stats.clusters import ClusterT, cluster_t
from counterpoise.stats.inputs import finite_values, fraction


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
    df = float(spread**2 / (np.square(mean_squares) / freedoms).sum())
    standard_error = math.sqrt(spread / n)
    t = mean / standard_error
    half = float(stats.t.ppf((1 + level) / 2, df)) * standard_error
    p_value = float(2 * stats.t.sf(abs(t), df))
    return ClusterT(
        mean, mean - half, mean + half, standard_error, t, df, p_value, n, min(runs, items), level
    )

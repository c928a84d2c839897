"""The mean of clustered values and how sure one may be of it.

Sentences about one profession are not independent: what one generalises over is professions. The standard
error therefore comes from the cluster sums of the residuals, with the correction C / (C - 1) for C clusters
(CR1, what statsmodels gives for `cov_type="cluster"`), and the interval from t with C - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.stats.inputs import Labels, finite_values, fraction, label_codes


@dataclass(frozen=True)
class ClusterT:
    """A mean, its cluster-t interval and the t-test against 0; `reason` says why there is none."""

    value: float
    low: float
    high: float
    standard_error: float
    t: float
    p_value: float
    n: int
    n_clusters: int
    level: float
    reason: str | None = None


def cluster_t(values: ArrayLike, clusters: Labels | None = None, level: float = 0.95) -> ClusterT:
    """The mean of all rows with a t interval by cluster; without clusters, the ordinary one-sample t.

    >>> fit = cluster_t([1, 2, 3, 4, 6, 8], clusters=["a", "a", "b", "b", "c", "c"])
    >>> fit.value, fit.n_clusters, round(fit.standard_error, 4), round(fit.low, 2), round(fit.high, 2)
    (4.0, 3, 1.6073, -2.92, 10.92)
    """
    values = finite_values(values)
    codes = label_codes(clusters, len(values))
    fraction(level, "level")
    n, n_clusters = len(values), int(codes.max()) + 1
    mean = float(values.mean())

    def without(reason: str, standard_error: float = math.nan) -> ClusterT:
        nan = math.nan
        return ClusterT(mean, nan, nan, standard_error, nan, nan, n, n_clusters, level, reason)

    if n_clusters == 1:
        return without("one value only" if n == 1 else "one cluster only")
    if np.ptp(values) == 0:
        return without("all values are equal", standard_error=0.0)
    residual_sums = np.bincount(codes, weights=values - mean)
    standard_error = math.sqrt(n_clusters / (n_clusters - 1) * float(np.square(residual_sums).sum())) / n
    # Clusters of one mean each leave rounding alone as their spread.
    if standard_error <= 1e-12 * float(np.abs(values).max()):
        return without("all clusters have the same mean", standard_error=0.0)
    df = n_clusters - 1
    t = mean / standard_error
    half = float(stats.t.ppf((1 + level) / 2, df)) * standard_error
    p_value = float(2 * stats.t.sf(abs(t), df))
    return ClusterT(mean, mean - half, mean + half, standard_error, t, p_value, n, n_clusters, level)

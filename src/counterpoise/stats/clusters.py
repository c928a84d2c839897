"""The mean of clustered values, with its interval and test.

Sentences about one profession are not independent: one generalises to other professions. So the standard
error comes from the sums of residuals by cluster, each scaled up for its part in the mean itself (CR2), and
the interval from t with Bell & McCaffrey's (2002) degrees of freedom. With C clusters of one size that is
exactly the t-test of the C cluster means, with C - 1 degrees; where sizes differ, the degrees are fewer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.stats.inputs import FloatArray, Labels, finite_values, fraction, label_codes


@dataclass(frozen=True)
class ClusterT:
    """A mean, its cluster-t interval and the t-test against 0; `reason` says why there is none."""

    value: float
    low: float
    high: float
    standard_error: float
    t: float
    df: float
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
    sizes: FloatArray = np.bincount(codes).astype(np.float64)
    n, n_clusters, mean = len(values), len(sizes), float(values.mean())

    def without(reason: str, standard_error: float = math.nan) -> ClusterT:
        nan = math.nan
        return ClusterT(mean, nan, nan, standard_error, nan, nan, nan, n, n_clusters, level, reason)

    if n_clusters == 1:
        return without("one value only" if n == 1 else "one cluster only")
    if np.ptp(values) == 0:
        return without("all values are equal", standard_error=0.0)
    residual_sums = np.bincount(codes, weights=values - mean)
    standard_error = math.sqrt(float((np.square(residual_sums) / (1 - sizes / n)).sum())) / n
    if standard_error <= 1e-12 * float(np.abs(values).max()):  # rounding alone
        return without("all clusters have the same mean", standard_error=0.0)
    df = _degrees_of_freedom(sizes)
    t = mean / standard_error
    half = float(stats.t.ppf((1 + level) / 2, df)) * standard_error
    p_value = float(2 * stats.t.sf(abs(t), df))
    return ClusterT(mean, mean - half, mean + half, standard_error, t, df, p_value, n, n_clusters, level)


def _degrees_of_freedom(sizes: FloatArray) -> float:
    """(tr M)^2 / tr M^2, where M is the covariance of the scaled residual sums of independent rows.

    M = diag(a) - b b' with a = n_g / (1 - n_g / n) and b^2 = a n_g / n, so neither trace needs M itself.
    """
    a = sizes / (1 - sizes / sizes.sum())
    b2 = a * sizes / sizes.sum()
    trace = a.sum() - b2.sum()
    trace_of_square = np.square(a).sum() - 2 * (a * b2).sum() + b2.sum() ** 2
    return float(trace**2 / trace_of_square)

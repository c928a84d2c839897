"""The mean over strata of a design that balances them.

Where a dataset has, by design, as much of one kind as of another (occupations that are thought male and female), what
sets the two kinds apart is no uncertainty about their common mean. The mean is that of the strata's means, and its
standard error comes from the spread within them:

    SE^2 = sum of s_h^2 / C_h over the strata h, by the square of their number

with Satterthwaite's degrees of freedom. One stratum is the one-sample t-test, two are half of Welch's difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.stats.inputs import Labels, finite_values, fraction, label_codes


@dataclass(frozen=True)
class StratifiedT:
    """A mean of strata, its t interval, the test against 0, and d in units of the spread within strata.

    `reason` says why there is no interval.
    """

    value: float
    low: float
    high: float
    standard_error: float
    df: float
    p_value: float
    d: float
    n: int
    reason: str | None = None


def stratified_t(values: ArrayLike, strata: Labels, level: float = 0.95) -> StratifiedT:
    """The mean of the strata's means, one value per cluster.

    >>> fit = stratified_t([1.0, 2.0, 3.0, -4.0, -5.0, -6.0], ["male"] * 3 + ["female"] * 3)
    >>> fit.value, round(fit.standard_error, 3), round(fit.df, 2)
    (-1.5, 0.408, 4.0)
    """
    values = finite_values(values)
    codes = label_codes(strata, len(values), "strata")
    fraction(level, "level")
    groups = [values[codes == code] for code in range(codes.max() + 1)]
    mean, n = float(np.mean([group.mean() for group in groups])), len(values)

    def without(reason: str) -> StratifiedT:
        return StratifiedT(mean, math.nan, math.nan, math.nan, math.nan, math.nan, math.nan, n, reason)

    if n == 1:
        return without("one value only")
    if min(len(group) for group in groups) == 1:
        return without("one value only in a stratum")
    variances = np.array([group.var(ddof=1) for group in groups])
    if not variances.any():
        return without("all values are equal")
    parts = np.array([variance / len(group) for variance, group in zip(variances, groups, strict=True)])
    standard_error = math.sqrt(parts.sum()) / len(groups)
    within = np.array([len(group) - 1 for group in groups])
    df = float(parts.sum() ** 2 / (np.square(parts) / within).sum())
    half = float(stats.t.ppf((1 + level) / 2, df)) * standard_error
    p_value = float(2 * stats.t.sf(abs(mean) / standard_error, df))
    d = mean / math.sqrt(variances.mean())
    return StratifiedT(mean, mean - half, mean + half, standard_error, df, p_value, d, n)

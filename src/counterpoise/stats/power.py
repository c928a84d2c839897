"""What the items at hand could have found: shown beside every "no significant bias".

The test meant is the two-sided cluster-t of a mean against 0. Its power at a true bias of `delta` is

    P(|T| > t_crit),  T noncentral t with noncentrality delta / SE

and the degrees of freedom of the cluster-t: C - 1 for C clusters of one size.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy import stats
from scipy.optimize import brentq

from counterpoise.core.errors import InputError
from counterpoise.stats.clusters import cluster_t
from counterpoise.stats.inputs import Labels, fraction
from counterpoise.stats.noncentral import noncentral_t_cdf


def smallest_detectable(
    values: ArrayLike, clusters: Labels | None = None, power: float = 0.8, alpha: float = 0.05
) -> float:
    """The smallest bias (mean away from 0) that such items would show as significant with that power.

    NaN where the spread cannot be known: one cluster, or all values equal.

    >>> round(smallest_detectable([0.3, -0.1, 0.4, 0.2, -0.3, 0.1]), 3)
    0.374
    """
    if fraction(power, "power") <= fraction(alpha, "alpha"):
        raise InputError(f"power must be above alpha, found {power} and {alpha}")
    fit = cluster_t(values, clusters)
    if fit.reason is not None:
        return math.nan
    return _noncentrality(fit.df, power, alpha) * fit.standard_error


def smallest_difference(n_x: int, n_y: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest difference between two groups (Cohen's d) that a t test would show with that power.

    NaN with fewer than three values.

    >>> round(smallest_difference(64, 64), 2)          # Cohen 1988, table 2.4.1: d = .5 needs 64 in each group
    0.5
    """
    if fraction(power, "power") <= fraction(alpha, "alpha"):
        raise InputError(f"power must be above alpha, found {power} and {alpha}")
    if min(n_x, n_y) < 1 or n_x + n_y < 3:
        return math.nan
    return _noncentrality(n_x + n_y - 2, power, alpha) * math.sqrt(1 / n_x + 1 / n_y)


def smallest_detectable_weat(m: int, n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest WEAT d that m words beside n others would show as significant with that power.

    That of Cohen's d in the two-sample t-test, bent as in `effect_size_weat_interval`; a permutation test of the same
    words needs about as much. NaN where there are too few words for a spread.

    >>> round(smallest_detectable_weat(8, 8), 3)
    1.203
    """
    d = smallest_difference(m, n, power, alpha)
    shares = m * n / (m + n) ** 2 if m + n else 0.0
    return d / math.sqrt(1 + shares * d**2)


def smallest_detectable_t(standard_error: float, df: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """The same for any t-test whose standard error and degrees of freedom are known; NaN if they are not.

    >>> round(smallest_detectable_t(0.1, 19), 3)
    0.295
    """
    if fraction(power, "power") <= fraction(alpha, "alpha"):
        raise InputError(f"power must be above alpha, found {power} and {alpha}")
    if math.isnan(standard_error) or math.isnan(df):
        return math.nan
    return _noncentrality(df, power, alpha) * standard_error


def power_to_detect(
    bias: float, values: ArrayLike, clusters: Labels | None = None, alpha: float = 0.05
) -> float:
    """The chance that such items would show a true mean of `bias` as significant; NaN as above.

    >>> round(power_to_detect(0.4, [0.3, -0.1, 0.4, 0.2, -0.3, 0.1]), 2)
    0.85
    """
    fraction(alpha, "alpha")
    fit = cluster_t(values, clusters)
    if fit.reason is not None:
        return math.nan
    return _power(abs(bias) / fit.standard_error, fit.df, alpha)


def smallest_detectable_correlation(n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest correlation that `n` pairs would show as significant with that power (Fisher's transformation).

    NaN with fewer than four pairs.

    >>> round(smallest_detectable_correlation(29), 2)
    0.5
    """
    if fraction(power, "power") <= fraction(alpha, "alpha"):
        raise InputError(f"power must be above alpha, found {power} and {alpha}")
    if n < 4:
        return math.nan
    return math.tanh((stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)) / math.sqrt(n - 3))


def _noncentrality(df: float, power: float, alpha: float) -> float:
    """How many standard errors a true difference must have for that power."""
    enough = 1.0
    while _power(enough, df, alpha) < power:
        enough *= 2
    return float(brentq(lambda nc: _power(nc, df, alpha) - power, 0, enough))


def _power(noncentrality: float, df: float, alpha: float) -> float:
    """P(|T| > t_crit) under the noncentral t."""
    critical = float(stats.t.ppf(1 - alpha / 2, df))
    below = noncentral_t_cdf(critical, df, noncentrality)
    return 1 - below + noncentral_t_cdf(-critical, df, noncentrality)

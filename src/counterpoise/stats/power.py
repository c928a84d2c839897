"""Power and the minimum detectable effect, which is shown beside every "no significant bias".

The test is the two-sided cluster-t of a mean against 0. Its power at a true bias of `delta` is

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

_AS_GOOD_AS_NORMAL = 100_000  # values, from which on t and normal give the same number


def smallest_detectable(
    values: ArrayLike, clusters: Labels | None = None, power: float = 0.8, alpha: float = 0.05
) -> float:
    """The minimum detectable effect: the smallest mean that such items would show as significant with that power.

    NaN where the spread is unknown: one cluster, or all values equal.

    >>> round(smallest_detectable([0.3, -0.1, 0.4, 0.2, -0.3, 0.1]), 3)
    0.374
    """
    _check_power(power, alpha)
    fit = cluster_t(values, clusters)
    if fit.reason is not None:
        return math.nan
    return _noncentrality(fit.df, power, alpha) * fit.standard_error


def smallest_difference(n_x: int, n_y: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The minimum detectable difference between two groups (Cohen's d), by a t-test with that power.

    NaN with fewer than three values.

    >>> round(smallest_difference(64, 64), 2)          # Cohen 1988, table 2.4.1: d = .5 needs 64 in each group
    0.5
    """
    _check_power(power, alpha)
    if min(n_x, n_y) < 1 or n_x + n_y < 3:
        return math.nan
    return _noncentrality(n_x + n_y - 2, power, alpha) * math.sqrt(1 / n_x + 1 / n_y)


def smallest_detectable_weat(m: int, n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The minimum detectable WEAT d of m words against n others.

    That of Cohen's d in the two-sample t-test, transformed as in `effect_size_weat_interval`; a permutation test of the
    same words needs about as much. NaN with too few words to have a spread.

    >>> round(smallest_detectable_weat(8, 8), 3)
    1.203
    """
    d = smallest_difference(m, n, power, alpha)
    shares = m * n / (m + n) ** 2 if m + n else 0.0
    return d / math.sqrt(1 + shares * d**2)


def smallest_detectable_t(standard_error: float, df: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """The minimum detectable effect of any t-test with this standard error and degrees of freedom; NaN if unknown.

    >>> round(smallest_detectable_t(0.1, 19), 3)
    0.295
    """
    _check_power(power, alpha)
    if math.isnan(standard_error) or math.isnan(df):
        return math.nan
    return _noncentrality(df, power, alpha) * standard_error


def power_to_detect(
    bias: float, values: ArrayLike, clusters: Labels | None = None, alpha: float = 0.05
) -> float:
    """The power of such items to show a true mean of `bias` as significant; NaN where the spread is unknown.

    >>> round(power_to_detect(0.4, [0.3, -0.1, 0.4, 0.2, -0.3, 0.1]), 2)
    0.85
    """
    fraction(alpha, "alpha")
    fit = cluster_t(values, clusters)
    if fit.reason is not None:
        return math.nan
    return _power(abs(bias) / fit.standard_error, fit.df, alpha)


def items_needed(
    difference: float, standard_deviation: float, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """The fewest independent values with which a t-test shows a mean that far from its limit, with that power.

    None where no number would do: the mean is at the limit, or the spread is unknown.

    >>> items_needed(0.5, 1.0), items_needed(0.2, 1.0), items_needed(0.0, 1.0)
    (34, 199, None)
    """
    _check_power(power, alpha)
    effect = abs(difference) / standard_deviation if standard_deviation > 0 else math.nan
    if not effect > 0:
        return None
    quantiles = float(stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power))
    by_normal = (quantiles / effect) ** 2  # a t-test never needs fewer
    if not by_normal < _AS_GOOD_AS_NORMAL:
        return math.ceil(by_normal) if math.isfinite(by_normal) else None
    n = max(2, math.floor(by_normal))
    while _power(effect * math.sqrt(n), n - 1, alpha) < power:
        n += 1
    return n


def smallest_detectable_correlation(n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """The minimum detectable correlation of `n` pairs (Fisher's transformation).

    NaN with fewer than four pairs.

    >>> round(smallest_detectable_correlation(29), 2)
    0.5
    """
    _check_power(power, alpha)
    if n < 4:
        return math.nan
    return math.tanh((stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)) / math.sqrt(n - 3))


def _check_power(power: float, alpha: float) -> None:
    if fraction(power, "power") <= fraction(alpha, "alpha"):
        raise InputError(f"power must be above alpha, found {power} and {alpha}")


def _noncentrality(df: float, power: float, alpha: float) -> float:
    """How many standard errors a true difference must be for that power."""
    enough = 1.0
    while _power(enough, df, alpha) < power:
        enough *= 2
    return float(brentq(lambda nc: _power(nc, df, alpha) - power, 0, enough))


def _power(noncentrality: float, df: float, alpha: float) -> float:
    """P(|T| > t_crit) under the noncentral t."""
    critical = float(stats.t.ppf(1 - alpha / 2, df))
    below = noncentral_t_cdf(critical, df, noncentrality)
    return 1 - below + noncentral_t_cdf(-critical, df, noncentrality)

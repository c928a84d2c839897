"""Effect sizes of differences between two samples, each with its interval.

    WEAT's d     (mean x - mean y) / sd(x and y together)                        Caliskan 2017, equation 3
    Cohen's d    (mean x - mean y) / pooled sd within x and y
    Hedges' g    Cohen's d times J(df), unbiased in small samples
    Cliff's d    P(x > y) - P(x < y)

The intervals of the first three come from the noncentral t distribution, exact for normal values of equal
variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import FloatArray, finite_values, fraction
from counterpoise.stats.noncentral import noncentral_t_interval


@dataclass(frozen=True)
class EffectSize:
    """An effect size with its interval; `reason` says why value or interval is NaN."""

    name: str
    value: float
    low: float
    high: float
    level: float
    n: int
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def effect_size_weat(x: ArrayLike, y: ArrayLike, ddof: int = 1) -> float:
    """WEAT's d: the difference of means over the standard deviation of all values together.

    ddof=1 as in Caliskan, sent-bias and Kurita; WEFE divides by n (ddof=0). NaN where all values are equal,
    since the effect is then not defined; `effect_size_weat_interval` says so in words.

    >>> round(effect_size_weat([1, 2, 3], [2, 3, 4]), 4)
    -0.9535
    """
    x, y = _two_samples(x, y)
    if ddof not in (0, 1):
        raise InputError(f"ddof must be 0 or 1, found {ddof}")
    pool = np.concatenate([x, y])
    if np.ptp(pool) == 0:
        return math.nan
    spread = float(pool.std(ddof=ddof))
    return float(x.mean() - y.mean()) / spread if spread > 0 else math.nan


def effect_size_weat_interval(x: ArrayLike, y: ArrayLike, ddof: int = 1, level: float = 0.95) -> EffectSize:
    """WEAT's d with an interval for its value in the population that the words stand for.

    The standard deviation of all values together holds the difference of means itself, so WEAT's d is Cohen's
    d, transformed: with shares a and b of x and y, d / sqrt(1 + a b d^2), at most 2 for equal groups. The ends
    of Cohen's interval are transformed alike.

    >>> fit = effect_size_weat_interval([1, 2, 3], [2, 3, 4])
    >>> round(fit.value, 4), round(fit.low, 2), round(fit.high, 2)
    (-0.9535, -1.6, 0.73)
    """
    x, y = _two_samples(x, y)
    d = cohens_d(x, y, level)
    shares = len(x) * len(y) / (len(x) + len(y)) ** 2

    def as_weat(delta: float) -> float:
        return delta / math.sqrt(1 + shares * delta**2)

    value = effect_size_weat(x, y, ddof)
    return EffectSize("WEAT d", value, as_weat(d.low), as_weat(d.high), level, d.n, d.reason)


def cohens_d(x: ArrayLike, y: ArrayLike | None = None, level: float = 0.95) -> EffectSize:
    """Cohen's d of two samples (pooled standard deviation), or of one sample against 0.

    >>> round(cohens_d([1, 2, 3], [2, 3, 4]).value, 4), round(cohens_d([1, 2, 3]).value, 4)
    (-1.0, 2.0)
    """
    return _standardised_mean("Cohen's d", x, y, level, lambda df: 1.0)


def hedges_g(x: ArrayLike, y: ArrayLike | None = None, level: float = 0.95) -> EffectSize:
    """Cohen's d without its bias in small samples.

    >>> round(hedges_g([1, 2, 3], [2, 3, 4]).value, 4)
    -0.7979
    """
    return _standardised_mean("Hedges' g", x, y, level, small_sample_correction)


def small_sample_correction(df: float) -> float:
    """Hedges' J, exact: gamma(df/2) / (sqrt(df/2) gamma((df-1)/2)); 0 at one degree of freedom.

    >>> round(small_sample_correction(10), 4)
    0.9227
    """
    return float(math.exp(special.gammaln(df / 2) - special.gammaln((df - 1) / 2)) / math.sqrt(df / 2))


def cliffs_delta(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> EffectSize:
    """Cliff's delta: how much more often a value of x is above one of y than below it.

    The interval is Feng & Cliff's (2004, equation 9), which stays within -1 and 1.

    >>> cliffs_delta([3, 4, 5], [1, 2, 4]).value
    0.6666666666666666
    """
    x, y = _two_samples(x, y)
    fraction(level, "level")
    m, n = len(x), len(y)
    of_x, of_y = _dominance(x, y), -_dominance(y, x)
    delta = float(of_x.mean())
    if min(m, n) < 2:
        reason = "one value on a side: no interval"
        return EffectSize("Cliff's delta", delta, math.nan, math.nan, level, m + n, reason)
    z = float(stats.norm.ppf((1 + level) / 2))
    if abs(delta) == 1:
        # No overlap, so no spread to estimate: Feng & Cliff's bound from the smaller group.
        inner = math.copysign((min(m, n) - z**2) / (min(m, n) + z**2), delta)
        low, high = sorted((inner, delta))
        return EffectSize("Cliff's delta", delta, low, high, level, m + n)
    ties = int((np.searchsorted(np.sort(y), x, "right") - np.searchsorted(np.sort(y), x, "left")).sum())
    between = n**2 * np.square(of_x - delta).sum() + m**2 * np.square(of_y - delta).sum()
    variance = (between - (m * n - ties - m * n * delta**2)) / (m * n * (m - 1) * (n - 1))
    # The unbiased estimate may fall below what a variance can be; Cliff's own floor.
    variance = max(float(variance), (1 - delta**2) / (m * n - 1))
    half = z * math.sqrt(variance) * math.sqrt((1 - delta**2) ** 2 + z**2 * variance)
    scale = 1 - delta**2 + z**2 * variance
    low, high = (delta - delta**3 - half) / scale, (delta - delta**3 + half) / scale
    return EffectSize("Cliff's delta", delta, max(low, -1.0), min(high, 1.0), level, m + n)


def _two_samples(x: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    return finite_values(x, "x"), finite_values(y, "y")


def _dominance(x: FloatArray, y: FloatArray) -> FloatArray:
    """For each x: the share of y below it minus the share above it."""
    ranked = np.sort(y)
    below, not_above = np.searchsorted(ranked, x, "left"), np.searchsorted(ranked, x, "right")
    return (below - (len(y) - not_above)) / len(y)


def _standardised_mean(
    name: str, x: ArrayLike, y: ArrayLike | None, level: float, correction: Callable[[float], float]
) -> EffectSize:
    x = finite_values(x, "x")
    fraction(level, "level")
    if y is None:
        n, df, root = len(x), len(x) - 1, math.sqrt(len(x))
        difference, squares = float(x.mean()), float(np.square(x - x.mean()).sum())
    else:
        y = finite_values(y, "y")
        n, df, root = len(x) + len(y), len(x) + len(y) - 2, math.sqrt(len(x) * len(y) / (len(x) + len(y)))
        difference = float(x.mean() - y.mean())
        squares = float(np.square(x - x.mean()).sum() + np.square(y - y.mean()).sum())
    nan = math.nan
    if df < 1:
        return EffectSize(name, nan, nan, nan, level, n, "too few values to have a spread")
    if squares == 0 or (np.ptp(x) == 0 and (y is None or np.ptp(y) == 0)):
        return EffectSize(name, nan, nan, nan, level, n, "the values within a sample are all equal")
    d = difference / math.sqrt(squares / df)
    j = correction(df)
    if j == 0:
        return EffectSize(name, nan, nan, nan, level, n, "one degree of freedom is too few to correct")
    low, high = noncentral_t_interval(d * root, df, level)
    # The interval is exact for the effect that both d and g estimate; only the estimate needs correcting.
    return EffectSize(name, j * d, low / root, high / root, level, n)

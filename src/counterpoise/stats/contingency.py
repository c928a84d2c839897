"""Effect sizes of association: the odds ratio of a 2 x 2 table, and r from a test's z."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.core.errors import InputError
from counterpoise.stats.effects import EffectSize
from counterpoise.stats.inputs import finite_values, fraction


def odds_ratio(table: ArrayLike, level: float = 0.95) -> EffectSize:
    """The odds ratio ad / bc of counts [[a, b], [c, d]], with Woolf's interval on the log scale.

    Where a cell is 0, one half is added to each (Haldane & Anscombe), so that ratio and interval are finite.

    >>> fit = odds_ratio([[10, 5], [4, 8]])
    >>> round(fit.value, 3), round(fit.low, 2), round(fit.high, 1)
    (4.0, 0.8, 20.0)
    """
    counts = finite_values(table, "table", ndim=2)
    fraction(level, "level")
    if counts.shape != (2, 2):
        raise InputError(
            f"an odds ratio needs a table of 2 x 2 counts, found {counts.shape[0]} x {counts.shape[1]}"
        )
    if (counts < 0).any():
        raise InputError(f"counts cannot be negative, found {counts.min():g}")
    n = round(float(counts.sum()))
    if (counts.sum(axis=0) == 0).any() or (counts.sum(axis=1) == 0).any():
        reason = "a whole row or column of the table is 0"
        return EffectSize("odds ratio", math.nan, math.nan, math.nan, level, n, reason)
    if (counts == 0).any():
        counts = counts + 0.5
    log_ratio = float(
        np.log(counts[0, 0]) + np.log(counts[1, 1]) - np.log(counts[0, 1]) - np.log(counts[1, 0])
    )
    half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(float((1 / counts).sum()))
    return EffectSize(
        "odds ratio", math.exp(log_ratio), math.exp(log_ratio - half), math.exp(log_ratio + half), level, n
    )


def effect_size_r(z: float, n: int, level: float = 0.95) -> EffectSize:
    """Rosenthal's r = z / sqrt(n) of a test's z and its number of observations, with Fisher's interval.

    The interval treats r as a correlation of n pairs of values; it is an approximation, as r itself is.

    >>> fit = effect_size_r(20.06, 1800)
    >>> round(fit.value, 3), round(fit.low, 3), round(fit.high, 3)
    (0.473, 0.436, 0.508)
    """
    fraction(level, "level")
    if not math.isfinite(z):
        raise InputError(f"z must be a finite number, found {z}")
    if n < 1:
        raise InputError(f"n must be at least 1, found {n}")
    r = z / math.sqrt(n)
    if abs(r) > 1:
        raise InputError(
            f"z = {z:g} of {n} observations gives r = {r:.2f}, beyond 1: are these the observations?"
        )
    low, high = fisher_interval(r, n, level)
    reason = None if math.isfinite(low) else "too few observations for an interval"
    return EffectSize("r", r, low, high, level, n, reason)


def fisher_interval(r: float, n: int, level: float, inflation: float = 1.0) -> tuple[float, float]:
    """Fisher's interval of a correlation of n pairs: tanh(artanh r +- z sqrt(inflation / (n - 3))).

    NaN with fewer than four pairs, and for a perfect correlation, whose spread cannot be estimated.
    """
    if n < 4 or abs(r) >= 1:
        return math.nan, math.nan
    half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(inflation / (n - 3))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)

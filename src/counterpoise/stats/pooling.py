"""Random-effects pooling: many effect sizes, each with its variance, as one (DerSimonian & Laird 1986).

    w_i  = 1 / v_i                     Q = sum w_i (e_i - e_fixed)^2
    tau2 = max(0, (Q - (k - 1)) / (sum w - sum w^2 / sum w))
    e    = sum w*_i e_i / sum w*_i     with w*_i = 1 / (v_i + tau2)

CEAT (Guo & Caliskan 2021) pools the WEAT effect sizes of many contexts in this way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import fraction, paired_values


@dataclass(frozen=True)
class PooledEffect:
    """The pooled effect; tau2 is the variance between effects, i2 its share of all variance.

    `z` is the value over its standard error (to be read against t where `small_sample` was asked for).
    """

    value: float
    low: float
    high: float
    standard_error: float
    z: float
    p_value: float
    tau2: float
    q: float
    i2: float
    n: int
    level: float
    reason: str | None = None


def random_effects(
    effects: ArrayLike, variances: ArrayLike, level: float = 0.95, small_sample: bool = False
) -> PooledEffect:
    """Pools effects that may differ between contexts.

    Written out, since statsmodels lets tau2 fall below 0, which no variance can be. The plain test is too
    eager below some hundreds of effects; `small_sample=True` gives Hartung & Knapp's, with t for z and, as
    Roever (2015) advises, a standard error never below the plain one.

    >>> fit = random_effects([0.2, 0.9, 0.5], [0.02, 0.02, 0.02])
    >>> round(fit.value, 4), round(fit.tau2, 4), round(fit.p_value, 4)
    (0.5333, 0.1033, 0.0085)
    """
    effect, variance = paired_values(effects, variances, ("effects", "variances"))
    fraction(level, "level")
    if (variance <= 0).any():
        raise InputError(f"variances must be above 0, found {variance.min():g}")
    k, nan = len(effect), math.nan
    if k == 1:
        reason = "one effect only: how much effects differ cannot be known"
        return PooledEffect(float(effect[0]), nan, nan, nan, nan, nan, nan, 0.0, nan, 1, level, reason)
    w = 1 / variance
    q = float((w * np.square(effect - np.average(effect, weights=w))).sum())
    tau2 = max(0.0, (q - (k - 1)) / float(w.sum() - np.square(w).sum() / w.sum()))
    w = 1 / (variance + tau2)
    value, standard_error = float(np.average(effect, weights=w)), 1 / math.sqrt(float(w.sum()))
    reference = stats.t(k - 1) if small_sample else stats.norm()
    if small_sample:
        standard_error *= math.sqrt(max(1.0, float((w * np.square(effect - value)).sum()) / (k - 1)))
    z = value / standard_error
    half = float(reference.ppf((1 + level) / 2)) * standard_error
    return PooledEffect(
        value=value,
        low=value - half,
        high=value + half,
        standard_error=standard_error,
        z=z,
        p_value=float(2 * reference.sf(abs(z))),
        tau2=tau2,
        q=q,
        i2=max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0,
        n=k,
        level=level,
    )

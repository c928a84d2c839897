"""The noncentral t distribution: T = (Z + nc) / S with Z standard normal and S = sqrt(chi2(df) / df).

Written out by quadrature, since scipy's own gives NaN in the tails and does not return at all for large t
(`scipy.special.nctdtrinc(1, 0.975, 1e6)`), as it happens with effects that are plain to see.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special
from scipy.optimize import brentq

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)
_FAR = 10.0  # standard deviations beyond which nothing is left


def noncentral_t_cdf(t: float, df: float, nc: float) -> float:
    """P(T <= t), which is P(Z + nc <= t S).

    >>> round(noncentral_t_cdf(2.0, 10, 0.0), 6)                      # nc = 0 is Student's t
    0.963306
    """
    if t < 0:
        return 1 - noncentral_t_cdf(-t, df, -nc)
    spread = 1 / math.sqrt(2 * df)  # of S, about
    if t * spread < 1:
        # Z varies more than t S does: for each value of S, the chance that Z is small enough.
        low, high = max(0.0, 1 - _FAR * spread), 1 + _FAR * spread
        s = low + (high - low) * (_NODES + 1) / 2
        constant = math.log(2) + (df / 2) * math.log(df / 2) - math.lgamma(df / 2)
        density = np.exp(constant + special.xlogy(df - 1, s) - df * s**2 / 2)
        return float(_WEIGHTS @ (density * special.ndtr(t * s - nc)) * (high - low) / 2)
    # Else for each value of Z, the chance that S is large enough; it is sure to be where Z + nc < 0.
    low, high = min(max(-_FAR, -nc), _FAR), _FAR
    z = low + (high - low) * (_NODES + 1) / 2
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    large_enough = special.chdtrc(df, df * np.square((z + nc) / t))
    return float(special.ndtr(low) + _WEIGHTS @ (density * large_enough) * (high - low) / 2)


def noncentral_t_interval(t: float, df: float, level: float) -> tuple[float, float]:
    """The noncentralities under which t lies at the upper and at the lower end of what is likely.

    >>> low, high = noncentral_t_interval(2.5, 14, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.2996, 4.6277)
    """
    reach = _FAR * (1 + abs(t) / math.sqrt(2 * df))

    def solve(probability: float) -> float:
        return float(brentq(lambda nc: noncentral_t_cdf(t, df, nc) - probability, t - reach, t + reach))

    return solve((1 + level) / 2), solve((1 - level) / 2)

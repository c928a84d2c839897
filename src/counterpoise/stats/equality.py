"""Clusters that all have the same value: there is no spread to compute an interval from, and yet something is known.

Had more than a share q of clusters another value, one of n would have shown it with a probability of 95 %:

    (1 - q)^n = .05,  so  q = 1 - .05^(1/n)

which is the rule of three, q = 3 / n, for many clusters. What lies between the bounds of a cluster's value limits how
far that share can move the mean. The test is exact: under no difference every cluster's sign is as likely to be the
other one, so that all of them agree with probability 2 / 2^n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import finite_values, fraction


@dataclass(frozen=True)
class EqualValues:
    """The one value, an interval for the mean, and the sign test against 0."""

    value: float
    low: float
    high: float
    p_value: float
    n: int


def equal_values(values: ArrayLike, lowest: float, highest: float, level: float = 0.95) -> EqualValues:
    """The interval for the mean of clusters that all have one value, which could lie between two bounds.

    >>> fit = equal_values([0.0] * 40, -1.0, 1.0)
    >>> round(fit.low, 3), round(fit.high, 3), fit.p_value
    (-0.072, 0.072, 1.0)
    >>> fit = equal_values([1.0] * 40, -1.0, 1.0)
    >>> round(fit.low, 3), fit.high, fit.p_value < 1e-11
    (0.856, 1.0, True)
    """
    values = finite_values(values)
    fraction(level, "level")
    value, n = float(values[0]), len(values)
    if np.ptp(values) > 0:
        raise InputError("the values are not all equal")
    if not lowest <= value <= highest:
        raise InputError(f"the value {value:g} does not lie between {lowest:g} and {highest:g}")
    unseen = 1 - (1 - level) ** (1 / n)
    p_value = 1.0 if value == 0 else min(1.0, 2.0 ** (1 - n))
    return EqualValues(
        value, value - unseen * (value - lowest), value + unseen * (highest - value), p_value, n
    )

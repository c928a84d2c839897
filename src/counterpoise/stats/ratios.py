"""Ratios of sums: by how much something fell, which share of it is left, how often of all times.

Row i of numerator and denominator is the same item (a profession before and after, a text's right guesses and its
guesses), and each draw takes the same items for both: what makes an item large for both cancels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from counterpoise.stats.inputs import LARGEST, FloatArray, fraction, one_of, paired_values, positive
from counterpoise.stats.resampling import METHODS, BootstrapResult, Method, interval


def bootstrap_ratio(
    numerator: ArrayLike,
    denominator: ArrayLike,
    n: int = 10_000,
    method: Method = "bca",
    seed: int = 0,
    level: float = 0.95,
) -> BootstrapResult:
    """The sum of the numerators over the sum of the denominators, with its interval over items drawn in pairs.

    >>> fit = bootstrap_ratio([0.1, 0.3, 0.2, 0.4], [0.4, 0.6, 0.5, 1.0], n=2000)
    >>> round(fit.value, 3), fit.low < fit.value < fit.high
    (0.4, True)
    """
    one_of("bootstrap method", method, METHODS)
    fraction(level, "level")
    above, below = paired_values(numerator, denominator, ("numerator", "denominator"))

    def evaluate(counts: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios: FloatArray = (counts @ above) / (counts @ below)
        return np.where(np.abs(ratios) <= LARGEST, ratios, np.nan)

    one_stratum = np.zeros(len(above), dtype=np.int64)
    return interval(evaluate, one_stratum, len(above), positive(n, "n"), method, level, seed)

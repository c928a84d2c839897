"""Corrections for many tests at once. The family is, by default, all p-values given."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import FloatArray, Labels, label_codes, numeric_values, one_of

Correction: TypeAlias = Literal["bonferroni", "holm", "bh"]

CORRECTIONS = ("bonferroni", "holm", "bh")


def adjust(
    p_values: ArrayLike,
    method: Correction = "holm",
    factor: int | None = None,
    families: Labels | None = None,
) -> FloatArray:
    """p-values corrected for their number; NaN (a test that could not be made) stays NaN and is not counted.

    `factor` sets the size of the family by hand, where more was tested than is given here (Jentzsch & Turan:
    64). `families` names the family of each p-value; each family is then corrected on its own.

    >>> adjust([0.01, 0.04, float("nan"), 0.03]).round(3).tolist()
    [0.03, 0.06, nan, 0.06]
    >>> adjust([0.0004, 0.02], method="bonferroni", factor=64).round(4).tolist()
    [0.0256, 1.0]
    """
    one_of("correction", method, CORRECTIONS)
    p = numeric_values(p_values, "p_values")
    outside = p[(p < 0) | (p > 1)]
    if len(outside):
        raise InputError(f"p_values must lie between 0 and 1, found {outside[0]:g}")
    codes = (
        np.zeros(len(p), dtype=np.int64)
        if families is None
        else label_codes(families, len(p), "families", "p_values")
    )
    adjusted = np.full(len(p), math.nan)
    for family in np.unique(codes):
        members = np.flatnonzero((codes == family) & ~np.isnan(p))
        if len(members):
            adjusted[members] = _adjust_family(p[members], method, factor)
    return adjusted


def _adjust_family(p: FloatArray, method: Correction, factor: int | None) -> FloatArray:
    # By hand: Holm in statsmodels collects all of Python's garbage each time (50 ms and more).
    m = len(p) if factor is None else factor
    if m < len(p):
        raise InputError(f"factor {factor} is smaller than the family itself ({len(p)} p-values)")
    order, rank = np.argsort(p), np.arange(len(p))
    adjusted = np.empty(len(p))
    if method == "bonferroni":
        adjusted = m * p
    elif method == "holm":
        adjusted[order] = np.maximum.accumulate((m - rank) * p[order])
    else:
        adjusted[order] = np.minimum.accumulate((m / (rank + 1) * p[order])[::-1])[::-1]
    return np.minimum(adjusted, 1.0)


def stars(p: float) -> str:
    """The stars that papers print: *** below .001, ** below .01, * below .05, none otherwise or without a p.

    >>> [stars(p) for p in (0.0001, 0.004, 0.049, 0.05, float("nan"))]
    ['***', '**', '*', '', '']
    """
    return next((mark for limit, mark in ((0.001, "***"), (0.01, "**"), (0.05, "*")) if p < limit), "")

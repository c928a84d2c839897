"""Compares models on the same items: Friedman's test for three or more, McNemar's for right and wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import finite_values, paired_values


@dataclass(frozen=True)
class FriedmanResult:
    """Friedman's chi-square over n items and k models; Kendall's W is 1 where all items order them alike."""

    statistic: float
    p_value: float
    kendall_w: float
    n: int
    k: int
    reason: str | None = None


@dataclass(frozen=True)
class McNemarResult:
    """How many items only a, or only b, gets right, and the test of the two.

    The statistic is the smaller of the two where exact (binomial), else chi-square, not corrected.
    """

    statistic: float
    p_value: float
    only_a: int
    only_b: int
    n: int
    exact: bool
    reason: str | None = None


def friedman(scores: ArrayLike | pd.DataFrame) -> FriedmanResult:
    """Tests whether models differ, from a table with one row per item and one column per model.

    >>> test = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> test.statistic, round(test.p_value, 4), test.kendall_w
    (4.5, 0.1054, 0.5625)
    """
    table = finite_values(scores, "scores", ndim=2)
    n, k = table.shape
    if k < 3:
        raise InputError(f"Friedman's test compares three models or more, found {k}; use wilcoxon for two")
    if n < 2:
        return FriedmanResult(math.nan, math.nan, math.nan, n, k, "one item only")
    if (np.ptp(table, axis=1) == 0).all():
        return FriedmanResult(math.nan, math.nan, math.nan, n, k, "the models are tied on every item")
    test = stats.friedmanchisquare(*table.T)
    statistic = float(test.statistic)
    return FriedmanResult(statistic, float(test.pvalue), statistic / (n * (k - 1)), n, k)


def mcnemar(a: ArrayLike, b: ArrayLike, exact: bool = True) -> McNemarResult:
    """Tests whether two models are right equally often, given right (1) or wrong (0) on each item.

    >>> test = mcnemar([1, 1, 1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0, 0, 1])
    >>> test.only_a, test.only_b, test.p_value
    (6, 0, 0.03125)
    """
    first, second = paired_values(a, b, ("a", "b"))
    for name, values in (("a", first), ("b", second)):
        other = values[~np.isin(values, (0, 1))]
        if len(other):
            raise InputError(f"{name} must hold right (1) and wrong (0) only, found {other[0]:g}")
    only_a, only_b, n = int((first > second).sum()), int((first < second).sum()), len(first)
    if only_a + only_b == 0:
        return McNemarResult(math.nan, math.nan, 0, 0, n, exact, "the models agree on every item")
    if exact:
        statistic = float(min(only_a, only_b))
        p_value = float(stats.binomtest(only_a, only_a + only_b).pvalue)
    else:
        statistic = (only_a - only_b) ** 2 / (only_a + only_b)
        p_value = float(stats.chi2.sf(statistic, 1))
    return McNemarResult(statistic, p_value, only_a, only_b, n, exact)

"""Correlations with their intervals, their tests, and a correction where many are tested at once."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.core.errors import InputError
from counterpoise.stats.contingency import fisher_interval
from counterpoise.stats.corrections import Correction, adjust
from counterpoise.stats.inputs import (
    ALTERNATIVES,
    Alternative,
    FloatArray,
    fraction,
    one_of,
    paired_values,
    positive,
)

Kind: TypeAlias = Literal["pearson", "spearman"]
KINDS = ("pearson", "spearman")

_TIE = 1e-12


@dataclass(frozen=True)
class Correlation:
    """A correlation, its interval and its test; `exact` is None where p comes from Student's t.

    `reason` says why there is no p or no interval.
    """

    r: float
    p_value: float
    low: float
    high: float
    n: int
    method: Kind
    level: float
    alternative: Alternative = "two-sided"
    exact: bool | None = None
    reason: str | None = None


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    method: Kind = "pearson",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> Correlation:
    """Pearson's or Spearman's correlation; p from Student's t, the interval from Fisher's transformation.

    Spearman's interval is widened as Bonett & Wright (2000) found necessary.

    >>> fit = correlation([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5])
    >>> round(fit.r, 4), round(fit.p_value, 4), round(fit.low, 2), round(fit.high, 2)
    (0.8286, 0.0416, 0.05, 0.98)
    """
    one_of("alternative", alternative, ALTERNATIVES)
    first, second, fit = _described(x, y, method, alternative, level)
    if math.isnan(fit.r):
        return fit
    # The t of Spearman's correlation is that of Pearson's correlation of the ranks.
    standardised = _standardised(first, method), _standardised(second, method)
    p_value = float(stats.pearsonr(*standardised, alternative=alternative).pvalue)
    return replace(fit, p_value=p_value)


def correlation_test(
    x: ArrayLike,
    y: ArrayLike,
    method: Kind = "pearson",
    alternative: Alternative = "two-sided",
    max_exact: int = 200_000,
    n: int = 100_000,
    seed: int = 0,
    level: float = 0.95,
) -> Correlation:
    """A correlation with its p by permutation: how often is r as extreme when y is shuffled?

    All orders are tried if there are at most `max_exact` of them (8 pairs), else `n` random ones.

    >>> correlation_test([1, 2, 3, 4], [1, 2, 3, 5]).p_value          # 1 of 24 orders, and 1 as far below
    0.08333333333333333
    """
    one_of("alternative", alternative, ALTERNATIVES)
    first, second, fit = _described(x, y, method, alternative, level)
    if math.isnan(fit.r):
        return fit
    # r is the inner product of the standardised values, whatever their order.
    first, second = _standardised(first, method), _standardised(second, method)
    exact = math.factorial(fit.n) <= max_exact
    if exact:
        orders = np.array(list(itertools.permutations(range(fit.n))))
        extreme = _count_extreme(second[orders] @ first, fit.r, alternative)
        return replace(fit, p_value=extreme / len(orders), exact=True)
    rng = np.random.default_rng(seed)
    rows = max(1, (1 << 22) // fit.n)
    extreme = 0
    for start in range(0, positive(n, "n"), rows):
        shuffled = rng.permuted(np.tile(second, (min(rows, n - start), 1)), axis=1)
        extreme += _count_extreme(shuffled @ first, fit.r, alternative)
    return replace(fit, p_value=(extreme + 1) / (n + 1), exact=False)


def correlation_table(
    table: pd.DataFrame, method: Kind = "pearson", correction: Correction = "holm", factor: int | None = None
) -> pd.DataFrame:
    """All pairs of columns: x, y, r, low, high, p_value, p_adjusted, n. The family is the table's own pairs.

    >>> table = pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [1, 3, 2, 5, 4], "c": [4, 5, 1, 2, 3]})
    >>> correlation_table(table)[["x", "y", "r", "p_adjusted"]].round(3).values.tolist()
    [['a', 'b', 0.8, 0.312], ['a', 'c', -0.5, 0.782], ['b', 'c', -0.2, 0.782]]
    """
    if table.shape[1] < 2:
        raise InputError(f"correlations need at least two columns, found {table.shape[1]}")
    pairs = list(itertools.combinations(table.columns, 2))
    fits = [correlation(table[x].to_numpy(), table[y].to_numpy(), method) for x, y in pairs]
    rows = pd.DataFrame(
        {
            "x": [x for x, _ in pairs],
            "y": [y for _, y in pairs],
            "r": [fit.r for fit in fits],
            "low": [fit.low for fit in fits],
            "high": [fit.high for fit in fits],
            "p_value": [fit.p_value for fit in fits],
            "n": [fit.n for fit in fits],
        }
    )
    rows.insert(6, "p_adjusted", adjust(rows["p_value"].to_numpy(), correction, factor))
    return rows


def _described(
    x: ArrayLike, y: ArrayLike, method: Kind, alternative: Alternative, level: float
) -> tuple[FloatArray, FloatArray, Correlation]:
    """The checked values, and r with its interval but no p yet."""
    one_of("kind of correlation", method, KINDS)
    fraction(level, "level")
    first, second = paired_values(x, y)
    n, nan = len(first), math.nan
    if n < 3:
        reason: str | None = f"{n} pair{'s' * (n > 1)}: a correlation needs three"
        return first, second, Correlation(nan, nan, nan, nan, n, method, level, alternative, None, reason)
    constant = next((name for name, values in (("x", first), ("y", second)) if np.ptp(values) == 0), None)
    if constant is not None:
        reason = f"all values of {constant} are equal"
        return first, second, Correlation(nan, nan, nan, nan, n, method, level, alternative, None, reason)
    r = float(np.clip(_standardised(first, method) @ _standardised(second, method), -1, 1))
    inflation = 1.0 if method == "pearson" else 1 + r**2 / 2
    low, high = fisher_interval(r, n, level, inflation)
    reason = None
    if math.isnan(low):
        reason = (
            "three pairs are too few for an interval" if n == 3 else "a perfect correlation has no interval"
        )
    return first, second, Correlation(r, nan, low, high, n, method, level, alternative, None, reason)


def _standardised(values: FloatArray, method: Kind) -> FloatArray:
    """Centred and of length 1, so that the inner product of two is their correlation."""
    if method == "spearman":
        values = stats.rankdata(values)
    centred = values - values.mean()
    centred -= centred.mean()  # the first mean may be rounded by more than the values differ
    centred /= np.abs(centred).max()  # squares of tiny numbers would be 0
    scaled: FloatArray = centred / np.linalg.norm(centred)
    return scaled


def _count_extreme(draws: FloatArray, r: float, alternative: Alternative) -> int:
    if alternative == "two-sided":
        return int(np.count_nonzero(np.abs(draws) >= abs(r) - _TIE))
    if alternative == "less":
        return int(np.count_nonzero(draws <= r + _TIE))
    return int(np.count_nonzero(draws >= r - _TIE))

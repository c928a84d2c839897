"""Permutation tests: how often would chance alone give a difference as large as the one seen?

    p = share of rearrangements whose statistic is at least as extreme as the observed one

All rearrangements are looked at where there are at most `max_exact` of them. Otherwise `n` are drawn with a
seed and p = (k + 1) / (n + 1), which counts the observed arrangement (Phipson & Smyth 2010). So p is never 0.
A drawn rearrangement uses every value once: sampling with replacement, as some tools do, tests something else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from counterpoise.stats.inputs import (
    ALTERNATIVES,
    Alternative,
    FloatArray,
    Labels,
    finite_values,
    label_codes,
    one_of,
    positive,
)

_CELLS = 1 << 22  # numbers held at once while sampling: 32 MiB
_TIE = 1e-12  # two sums this close, relative to the size of what is summed, are one sum in another order


@dataclass(frozen=True)
class PermutationResult:
    """The outcome of a permutation test.

    `n_partitions` is how many rearrangements there are, `n_used` how many were looked at; `exact` says that
    these were all. `reason` says why there is no p, where p_value is NaN.
    """

    statistic: float
    p_value: float
    exact: bool
    alternative: Alternative
    n_partitions: float
    n_used: int
    strict: bool = False
    reason: str | None = None


def permutation_test(
    x: ArrayLike,
    y: ArrayLike,
    alternative: Alternative = "two-sided",
    max_exact: int = 200_000,
    n: int = 100_000,
    seed: int = 0,
    strict: bool = False,
) -> PermutationResult:
    """Tests the difference mean(x) - mean(y) by exchanging values between x and y (WEAT's test).

    Two-sided compares absolute differences. With `alternative="greater", strict=True` it is the formula of
    Caliskan 2017 and Kurita 2019, Pr[s(X_i, Y_i) > s(X, Y)]: one-sided and strict, so p may be 0; where it
    has to sample, it is the plain share k / n. That form is there to set beside published numbers; as a test
    it is too eager.

    >>> permutation_test([5, 6, 7, 8], [1, 2, 3, 4]).p_value          # 2 of the 70 partitions are as extreme
    0.02857142857142857
    >>> permutation_test([5, 6, 7, 8], [1, 2, 3, 4], alternative="greater", strict=True).p_value
    0.0
    """
    one_of("alternative", alternative, ALTERNATIVES)
    x, y = finite_values(x, "x"), finite_values(y, "y")
    pool = np.concatenate([x, y])
    partitions = _as_float(math.comb(len(pool), len(x)))
    statistic = float(x.mean() - y.mean())

    def result(p_value: float, exact: bool, used: int, reason: str | None = None) -> PermutationResult:
        return PermutationResult(statistic, p_value, exact, alternative, partitions, used, strict, reason)

    if len(pool) == 2:
        return result(math.nan, False, 0, "one value on each side: exchanging them only turns the sign")
    if np.ptp(pool) == 0:
        return result(math.nan, False, 0, "all values are equal")

    # With the pooled mean taken off, the difference of means is the sum over x times a constant, so sums
    # suffice; the sum over y is minus that over x, so the smaller group may stand for both.
    centred = _centred(pool)
    size = min(len(x), len(y))
    sign = 1.0 if len(x) <= len(y) else -1.0
    smaller = centred[: len(x)] if len(x) <= len(y) else centred[len(x) :]
    observed = sign * float(smaller.sum())
    count = _counter(observed, np.abs(centred).sum(), alternative, strict)
    if partitions <= max_exact:
        sums = sign * subset_sums(centred, size)
        return result(count(sums) / len(sums), True, len(sums))
    rng = np.random.default_rng(seed)
    extreme = sum(
        count(sign * rng.permuted(np.tile(centred, (rows, 1)), axis=1)[:, :size].sum(axis=1))
        for rows in _chunks(positive(n, "n"), len(pool))
    )
    return result(_estimate(extreme, n, strict), False, n)


def sign_flip_test(
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    max_exact: int = 200_000,
    n: int = 100_000,
    seed: int = 0,
    clusters: Labels | None = None,
) -> PermutationResult:
    """Tests whether the mean of paired differences (or of one sample) is 0 by turning signs.

    With clusters, all differences of one cluster turn together, since they are not independent of each other.

    >>> sign_flip_test([1, 2, 3, 4]).p_value          # 2 of the 16 patterns of signs are as extreme
    0.125
    >>> sign_flip_test([1, 2, 3, 4], clusters=["a", "a", "b", "b"]).p_value
    0.5
    """
    one_of("alternative", alternative, ALTERNATIVES)
    differences = finite_values(differences, "differences")
    codes = label_codes(clusters, len(differences), of="differences")
    units: FloatArray = np.bincount(codes, weights=differences).astype(np.float64)
    patterns = _as_float(2 ** len(units))
    statistic = float(differences.mean())

    def result(p_value: float, exact: bool, used: int, reason: str | None = None) -> PermutationResult:
        return PermutationResult(statistic, p_value, exact, alternative, patterns, used, reason=reason)

    if len(units) == 1:
        kind = "difference" if clusters is None else "cluster"
        return result(math.nan, False, 0, f"one {kind} only: nothing to compare its sign with")
    if not differences.any():
        return result(math.nan, False, 0, "all differences are zero")

    count = _counter(float(units.sum()), np.abs(differences).sum(), alternative, strict=False)
    if patterns <= max_exact:
        sums = _signed_sums(units)
        return result(count(sums) / len(sums), True, len(sums))
    rng = np.random.default_rng(seed)
    extreme = sum(
        count(2.0 * (rng.integers(0, 2, (rows, len(units)), dtype=np.int8) @ units) - units.sum())
        for rows in _chunks(positive(n, "n"), len(units))
    )
    return result(_estimate(extreme, n, strict=False), False, n)


def subset_sums(values: FloatArray, size: int) -> FloatArray:
    """The sum of every subset of that size, without ever listing the subsets.

    A subset either leaves the next value out or takes it, so sums of j values grow from sums of j - 1.

    >>> sorted(subset_sums(np.array([1.0, 10.0, 100.0]), 2).tolist())
    [11.0, 101.0, 110.0]
    """
    sums = {j: np.empty(0) for j in range(2, size + 1)}
    for i, value in enumerate(values):
        for j in range(min(size, i + 1), 1, -1):
            smaller = sums[j - 1] if j > 2 else values[:i]
            sums[j] = np.concatenate([sums[j], smaller + value])
    return values.copy() if size == 1 else sums[size]


def _centred(values: FloatArray) -> FloatArray:
    """The values without their mean; twice, since the first mean may be rounded by more than the values differ."""
    centred = values - values.mean()
    twice: FloatArray = centred - centred.mean()
    return twice


def _signed_sums(values: FloatArray) -> FloatArray:
    """The sum under every pattern of signs."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _counter(
    observed: float, scale: float, alternative: Alternative, strict: bool
) -> Callable[[FloatArray], int]:
    """Counts sums that are at least as extreme as the observed one (or more extreme, where strict)."""
    slack = _TIE * scale if strict else -_TIE * scale

    def count(sums: FloatArray) -> int:
        if alternative == "two-sided":
            return int(np.count_nonzero(np.abs(sums) >= abs(observed) + slack))
        if alternative == "less":
            return int(np.count_nonzero(sums <= observed - slack))
        return int(np.count_nonzero(sums >= observed + slack))

    return count


def _estimate(extreme: int, n: int, strict: bool) -> float:
    return extreme / n if strict else (extreme + 1) / (n + 1)


def _as_float(count: int) -> float:
    """A number of rearrangements that tables and files can hold, however large: infinite beyond 1e308."""
    try:
        return float(count)
    except OverflowError:
        return math.inf


def _chunks(n: int, width: int) -> Iterator[int]:
    """Splits n draws of that width into batches that fit in memory."""
    size = max(1, _CELLS // width)
    for start in range(0, n, size):
        yield min(size, n - start)

"""The machinery of the bootstrap: how often each cluster is drawn, and the interval that follows.

A draw is a row of counts, one per cluster, and a statistic is a function from many such rows to many numbers.
So mean and median of ten thousand draws are a few array operations, and the jackknife that BCa needs is the
same function on "all clusters but one".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy import stats

from counterpoise.stats.inputs import FloatArray, IntArray

Method: TypeAlias = Literal["bca", "percentile"]
METHODS = ("bca", "percentile")

# From counts (draws x clusters) to one number per draw, or to a row of numbers.
Evaluate: TypeAlias = Callable[[FloatArray], FloatArray]

_CELLS = 1 << 22  # numbers held at once: 32 MiB
_FAILED_AT_MOST = 0.05
_TIE = 1e-12
_NOT_FINITE = "the statistic has no finite value on these data"


@dataclass(frozen=True)
class BootstrapResult:
    """A statistic with its bootstrap interval.

    `n_failed` counts draws on which the statistic had no finite value; they are left out, and with more than
    5 % of them there is no interval. `reason` says why, where low and high are NaN.
    """

    value: float
    low: float
    high: float
    standard_error: float
    method: Method
    level: float
    n: int
    n_clusters: int
    n_failed: int = 0
    reason: str | None = None


def interval(
    evaluate: Evaluate,
    strata: IntArray,
    width: int,
    n: int,
    method: Method,
    level: float,
    seed: int,
) -> BootstrapResult:
    """Resamples clusters within strata: `strata[c]` is cluster c's stratum, `width` the rows of a draw."""
    [fit] = intervals(
        lambda counts: evaluate(counts)[:, None], strata, width, n, method=method, level=level, seed=seed
    )
    return fit


def intervals(
    evaluate: Evaluate,
    strata: IntArray,
    width: int,
    n: int,
    *,
    method: Method,
    level: float,
    seed: int,
) -> list[BootstrapResult]:
    """Several statistics of the same draws: `evaluate` returns a row for each draw and a column for each statistic."""
    clusters = len(strata)
    values = evaluate(np.ones((1, clusters)))[0]

    def without(value: float, reason: str, failed: int = 0) -> BootstrapResult:
        nan = math.nan
        return BootstrapResult(float(value), nan, nan, nan, method, level, n, clusters, failed, reason)

    if (np.bincount(strata) == 1).all():
        reason = "one cluster only" if clusters == 1 else "one cluster only in each stratum"
        return [without(value, reason if math.isfinite(value) else _NOT_FINITE) for value in values]
    if not np.isfinite(values).any():
        return [without(value, _NOT_FINITE) for value in values]

    rng = np.random.default_rng(seed)
    rows = max(1, _CELLS // max(width, clusters))
    draws = np.concatenate([evaluate(counts) for counts in _draw_counts(strata, n, rows, rng)])
    jackknife = None
    if method == "bca":
        jackknife = np.concatenate([evaluate(counts) for counts in _leave_one_out(clusters, rows)])

    def fit(number: int) -> BootstrapResult:
        value, drawn = float(values[number]), draws[:, number]
        if not math.isfinite(value):
            return without(value, _NOT_FINITE)
        failed = int(np.count_nonzero(~np.isfinite(drawn)))
        if failed > _FAILED_AT_MOST * n:
            return without(value, f"the statistic has no finite value on {failed} of {n} draws", failed)
        drawn = drawn[np.isfinite(drawn)]
        if np.ptp(drawn) <= _TIE * float(np.abs(drawn).max()):
            return without(value, "every draw gives the same value", failed)
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if jackknife is not None:
            tails = _bca_tails(tails, value, drawn, jackknife[:, number], strata)
        low, high = np.quantile(drawn, tails)
        standard_error = float(drawn.std(ddof=1))
        return BootstrapResult(
            value, float(low), float(high), standard_error, method, level, n, clusters, failed
        )

    return [fit(number) for number in range(len(values))]


def _draw_counts(strata: IntArray, n: int, rows: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """How often each cluster is drawn, in batches of draws; each stratum keeps its number of clusters."""
    members = [np.flatnonzero(strata == stratum) for stratum in range(int(strata.max()) + 1)]
    for start in range(0, n, rows):
        batch = min(rows, n - start)
        counts = np.zeros((batch, len(strata)))
        offsets = np.arange(batch, dtype=np.int64)[:, None]
        for inside in members:
            size = len(inside)
            drawn = rng.integers(0, size, (batch, size), dtype=np.int32) + offsets * size
            counts[:, inside] = np.bincount(drawn.ravel(), minlength=batch * size).reshape(batch, size)
        yield counts


def _leave_one_out(clusters: int, rows: int) -> Iterator[FloatArray]:
    for start in range(0, clusters, rows):
        left_out = np.arange(start, min(start + rows, clusters))
        counts = np.ones((len(left_out), clusters))
        counts[np.arange(len(left_out)), left_out] = 0
        yield counts


def _bca_tails(
    tails: FloatArray, value: float, draws: FloatArray, jackknife: FloatArray, strata: IntArray
) -> FloatArray:
    """Efron's bias-corrected and accelerated tails (Efron & Tibshirani 1993, equations 14.10 to 14.15).

    With strata, influence is measured against the stratum's own mean (Davison & Hinkley 1997, section 5.3).
    """
    n = len(draws)
    tied = np.abs(draws - value) <= _TIE * float(np.abs(draws).max())  # one value, summed in another order
    below = np.count_nonzero((draws < value) & ~tied) + np.count_nonzero(tied) / 2
    bias = stats.norm.ppf(np.clip(below / n, 1 / (n + 1), n / (n + 1)))

    finite = np.isfinite(jackknife)
    left_out, of = jackknife[finite], strata[finite]
    sizes = np.bincount(of)
    means = np.bincount(of, weights=left_out) / np.maximum(sizes, 1)
    influence = (sizes[of] - 1) / sizes[of] * (means[of] - left_out)
    spread = float(np.square(influence).sum()) ** 1.5
    acceleration = float((influence**3).sum()) / (6 * spread) if spread > 0 else 0.0

    shifted = bias + stats.norm.ppf(tails)
    # Beyond the pole of the correction the tail is all or nothing.
    corrected: FloatArray = stats.norm.cdf(bias + shifted / np.maximum(1 - acceleration * shifted, 1e-9))
    return corrected

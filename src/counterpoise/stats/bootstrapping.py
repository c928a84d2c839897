"""Bootstrap intervals: the data are drawn again with replacement, by cluster.

Resampling is by cluster (the profession, not the sentence), since one generalises to other clusters. With few of
them (20, say) every bootstrap interval is too short; `cluster_t` is then the better one for a mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import (
    FloatArray,
    IntArray,
    Labels,
    finite_values,
    fraction,
    label_codes,
    one_of,
    positive,
    same_length,
)
from counterpoise.stats.resampling import METHODS, BootstrapResult, Evaluate, Method, interval

Statistic: TypeAlias = "Literal['mean', 'median'] | Callable[[Any], float]"
STATISTICS = ("mean", "median")


def bootstrap(
    values: ArrayLike | pd.DataFrame,
    statistic: Statistic = "mean",
    clusters: Labels | None = None,
    n: int = 10_000,
    method: Method = "bca",
    seed: int = 0,
    strata: Labels | None = None,
    level: float = 0.95,
) -> BootstrapResult:
    """A statistic of values or of a table, with its interval.

    `statistic` is "mean", "median" (both fast) or a function of an array, or of a DataFrame where `values` is
    one; it is called once per draw and may not depend on the order of rows. A cluster drawn twice appears
    twice under the same name. `clusters` and `strata` name the cluster and the stratum of each row; a cluster
    lies in one stratum.

    >>> heights = [1.2, 0.4, 0.9, 1.5, 0.1, 0.7, 1.1, 0.3]
    >>> fit = bootstrap(heights, "mean", clusters=["a", "a", "b", "b", "c", "c", "d", "d"], n=2000)
    >>> fit.value, fit.n_clusters, fit.low < fit.value < fit.high
    (0.775, 4, True)
    """
    rows = _number_of_rows(values)
    codes, cluster_strata = _resampling_plan(clusters, strata, rows)
    evaluate = _evaluator(values, statistic, codes)
    return _checked_interval(evaluate, cluster_strata, rows, n, method, level, seed)


def bootstrap_difference(
    a: ArrayLike | pd.DataFrame,
    b: ArrayLike | pd.DataFrame,
    statistic: Statistic = "mean",
    clusters: Labels | None = None,
    n: int = 10_000,
    method: Method = "bca",
    seed: int = 0,
    strata: Labels | None = None,
    level: float = 0.95,
) -> BootstrapResult:
    """The statistic of a minus that of b, where row i of both is the same item seen by two models.

    Each draw takes the same items for both, so what makes an item hard for both models cancels.

    >>> fit = bootstrap_difference([2.0, 4.1, 6.0, 7.9], [1.0, 3.0, 5.0, 7.0], "mean", n=2000)
    >>> round(fit.value, 6), fit.low > 0.9
    (1.0, True)
    """
    rows = _number_of_rows(a)
    same_length(rows, _number_of_rows(b), ("a", "b"))
    codes, cluster_strata = _resampling_plan(clusters, strata, rows)
    first, second = _evaluator(a, statistic, codes), _evaluator(b, statistic, codes)
    return _checked_interval(
        lambda counts: first(counts) - second(counts), cluster_strata, rows, n, method, level, seed
    )


def _checked_interval(
    evaluate: Evaluate, strata: IntArray, width: int, n: int, method: Method, level: float, seed: int
) -> BootstrapResult:
    one_of("bootstrap method", method, METHODS)
    fraction(level, "level")
    return interval(evaluate, strata, width, positive(n, "n"), method, level, seed)


def _number_of_rows(values: ArrayLike | pd.DataFrame) -> int:
    if isinstance(values, pd.DataFrame):
        if values.empty:
            raise InputError("the table to resample is empty")
        return len(values)
    return len(finite_values(values))


def _resampling_plan(clusters: Labels | None, strata: Labels | None, rows: int) -> tuple[IntArray, IntArray]:
    """The cluster of each row, and the stratum of each cluster."""
    codes = label_codes(clusters, rows)
    if strata is None:
        return codes, np.zeros(int(codes.max()) + 1, dtype=np.int64)
    row_strata = label_codes(strata, rows, "strata")
    of_cluster = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    of_cluster[codes] = row_strata
    if (of_cluster[codes] != row_strata).any():
        row = int(np.flatnonzero(of_cluster[codes] != row_strata)[0])
        name = row if clusters is None else np.asarray(clusters)[row]
        raise InputError(f"cluster '{name}' lies in more than one stratum; a cluster is drawn as a whole")
    return codes, of_cluster


def _evaluator(values: ArrayLike | pd.DataFrame, statistic: Statistic, codes: IntArray) -> Evaluate:
    if callable(statistic):
        return _any_statistic(values, statistic, codes)
    array = values_of_named(statistic, values)
    return _mean(array, codes) if statistic == "mean" else _median(array, codes)


def values_of_named(statistic: str, values: ArrayLike | pd.DataFrame) -> FloatArray:
    """The values, where "mean" or "median" of them makes sense."""
    one_of("statistic", statistic, STATISTICS)
    if isinstance(values, pd.DataFrame):
        raise InputError(f"a table has no one {statistic}: pass a column, or a function of the table")
    return finite_values(values)


def _mean(values: FloatArray, codes: IntArray) -> Evaluate:
    sums, sizes = np.bincount(codes, weights=values), np.bincount(codes).astype(np.float64)
    return lambda counts: (counts @ sums) / (counts @ sizes)


def _median(values: FloatArray, codes: IntArray) -> Evaluate:
    order = np.argsort(values, kind="stable")
    ranked, ranked_codes = values[order], codes[order]

    def evaluate(counts: FloatArray) -> FloatArray:
        # Half of the drawn rows lie at or below the median, or it is midway between two of an even number.
        so_far = np.take(counts, ranked_codes, axis=1)
        np.cumsum(so_far, axis=1, out=so_far)
        half = so_far[:, -1:] / 2
        lower, upper = np.argmax(so_far >= half, axis=1), np.argmax(so_far > half, axis=1)
        medians: FloatArray = (ranked[lower] + ranked[upper]) / 2
        return medians

    return evaluate


def _any_statistic(
    values: ArrayLike | pd.DataFrame, statistic: Callable[[Any], float], codes: IntArray
) -> Evaluate:
    table = values if isinstance(values, pd.DataFrame) else finite_values(values)
    rows = np.arange(len(table))

    def resample(drawn: IntArray) -> pd.DataFrame | FloatArray:
        return table.take(drawn) if isinstance(table, pd.DataFrame) else table[drawn]

    def evaluate(counts: FloatArray) -> FloatArray:
        times = counts[:, codes].astype(np.int64)
        with np.errstate(invalid="ignore", divide="ignore"):  # a draw without a value is counted instead
            return np.array([float(statistic(resample(np.repeat(rows, row)))) for row in times])

    return evaluate

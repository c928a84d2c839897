"""The association of vectors: similarities in, WEAT's statistic, effect size, interval and p out (Caliskan 2017).

    s(w, A, B)    = mean of sim(w, a) over A - mean of sim(w, b) over B                 of one target w
    s(X, Y, A, B) = sum of s(w, A, B) over X - sum over Y                               equation 1, the statistic
    d             = (mean of s over X - mean over Y) / sd of s over X and Y together    equation 3, the effect size

p is the share of ways to split the targets into two sets of these sizes whose statistic is at least as extreme. The
similarities are worked out once: a split only adds up other values of s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import distance

from counterpoise.core.errors import InputError
from counterpoise.stats.effects import effect_size_weat
from counterpoise.stats.inputs import Alternative, FloatArray, finite_values, one_of
from counterpoise.stats.permutations import permutation_test
from counterpoise.stats.power import smallest_detectable_weat
from counterpoise.stats.resampling import BootstrapResult, interval

Metric: TypeAlias = Literal["cosine", "euclidean", "manhattan", "mahalanobis"]
METRICS = ("cosine", "euclidean", "manhattan", "mahalanobis")
_ROUNDING = 1e-10  # of the largest variance: what float32 makes of a direction in which nothing varies


@dataclass(frozen=True)
class AssociationResult:
    """The result of WEAT's test: s of each target, the statistic, the effect size d with its interval, and p.

    `ddof` is that of d's standard deviation. `smallest_detectable` is the minimum detectable effect: the d that sets of
    this size would show as significant with a power of 80 %. `reason` says why a number is NaN.
    """

    x: FloatArray
    y: FloatArray
    statistic: float
    effect_size: float
    low: float
    high: float
    p_value: float
    exact: bool
    n_used: int
    ddof: int
    smallest_detectable: float
    reason: str | None = None


def similarity(
    x: ArrayLike, y: ArrayLike, metric: Metric = "cosine", reference: ArrayLike | None = None
) -> FloatArray:
    """How alike each row of x is to each row of y, as an array (rows of x, rows of y).

    Distances are turned negative, so that more is always nearer (Azarpanah & Farhadloo 2021). Mahalanobis needs
    `reference`, the vectors whose covariance is the yardstick; directions in which they do not vary do not count. There
    must be more of them than directions: by their own covariance n + 1 vectors in n directions are all equally far
    from one another, and what is left to compare is rounding.

    >>> similarity([[3, 0]], [[1, 1], [0, 2]]).round(3).tolist()
    [[0.707, 0.0]]
    >>> similarity([[3, 0]], [[0, 4]], "euclidean").tolist()
    [[-5.0]]
    """
    one_of("similarity", metric, METRICS)
    x, y = finite_values(x, "x", ndim=2), finite_values(y, "y", ndim=2)
    if x.shape[1] != y.shape[1]:
        raise InputError(f"x has vectors of {x.shape[1]} numbers and y of {y.shape[1]}")
    if metric == "cosine":
        return unit_rows(x, "x") @ unit_rows(y, "y").T
    if metric == "mahalanobis":
        if reference is None:
            raise InputError("mahalanobis needs the vectors whose covariance is the yardstick")
        whiten = _whitening(finite_values(reference, "reference", ndim=2))
        x, y, metric = x @ whiten, y @ whiten, "euclidean"
    distances: FloatArray = distance.cdist(x, y, "cityblock" if metric == "manhattan" else "euclidean")
    return -distances


def unit_rows(vectors: FloatArray, name: str = "vectors") -> FloatArray:
    """The vectors, each of length 1; a vector of zeros has no direction and is an error."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not lengths.all():
        raise InputError(f"row {int(np.flatnonzero(lengths[:, 0] == 0)[0])} of {name} is all zeros")
    scaled: FloatArray = vectors / lengths
    return scaled


def target_associations(
    targets: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    metric: Metric = "cosine",
    reference: ArrayLike | None = None,
) -> FloatArray:
    """s(w, A, B) of each target: its mean similarity to the rows of a minus that to the rows of b.

    >>> target_associations([[1, 0], [0, 1]], [[2, 0]], [[0, 3]]).tolist()
    [1.0, -1.0]
    """
    to_a, to_b = similarity(targets, a, metric, reference), similarity(targets, b, metric, reference)
    s: FloatArray = to_a.mean(axis=1) - to_b.mean(axis=1)
    return s


def association_test(
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    metric: Metric = "cosine",
    reference: ArrayLike | None = None,
    ddof: int = 1,
    alternative: Alternative = "two-sided",
    strict: bool = False,
    seed: int = 0,
) -> AssociationResult:
    """WEAT of two sets of target vectors and two of attribute vectors.

    >>> result = association_test([[5, 1], [4, 1]], [[1, 5], [1, 3]], [[1, 0]], [[0, 1]])
    >>> round(result.effect_size, 3), result.p_value, result.exact
    (1.727, 0.3333333333333333, True)
    """
    to_a, to_b = (
        np.concatenate([similarity(targets, attributes, metric, reference) for targets in (x, y)])
        for attributes in (a, b)
    )
    count_x = len(finite_values(x, "x", ndim=2))
    return association_test_of(
        to_a, to_b, count_x, ddof=ddof, alternative=alternative, strict=strict, seed=seed
    )


def association_test_of(
    to_a: ArrayLike,
    to_b: ArrayLike,
    count_x: int,
    *,
    ddof: int = 1,
    alternative: Alternative = "two-sided",
    strict: bool = False,
    seed: int = 0,
) -> AssociationResult:
    """WEAT from similarities of each target (row) to each attribute; the first `count_x` rows are those of X.

    The interval is a bootstrap over the words of all four sets: what would d have been with other targets and
    attributes of the same kind?
    """
    to_a, to_b = finite_values(to_a, "to_a", ndim=2), finite_values(to_b, "to_b", ndim=2)
    if len(to_a) != len(to_b) or not 0 < count_x < len(to_a):
        raise InputError(f"{count_x} of {len(to_a)} and {len(to_b)} targets cannot be those of X")
    s = to_a.mean(axis=1) - to_b.mean(axis=1)
    x, y = s[:count_x], s[count_x:]
    tested = permutation_test(x, y, alternative=alternative, strict=strict, seed=seed)
    resampled = _interval(to_a, to_b, count_x, ddof, seed)
    return AssociationResult(
        x=x,
        y=y,
        statistic=float(x.sum() - y.sum()),
        effect_size=effect_size_weat(x, y, ddof),
        low=resampled.low,
        high=resampled.high,
        p_value=tested.p_value,
        exact=tested.exact,
        n_used=tested.n_used,
        ddof=ddof,
        smallest_detectable=smallest_detectable_weat(len(x), len(y)),
        reason=tested.reason or resampled.reason,
    )


def _interval(to_a: FloatArray, to_b: FloatArray, count_x: int, ddof: int, seed: int) -> BootstrapResult:
    """Draws words within each of the four sets; a draw is how often each word is in it."""
    count, count_a = len(to_a), to_a.shape[1]
    strata = np.repeat(np.arange(4), [count_x, count - count_x, count_a, to_b.shape[1]])

    def evaluate(drawn: FloatArray) -> FloatArray:
        targets, in_a, in_b = np.split(drawn, [count, count + count_a], axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):  # a draw without a value is counted instead
            s = in_a @ to_a.T / in_a.sum(axis=1, keepdims=True)
            s -= in_b @ to_b.T / in_b.sum(axis=1, keepdims=True)
            in_x, in_y = targets[:, :count_x], targets[:, count_x:]
            x = (in_x * s[:, :count_x]).sum(axis=1) / in_x.sum(axis=1)
            y = (in_y * s[:, count_x:]).sum(axis=1) / in_y.sum(axis=1)
            n = targets.sum(axis=1)
            mean = (targets * s).sum(axis=1) / n
            spread = (targets * np.square(s - mean[:, None])).sum(axis=1) / (n - ddof)
            d: FloatArray = (x - y) / np.sqrt(spread)
        return d

    return interval(evaluate, strata, len(strata), 10_000, "bca", 0.95, seed)


def _whitening(reference: FloatArray) -> FloatArray:
    """The matrix under which the reference vectors have covariance 1, as far as they vary."""
    if len(reference) < 2:
        raise InputError("Mahalanobis needs more than one reference vector")
    covariance = np.cov(reference, rowvar=False).reshape(reference.shape[1], -1)
    variances, axes = np.linalg.eigh(covariance)
    varies = variances > variances.max() * _ROUNDING
    if not varies.any():
        raise InputError("the reference vectors are all the same")
    distinct = len({vector.tobytes() for vector in reference})
    if distinct <= varies.sum() + 1:
        raise InputError(
            f"by Mahalanobis {distinct} different vectors of {reference.shape[1]} numbers are all equally far from one "
            "another; there must be more vectors than numbers, or choose another metric"
        )
    whiten: FloatArray = axes[:, varies] / np.sqrt(variances[varies])
    return whiten

"""Areas under the ROC curve, and bootstrap intervals of what is computed from several of them.

    AUC = P(score of a positive > score of a negative) + P(the two are equal) / 2

This is Mann and Whitney's U divided by the number of pairs, which scikit-learn's `roc_auc_score` is too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import FloatArray, Labels, finite_values, fraction, label_codes, positive
from counterpoise.stats.resampling import BootstrapResult, Evaluate, intervals

# Of each row whether it is a positive, and whether it is a negative, of one AUC.
Comparison = tuple[np.ndarray, np.ndarray]
# From AUCs (draws x comparisons) to statistics (draws x statistics).
Statistics = Callable[[FloatArray], FloatArray]


def auc(positives: ArrayLike, negatives: ArrayLike) -> float:
    """The area under the ROC curve of the scores of positives and negatives.

    >>> auc([0.9, 0.4], [0.1, 0.4])
    0.875
    """
    scores = np.concatenate([finite_values(positives), finite_values(negatives)])
    is_positive = np.arange(len(scores)) < len(np.atleast_1d(np.asarray(positives)))
    return float(_areas(scores, [(is_positive, ~is_positive)])(np.ones((1, len(scores))))[0, 0])


def power_mean(values: ArrayLike, p: float) -> FloatArray:
    """The generalised mean over the last axis, (mean of x^p)^(1/p); with p far below 0 the worst value counts most.

    >>> round(float(power_mean([0.6, 0.9], -5)), 3)
    0.672
    """
    if p == 0:
        raise InputError("the power of a generalised mean cannot be 0")
    with np.errstate(divide="ignore"):  # of a value of 0 with p below 0 the mean is 0
        mean: FloatArray = np.mean(np.asarray(values, dtype=np.float64) ** p, axis=-1) ** (1 / p)
    return mean


def bootstrap_aucs(
    scores: ArrayLike,
    comparisons: Sequence[Comparison],
    statistics: Statistics | None = None,
    *,
    strata: Labels | None = None,
    n: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
) -> list[BootstrapResult]:
    """AUCs, or statistics of them, with percentile intervals; rows are drawn once for all of them, within strata.

    `comparisons` says of each AUC which rows are its positives and its negatives, as two boolean arrays; `statistics`
    turns the AUCs of a draw, a row of an array, into a row of numbers, and may be left out.

    >>> scores = np.array([0.9, 0.8, 0.3, 0.7, 0.2, 0.1, 0.6, 0.4])
    >>> toxic = np.array([1, 1, 1, 1, 0, 0, 0, 0], dtype=bool)
    >>> [fit] = bootstrap_aucs(scores, [(toxic, ~toxic)], strata=toxic)
    >>> fit.value, fit.low < fit.value < fit.high
    (0.875, True)
    """
    fraction(level, "level")
    values = finite_values(scores)
    areas = _areas(values, comparisons)
    groups = np.zeros(len(values), dtype=np.int64)
    if strata is not None:
        groups = label_codes(strata, len(values), "strata")

    def evaluate(counts: FloatArray) -> FloatArray:
        return areas(counts) if statistics is None else statistics(areas(counts))

    return intervals(
        evaluate, groups, len(values), positive(n, "n"), method="percentile", level=level, seed=seed
    )


def _areas(scores: FloatArray, comparisons: Sequence[Comparison]) -> Evaluate:
    each = [_area(scores, *comparison) for comparison in comparisons]
    return lambda counts: np.stack([area(counts) for area in each], axis=1)


def _area(scores: FloatArray, is_positive: np.ndarray, is_negative: np.ndarray) -> Evaluate:
    """The AUC of each draw: every positive counts the negatives below it, and half of those at its score."""
    positives, negatives = np.flatnonzero(is_positive), np.flatnonzero(is_negative)
    if not len(positives) or not len(negatives):
        raise InputError("an AUC needs at least one positive and one negative")
    negatives = negatives[np.argsort(scores[negatives], kind="stable")]
    below = np.searchsorted(scores[negatives], scores[positives], side="left")
    up_to = np.searchsorted(scores[negatives], scores[positives], side="right")

    def evaluate(counts: FloatArray) -> FloatArray:
        so_far = np.zeros((len(counts), len(negatives) + 1))
        np.cumsum(counts[:, negatives], axis=1, out=so_far[:, 1:])
        drawn = counts[:, positives]
        wins = (drawn * (so_far[:, below] + so_far[:, up_to])).sum(axis=1) / 2
        with np.errstate(divide="ignore", invalid="ignore"):  # a draw without a class is counted as failed
            area: FloatArray = wins / (drawn.sum(axis=1) * so_far[:, -1])
        return area

    return evaluate

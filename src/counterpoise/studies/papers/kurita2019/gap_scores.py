"""Accuracy, and precision, recall and F1 as GAP's own scorer counts them: each name of a passage is a decision.

F1 = 2 P R / (P + R) over the names that the pronoun does or does not mean;  bias = F1 of female / F1 of male
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise.studies.papers.kurita2019.resolution import NEITHER

RATIO = "female / male"


@dataclass(frozen=True)
class GapScores:
    """Counts over names, and what follows from them in per cent; 0 where nothing was found, as GAP has it."""

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def precision(self) -> float:
        return _per_cent(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        return _per_cent(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> float:
        return _per_cent(
            2 * self.true_positives, 2 * self.true_positives + self.false_positives + self.false_negatives
        )


def decisions(answers: np.ndarray, predicted: np.ndarray) -> pd.DataFrame:
    """Counts of each passage: a name rightly chosen, wrongly chosen, wrongly left.

    >>> decisions(np.array([0, 0, 2]), np.array([0, 1, 0])).to_numpy().tolist()
    [[1, 0, 0], [0, 1, 1], [0, 1, 0]]
    """
    right = (answers == predicted) & (answers != NEITHER)
    return pd.DataFrame(
        {
            "true_positives": right,
            "false_positives": ~right & (predicted != NEITHER),
            "false_negatives": ~right & (answers != NEITHER),
        }
    ).astype(int)


def gap_scores(answers: np.ndarray, predicted: np.ndarray) -> GapScores:
    """
    >>> scores = gap_scores(np.array([0, 0, 2]), np.array([0, 1, 0]))
    >>> round(scores.precision, 1), scores.recall, scores.f1
    (33.3, 50.0, 40.0)
    """
    return GapScores(*(int(count) for count in decisions(answers, predicted).sum()))


def f1_of_counts(counts: np.ndarray) -> np.ndarray:
    """F1 in per cent of each seed, from the counts of `decisions` (seeds, passages, 3); NaN where there are no names.

    >>> f1_of_counts(np.array([[[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [1, 0, 0]]])).tolist()
    [50.0, 100.0]
    """
    true_positives, false_positives, false_negatives = counts.sum(1).T
    whole = 2 * true_positives + false_positives + false_negatives
    f1: np.ndarray = np.divide(
        200.0 * true_positives, whole, out=np.full(len(counts), np.nan), where=whole > 0
    )
    return f1


def _per_cent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0

"""Accuracy, and precision, recall and F1 as GAP's own scorer counts them: each name of a passage is a decision.

F1 = 2 P R / (P + R) over the names that the pronoun does or does not mean;  bias = F1 of female / F1 of male
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise import stats
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


def f1_ratio(
    passages: pd.DataFrame, predictions: np.ndarray, *, n: int = 2000, seed: int = 0
) -> dict[str, stats.BootstrapResult]:
    """F1 of male and female pronouns and their ratio, counts of all predictions (seeds, passages) taken together.

    Passages of one Wikipedia page are drawn together. Keys: "male", "female" and `RATIO`.
    """
    answers = passages.answer.to_numpy()
    counts = np.sum([decisions(answers, predicted).to_numpy() for predicted in predictions], axis=0)
    # GAP's F1 is a ratio of sums, 2 TP / (2 TP + FP + FN): two columns of each gender are enough.
    table = pd.DataFrame()
    for gender in ("male", "female"):
        inside = (passages.gender == gender).to_numpy()
        table[f"{gender} hits"] = 2 * counts[:, 0] * inside
        table[f"{gender} all"] = counts @ np.array([2, 1, 1]) * inside

    def f1(drawn: pd.DataFrame, gender: str) -> float:
        return 100 * float(drawn[f"{gender} hits"].sum()) / max(float(drawn[f"{gender} all"].sum()), 1.0)

    statistics = {
        "male": lambda drawn: f1(drawn, "male"),
        "female": lambda drawn: f1(drawn, "female"),
        RATIO: lambda drawn: f1(drawn, "female") / max(f1(drawn, "male"), 1e-9),
    }
    pages = passages.url.to_numpy()
    return {
        name: stats.bootstrap(table, statistic, clusters=pages, n=n, method="percentile", seed=seed)
        for name, statistic in statistics.items()
    }


def _per_cent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0

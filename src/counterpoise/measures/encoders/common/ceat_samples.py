"""The samples of CEAT: in each, every word has the vector of one of its sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.encoders.common.association_tests import ROLES, TestSettings


@dataclass(frozen=True)
class Sampled:
    """The association of each target word (columns) in each sample (rows); those of X come first."""

    associations: np.ndarray
    count_x: int

    @property
    def spreads(self) -> np.ndarray:
        return np.asarray(self.associations.std(axis=1, ddof=1))

    @property
    def effect_sizes(self) -> np.ndarray:
        x, y = np.split(self.associations, [self.count_x], axis=1)
        return np.asarray((x.mean(axis=1) - y.mean(axis=1)) / self.spreads)


def sampled_associations(
    items: pd.DataFrame, vectors: np.ndarray, reference: np.ndarray, samples: int, manner: TestSettings
) -> Sampled:
    """Draws a sentence for each word, so many times, and measures the associations."""
    dice = np.random.default_rng(manner.seed)
    places = {  # where each word's occurrences are
        role: [
            np.flatnonzero((items.role == role) & (items.word == word))
            for word in items.word[items.role == role].unique()
        ]
        for role in ROLES
    }
    drawn = {role: [dice.integers(0, len(at), samples) for at in some] for role, some in places.items()}
    associations = []
    for role in ("X", "Y"):
        for at, row in zip(places[role], drawn[role], strict=True):
            means = []
            for other in ("A", "B"):
                similar = [
                    stats.similarity(vectors[at], vectors[to], manner.metric, reference)[row, column]
                    for to, column in zip(places[other], drawn[other], strict=True)
                ]
                means.append(np.mean(similar, axis=0))
            associations.append(means[0] - means[1])
    return Sampled(np.stack(associations, axis=1), len(places["X"]))


def sampling_variance(d: float, n_x: int, n_y: int) -> float:
    """The variance of WEAT's d (ddof=1) over samples of so many words, by the delta method from that of Cohen's d.

    >>> round(sampling_variance(0.0, 8, 8), 3), round(sampling_variance(1.5, 8, 8), 3)
    (0.268, 0.028)
    """
    n = n_x + n_y
    within, between = (n - 2) / (n - 1), n_x * n_y / (n * (n - 1))
    # d^2 = delta^2 / (within + between delta^2)
    delta2 = within * d**2 / (1 - between * d**2)
    spread = within + between * delta2
    return float(within**2 / spread**3 * (n / (n_x * n_y) + delta2 / (2 * n)))

"""How much two conditions differ by sampling alone, from repeated draws under each condition of each cluster.

What is drawn again under one and the same condition differs too. To see by how much, the draws of each cluster and
condition are split at random into two halves, and their means are compared. With k draws in halves of a and b the
difference is multiplied by sqrt((1 / k) / (1 / a + 1 / b)), which makes it vary as the mean of all k draws does; the
sum over both conditions then varies as the difference of their means would if sampling were all there is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import FloatArray, Labels, finite_values, fraction, label_codes, positive

_CELLS = 1_000_000  # of a table of splits that are drawn at once


@dataclass(frozen=True)
class SamplingBand:
    """`half`: in `level` of the splits the mean difference of the clusters is no further from 0.

    `n_clusters` counts those with at least two draws under both conditions, of which the band is made; `reason` says
    why there is no band.
    """

    half: float
    n_clusters: int
    level: float
    reason: str | None = None

    def holds(self, value: float) -> bool:
        """Is a difference of this size no more than sampling alone gives? False where there is no band."""
        return abs(value) <= self.half


def sampling_band(
    values: ArrayLike,
    conditions: Labels,
    clusters: Labels,
    n: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> SamplingBand:
    """The band of the mean over clusters of the difference between two conditions, if sampling were all there is.

    >>> rng = np.random.default_rng(0)
    >>> answers = rng.normal(size=400)                              # 40 clusters, 2 conditions, 5 draws of each
    >>> band = sampling_band(answers, [0, 1] * 200, np.repeat(range(40), 10))
    >>> round(band.half, 2), round(1.96 * math.sqrt(2 / 200), 2)    # what theory says
    (0.2, 0.2)
    """
    table = finite_values(values)
    sides = label_codes(conditions, len(table), "conditions")
    codes = label_codes(clusters, len(table))
    fraction(level, "level")
    if sides.max() != 1:
        raise InputError(f"two conditions are compared, found {sides.max() + 1}")
    n_all = codes.max() + 1
    counts = np.zeros((n_all, 2), dtype=np.int64)
    np.add.at(counts, (codes, sides), 1)
    both = int((counts.min(axis=1) > 0).sum())
    usable = counts.min(axis=1) > 1
    if not usable.any():
        return SamplingBand(math.nan, 0, level, "fewer than two draws under each condition")
    rng = np.random.default_rng(seed)
    totals = np.zeros(positive(n, "n"))
    cells = 2 * codes + sides
    kept = usable[codes]
    for size in np.unique(counts[usable]):
        of_size = kept & (counts[codes, sides] == size)
        order = np.argsort(cells[of_size], kind="stable")
        totals += _halves(table[of_size][order].reshape(-1, size), n, rng)
    # Clusters of a single draw vary as much as the others do; what is theirs is added to the variance.
    means = totals / usable.sum() * math.sqrt(usable.sum() / both)
    return SamplingBand(float(np.quantile(np.abs(means), level)), int(usable.sum()), level)


def _halves(draws: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Of each of n random splits the sum over rows of the scaled differences between the means of two halves."""
    size = draws.shape[1]
    first = size // 2
    scale = math.sqrt((1 / size) / (1 / first + 1 / (size - first)))
    at_once = max(1, _CELLS // draws.size)
    sums = []
    for start in range(0, n, at_once):
        splits = rng.permuted(np.tile(draws, (min(at_once, n - start), 1)), axis=1)
        differences = splits[:, :first].mean(axis=1) - splits[:, first:].mean(axis=1)
        sums.append(differences.reshape(-1, len(draws)).sum(axis=1))
    return scale * np.concatenate(sums)

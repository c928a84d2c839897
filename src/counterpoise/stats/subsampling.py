"""How much data is enough? A measure on ever larger random parts of its items (Barza 2023, figure 6).

Where the values of repeated samples of one size lie close together, more items of that kind would change
little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from counterpoise.core.errors import InputError
from counterpoise.stats.bootstrapping import Statistic, values_of_named
from counterpoise.stats.inputs import Labels, finite_values, label_codes, positive


@dataclass(frozen=True)
class SubsampleCurve:
    """The values by size and repeat, and those sizes that there were not items enough for."""

    points: pd.DataFrame
    too_large: tuple[int, ...]
    n_items: int

    @property
    def summary(self) -> pd.DataFrame:
        """One row per size: mean, standard deviation, lowest and highest of the repeats."""
        by_size = self.points.groupby("size")["value"]
        return by_size.agg(["mean", "std", "min", "max"]).reset_index()


def subsample_curve(
    values: ArrayLike | pd.DataFrame,
    statistic: Statistic = "mean",
    sizes: Sequence[int] = (20, 40, 60, 80, 100),
    repeats: int = 5,
    seed: int = 0,
    clusters: Labels | None = None,
) -> SubsampleCurve:
    """The statistic on `repeats` random samples of each size, drawn without replacement.

    An item is a row, or a whole cluster where clusters are given. Sizes beyond the items at hand are not
    drawn but named in `too_large`.

    >>> curve = subsample_curve(range(50), sizes=(10, 50, 90), repeats=2)
    >>> curve.summary["size"].tolist(), curve.too_large, curve.points["value"].tolist()[-1]
    ([10, 50], (90,), 24.5)
    """
    table: Any = values if isinstance(values, pd.DataFrame) else finite_values(values)
    if len(table) == 0:
        raise InputError("the table to sample from is empty")
    if callable(statistic):
        measure = statistic
    else:
        values_of_named(statistic, values)
        measure = np.mean if statistic == "mean" else np.median
    codes = label_codes(clusters, len(table))
    n_items = int(codes.max()) + 1
    sizes = [positive(size, "each of the sizes") for size in sizes]
    rng = np.random.default_rng(seed)
    points = []
    for size in sorted({size for size in sizes if size <= n_items}):
        for repeat in range(positive(repeats, "repeats")):
            chosen = np.zeros(n_items, dtype=bool)
            chosen[rng.choice(n_items, size, replace=False)] = True
            rows = np.flatnonzero(chosen[codes])
            part = table.take(rows) if isinstance(table, pd.DataFrame) else table[rows]
            points.append((size, repeat, float(measure(part))))
    too_large = tuple(size for size in sizes if size > n_items)
    return SubsampleCurve(pd.DataFrame(points, columns=["size", "repeat", "value"]), too_large, n_items)

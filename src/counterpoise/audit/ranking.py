"""Models in order, tied where their intervals overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from counterpoise.measures.base.result import Result

_COLUMNS = ("value", "ci_low", "ci_high", "ideal", "effect_size")


def rank(results: Mapping[str, Sequence[Result]], measures: Sequence[str]) -> pd.DataFrame:
    """For each measure the models, closest to the ideal first, by the measure's headline row.

    A model shares the rank of the one that leads the rank if the intervals of their distances overlap; one without an
    interval is not ranked. Columns: `measure`, `statistic`, `rank`, `model`, `value`, `ci_low`, `ci_high`, `distance`
    from the ideal with `low` and `high`, `effect_size`.
    """
    tables = []
    for measure in measures:
        rows = {
            model: result.headline
            for model, model_results in results.items()
            for result in model_results
            if result.measure == measure
        }
        first = next(iter(rows.values()))
        rows = {
            name: row
            for name, row in rows.items()
            if (row.key == first.key or row.statistic == first.statistic) and not np.isnan(row.ideal)
        }
        if len(rows) < 2:
            continue
        table = pd.DataFrame([{"model": name, **row[list(_COLUMNS)]} for name, row in rows.items()])
        tables.append(_ranked(table).assign(measure=measure, statistic=first.statistic))
    return (
        pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["measure", "rank", "model"])
    )


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """
    >>> three = pd.DataFrame({"model": ["a", "b", "c"], "value": [0.5, -0.1, 0.2], "ideal": 0.0,
    ...                       "ci_low": [0.4, -0.2, 0.1], "ci_high": [0.6, 0.0, 0.3]})
    >>> _ranked(three)[["model", "rank"]].values.tolist()
    [['b', 1.0], ['c', 1.0], ['a', 3.0]]
    """
    low, high = table.ci_low - table.ideal, table.ci_high - table.ideal
    across = (low <= 0) & (high >= 0)
    table = table.assign(
        distance=(table.value - table.ideal).abs(),
        low=np.where(across, 0.0, np.minimum(low.abs(), high.abs())),
        high=np.maximum(low.abs(), high.abs()),
    )
    unknown = low.isna() | high.isna()
    table.loc[unknown, ["low", "high"]] = np.nan
    table = table.assign(unknown=unknown).sort_values(["unknown", "distance"], kind="stable")
    ranks: list[float] = []
    reach = -np.inf  # of the model that leads the rank
    for place, (low_end, high_end) in enumerate(zip(table.low, table.high, strict=True), start=1):
        if np.isnan(high_end):
            ranks.append(np.nan)
        elif low_end > reach:
            reach = high_end
            ranks.append(float(place))
        else:
            ranks.append(ranks[-1])
    return table.drop(columns="unknown").assign(rank=ranks).reset_index(drop=True)

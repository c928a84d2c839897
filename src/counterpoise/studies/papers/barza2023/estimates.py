"""A mean over training runs and items as a row of the study's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from counterpoise import stats
from counterpoise.stats.crossed import crossed_t


def estimate(values: ArrayLike, **labels: Any) -> dict[str, Any]:
    """The mean of a table with a row per run (training seed) and a column per item (sentence pair, template, word).

    Interval and p count both as drawn. With one run they are about items alone, and `seeds` says so.

    >>> row = estimate([[1.0, 2.0, 3.0]], group="all")
    >>> row["value"], round(row["ci_low"], 2), row["n"], row["seeds"], row["group"]
    (2.0, -0.48, 3, 1, 'all')
    """
    table = np.atleast_2d(np.asarray(values, dtype=float))
    fit = crossed_t(table)
    return {
        **labels,
        "value": fit.value,
        "ci_low": fit.low,
        "ci_high": fit.high,
        "p_value": fit.p_value,
        "smallest_detectable": stats.smallest_detectable_t(fit.standard_error, fit.df),
        "n": table.shape[1],
        "seeds": table.shape[0],
        "note": fit.reason or "",
    }


def with_adjusted(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with p-values adjusted (Holm) for being this many.

    >>> [row["p_adjusted"] for row in with_adjusted([{"p_value": 0.01}, {"p_value": 0.5}])]
    [0.02, 0.5]
    """
    adjusted = stats.adjust([row["p_value"] for row in rows])
    return [{**row, "p_adjusted": float(p)} for row, p in zip(rows, adjusted, strict=True)]


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as those of a cell.

    >>> records(pd.DataFrame({"group": ["all"], "value": [0.5]}))
    [{'group': 'all', 'value': 0.5}]
    """
    return [dict(zip(table.columns, values, strict=True)) for values in table.itertuples(index=False)]

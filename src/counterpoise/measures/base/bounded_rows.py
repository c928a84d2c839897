"""Rows about items that are known only within bounds, such as words that are not among a server's top tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise.measures.base.rows import Row


def bounded_rows(lowest: Sequence[Row], highest: Sequence[Row], note: str) -> list[Row]:
    """Rows between those of the lowest and of the highest values that the items can have.

    A value is the middle of what is possible. Its interval reaches from the lower end of the one to the upper end of
    the other, so that it holds whatever the unknown values are; a test counts only what holds at both ends.
    """
    return [
        low if low.value == high.value and low.ci_low == high.ci_low else _between(low, high, note)
        for low, high in zip(lowest, highest, strict=True)
    ]


def between_ends(
    items: pd.DataFrame, column: str, raised: pd.Series, row_of: Callable[[pd.DataFrame], Row], note: str
) -> Row:
    """The row of a column; where its items have `COLUMN_low` and `COLUMN_high`, the row between the two ends.

    `raised` marks the items that raise the value of the row; the others lower it.
    """
    if f"{column}_low" not in items:
        return row_of(items)
    low, high = items[f"{column}_low"], items[f"{column}_high"]
    lowest, highest = (
        row_of(items.assign(**{column: values}))
        for values in (low.where(raised, high), high.where(raised, low))
    )
    [row] = bounded_rows([lowest], [highest], note)
    return row


def _between(low: Row, high: Row, note: str) -> Row:
    shared = low.note if low.note == high.note else ""
    note = "; ".join(filter(None, (shared, note)))
    if not (np.isfinite(low.value) and np.isfinite(high.value)):
        return _unknown(low, note)
    ideal = low.ideal.value or 0.0
    same_side = (low.value > ideal) == (high.value > ideal)
    tested = np.isfinite(low.p_value) and np.isfinite(high.p_value)
    return replace(
        low,
        value=(low.value + high.value) / 2,
        ci_low=min(_or(row.ci_low, row.value) for row in (low, high)),
        ci_high=max(_or(row.ci_high, row.value) for row in (low, high)),
        p_value=np.nan if not tested else max(low.p_value, high.p_value) if same_side else 1.0,
        effect_size=min(low.effect_size, high.effect_size, key=abs) if same_side else low.effect_size * 0,
        smallest_detectable=float(np.maximum(low.smallest_detectable, high.smallest_detectable)),
        note=note,
    )


def _unknown(row: Row, note: str) -> Row:
    """Nothing can be said where an end has no value."""
    nan = np.nan
    return replace(
        row,
        value=nan,
        ci_low=nan,
        ci_high=nan,
        p_value=nan,
        effect_size=nan,
        smallest_detectable=nan,
        note=note,
    )


def _or(number: float, instead: float) -> float:
    """The end of an interval; where there is none, since the values are all equal, the value."""
    return number if np.isfinite(number) else instead

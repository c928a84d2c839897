"""The items that two results share, so that models are compared on the same questions."""

from __future__ import annotations

import pandas as pd

from counterpoise.measures.base.result import Result


def shared_items(first: Result, second: Result) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The items that both have, in the same order; nothing in common gives empty tables.

    Items are told apart by the columns that the measure names. One that stands there twice is told apart by its turn.
    """
    one, other = first.items, second.items
    columns = [name for name in first.identity if name in one and name in other]
    if not columns:
        return one.iloc[:0], other.iloc[:0]
    keys = [_keys(table, columns) for table in (one, other)]
    common = keys[0].intersection(keys[1], sort=False)
    return tuple(  # type: ignore[return-value]
        table.set_axis(key, axis=0).loc[common].reset_index(drop=True)
        for table, key in zip((one, other), keys, strict=True)
    )


def _keys(table: pd.DataFrame, columns: list[str]) -> pd.Index:
    text = table[columns].astype(str)
    return pd.MultiIndex.from_frame(text.assign(turn=text.groupby(columns, sort=False).cumcount()))

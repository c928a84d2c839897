"""The items that two results share, so that models are compared on the same questions."""

from __future__ import annotations

import pandas as pd

from counterpoise.measures.base.result import Result


def shared_items(first: Result, second: Result) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The items that both have, in the same order; empty tables if they have none in common.

    The columns that the measure declares identify an item; duplicates are matched in their order.
    """
    tables = first.items, second.items
    columns = [name for name in first.identity if all(name in table for table in tables)]
    if not columns:
        return first.items.iloc[:0], second.items.iloc[:0]
    keys = [_keys(table, columns) for table in tables]
    common = keys[0].intersection(keys[1], sort=False)
    in_first, in_second = (
        table.set_axis(key, axis=0).loc[common].reset_index(drop=True)
        for table, key in zip(tables, keys, strict=True)
    )
    return in_first, in_second


def _keys(table: pd.DataFrame, columns: list[str]) -> pd.Index:
    text = table[columns].astype(str)
    return pd.MultiIndex.from_frame(text.assign(turn=text.groupby(columns, sort=False).cumcount()))

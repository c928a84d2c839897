"""Which rows of a long table are shown."""

from __future__ import annotations

import pandas as pd


def lowest_and_highest(ordered: pd.DataFrame, most: int) -> pd.DataFrame:
    """The first and the last rows of an ordered table, `most` in all; the whole table if it has no more.

    >>> lowest_and_highest(pd.DataFrame({"value": range(9)}), 4).value.tolist()
    [0, 1, 7, 8]
    """
    if len(ordered) <= most:
        return ordered
    return pd.concat([ordered.head(most // 2), ordered.tail(most // 2)])

"""A balanced sample of items, for models that are asked at a price."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import pandas as pd

# Columns that a sample is balanced over, as far as items have them.
_STRATA = ("category", "task", "direction", "about", "gendered", "target", "word")

_limit: ContextVar[tuple[int, int] | None] = ContextVar("limit", default=None)


@contextmanager
def limited(items: int | None, seed: int = 0) -> Iterator[None]:
    """While the block runs, measures take at most this many items of their data."""
    before = _limit.set(None if items is None else (items, seed))
    try:
        yield
    finally:
        _limit.reset(before)


def sampled(items: pd.DataFrame) -> pd.DataFrame:
    """The items, or a balanced sample of them while there is a limit."""
    limit = _limit.get()
    return items if limit is None or len(items) <= limit[0] else balanced_sample(items, *limit)


def balanced_sample(items: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """n items, as many of each category, and within these as many of each word, as can be; in their order.

    >>> items = pd.DataFrame({"category": ["a"] * 6 + ["b"] * 2, "text": list("stuvwxyz")})
    >>> balanced_sample(items, 4, seed=0).category.tolist()
    ['a', 'a', 'b', 'b']
    """
    columns = [column for column in _STRATA if column in items]
    order = pd.DataFrame({"draw": np.random.default_rng(seed).permutation(len(items))}, index=items.index)
    turns: list[str] = []
    for depth in range(len(columns), 0, -1):  # the turn of an item within its stratum, from the finest one up
        strata = [items[column].to_numpy() for column in columns[:depth]]
        order = order.sort_values([*turns, "draw"])
        places = pd.Series(range(len(order)), index=order.index)
        name = f"turn {depth}"
        order[name] = places.groupby([pd.Series(s, index=items.index)[order.index] for s in strata]).rank()
        turns.insert(0, name)
    chosen = order.sort_values([*turns, "draw"]).index[:n]
    return items.loc[sorted(chosen)]

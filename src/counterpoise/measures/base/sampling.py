"""A balanced sample of items, for models that are asked at a price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import pandas as pd

# Columns that a sample is balanced over, as far as items have them.
STRATA = (
    *("category", "group", "task", "type", "referent", "direction", "about", "gendered", "target"),
    *("stereotype", "name", "profession", "occupation", "word"),
)

_limit: ContextVar[tuple[int, int] | None] = ContextVar("limit", default=None)


@contextmanager
def limited(items: int | None, seed: int = 0) -> Iterator[None]:
    """While the block runs, measures take at most this many items of their data."""
    before = _limit.set(None if items is None else (items, seed))
    try:
        yield
    finally:
        _limit.reset(before)


def current_limit() -> tuple[int, int] | None:
    """The most items that a measure may take and the seed of their choice, while there is a limit."""
    return _limit.get()


def orders_within_limit(items: int, n: int) -> int:
    """In how many of n ways each item can be asked while there is a limit; at least one."""
    limit = _limit.get()
    return n if limit is None else min(n, max(1, limit[0] // items))


def sampled(
    items: pd.DataFrame, together: Sequence[str] = (), strata: Sequence[str] = STRATA
) -> pd.DataFrame:
    """The items, or a sample of them while there is a limit, balanced over the columns `strata`.

    `together` names the columns that items share which mean something only side by side, such as the two versions of a
    sentence; all of them are taken, or none.
    """
    limit = _limit.get()
    if limit is None or len(items) <= limit[0]:
        return items
    n, seed = limit
    if not together:
        return balanced_sample(items, n, seed, strata)
    groups = items.groupby(list(together), sort=False, dropna=False)
    size = int(groups.size().max())
    firsts = items.assign(group_number=groups.ngroup()).drop_duplicates("group_number")
    chosen = balanced_sample(firsts, max(1, n // size), seed, strata)
    return items[groups.ngroup().isin(chosen.group_number)]


def balanced_sample(items: pd.DataFrame, n: int, seed: int, strata: Sequence[str] = STRATA) -> pd.DataFrame:
    """n items, as many of each category, and within these as many of each word, as can be; in their order.

    >>> items = pd.DataFrame({"category": ["a"] * 6 + ["b"] * 2, "text": list("stuvwxyz")})
    >>> balanced_sample(items, 4, seed=0).category.tolist()
    ['a', 'a', 'b', 'b']
    """
    cells = items[[column for column in strata if column in items]].reset_index(drop=True)
    order = pd.DataFrame({"draw": np.random.default_rng(seed).permutation(len(items))})
    turns: list[str] = []
    for depth in range(
        cells.shape[1], 0, -1
    ):  # the turn of an item within its stratum, from the finest one up
        order = order.sort_values([*turns, "draw"])
        name = f"turn {depth}"
        within = cells.loc[order.index].groupby(list(cells.columns[:depth]), sort=False, dropna=False)
        order[name] = within.cumcount()
        turns.insert(0, name)
    chosen = order.sort_values([*turns, "draw"]).index[:n]
    return items.iloc[sorted(chosen)]

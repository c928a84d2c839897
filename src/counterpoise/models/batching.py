"""Which inputs go through a model together: sorted by length and packed by a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np


def pack(lengths: Sequence[int] | np.ndarray, token_budget: int) -> Iterator[list[int]]:
    """Indices in batches: the longest first, none larger than the budget when padded, each item whole.

    A batch that is at least half full ends where the length changes, so that most batches need no padding. Batches are
    filled one after another in an order that depends on the lengths alone: work that was stopped after some batches
    forms the same remaining batches when it is continued.

    >>> list(pack([3, 9, 4, 4], token_budget=20))
    [[1, 2], [3, 0]]
    >>> list(pack([3, 9, 4, 4], token_budget=12))
    [[1], [2, 3], [0]]
    """
    batch: list[int] = []
    longest = 0
    for index in np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable").tolist():
        length = int(lengths[index])
        full = (len(batch) + 1) * longest > token_budget
        half_full_and_shorter = length < longest and 2 * len(batch) * longest >= token_budget
        if batch and (full or half_full_and_shorter):
            yield batch
            batch = []
        if not batch:
            longest = length
        batch.append(index)
    if batch:
        yield batch

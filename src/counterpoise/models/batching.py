"""Which inputs go through a model together: sorted by length and packed by a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np


def pack(lengths: Sequence[int] | np.ndarray, token_budget: int) -> Iterator[np.ndarray]:
    """Indices in batches: the longest first, none larger than the budget when padded, each item whole.

    A batch takes shorter items only until it is half full, so that most batches need no padding. Batches are filled
    one after another in an order that depends on the lengths alone: work that was stopped after some batches forms the
    same remaining batches when it is continued.

    >>> [batch.tolist() for batch in pack([3, 9, 4, 4], token_budget=20)]
    [[1, 2], [3, 0]]
    >>> [batch.tolist() for batch in pack([3, 9, 4, 4], token_budget=12)]
    [[1], [2, 3], [0]]
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        longest = int(lengths[order[start]])
        full = start + max(1, token_budget // max(1, longest))
        half_full = start - (-token_budget // (2 * max(1, longest)))
        shorter = start + int(np.searchsorted(-lengths[order[start:full]], -longest, side="right"))
        end = min(full, max(half_full, shorter))
        yield order[start:end]
        start = end

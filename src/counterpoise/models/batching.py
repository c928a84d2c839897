"""Which inputs go through a model together: sorted by length and packed by a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def pack(lengths: Sequence[int], token_budget: int) -> Iterator[list[int]]:
    """Indices in batches: the longest first, none larger than the budget when padded, each item whole.

    The order depends on the lengths alone and batches are filled one after another, so that work which was stopped
    after some batches forms the same remaining batches when it is continued.

    >>> list(pack([3, 9, 4, 4], token_budget=12))
    [[1], [2, 3, 0]]
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > token_budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch

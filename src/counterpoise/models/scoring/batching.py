"""Which inputs go through a model together: sorted by length and packed by a token budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from counterpoise.core.errors import ModelError

S = TypeVar("S")
T = TypeVar("T")

# What torch's errors say, on the various devices, when memory is short
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "unable to allocate")


def pack(lengths: Sequence[int] | np.ndarray, token_budget: int) -> Iterator[np.ndarray]:
    """Batches of indices: the longest items first, no batch over the budget when padded, each item whole.

    A batch takes shorter items only until it is half full, so that most batches need no padding. Batches are filled
    one after another in an order that depends only on the lengths, so that resumed work forms the same remaining
    batches.

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


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory is short; torch.OutOfMemoryError is a RuntimeError, like many others.

    >>> is_out_of_memory(RuntimeError("CUDA out of memory")), is_out_of_memory(RuntimeError("shapes differ"))
    (True, False)
    """
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in _OUT_OF_MEMORY)


def halving(
    batch: np.ndarray, work: Callable[[np.ndarray], T], describe: Callable[[int], str]
) -> Iterator[tuple[np.ndarray, T]]:
    """Does the work on a batch or, if memory runs out, on its halves.

    If a single item is too much, the error names it with `describe`.
    """
    try:
        result = work(batch)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        if len(batch) == 1:
            raise ModelError(f"there is not enough memory for {describe(int(batch[0]))}") from None
    else:
        yield batch, result
        return
    # Outside the handler, so that what the failed attempt held is free again.
    middle = len(batch) // 2
    yield from halving(batch[:middle], work, describe)
    yield from halving(batch[middle:], work, describe)


def one_ahead(work: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """The results of the work on each item; while the caller uses one, the next is computed.

    >>> list(one_ahead(len, ["a", "be", "sea"]))
    [1, 2, 3]
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        pending: Future[T] | None = None
        for item in items:
            following = thread.submit(work, item)
            if pending is not None:
                yield pending.result()
            pending = following
        if pending is not None:
            yield pending.result()

"""The order in which texts are trained on: random, but with texts of about the same length together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from torch.utils.data import Sampler

_POOL = 50  # batches whose texts are sorted by length


class SimilarLengths(Sampler[int]):
    """Shuffles, sorts each pool of 50 batches by length, and shuffles the batches.

    The order depends only on seed and epoch, so that a resumed training run sees the same batches.

    >>> sampler = SimilarLengths([5, 1, 4, 1, 5, 9, 2, 6], batch_size=2, seed=0)
    >>> sorted(sampler)
    [0, 1, 2, 3, 4, 5, 6, 7]
    >>> sampler.set_epoch(1); first = list(sampler); sampler.set_epoch(2); first == list(sampler)
    False
    """

    def __init__(self, lengths: Sequence[int] | np.ndarray, batch_size: int, seed: int) -> None:
        self.lengths = np.asarray(lengths)
        self.batch_size = batch_size
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[int]:
        rng = np.random.default_rng([self.seed, self.epoch])
        order = rng.permutation(len(self.lengths))
        size = _POOL * self.batch_size
        pools = [order[start : start + size] for start in range(0, len(order), size)]
        by_length = np.concatenate([pool[np.argsort(self.lengths[pool], kind="stable")] for pool in pools])
        whole = len(order) // self.batch_size * self.batch_size
        batches = by_length[:whole].reshape(-1, self.batch_size)
        return iter([*batches[rng.permutation(len(batches))].ravel().tolist(), *by_length[whole:].tolist()])


class WithEpoch(SimilarLengths):
    """The same order, each index paired with the epoch, for texts that differ from epoch to epoch."""

    def __iter__(self) -> Iterator[tuple[int, int]]:  # type: ignore[override]
        return ((number, self.epoch) for number in super().__iter__())

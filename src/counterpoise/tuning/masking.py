"""What a language model is trained to predict: masked tokens (Devlin et al. 2019, section 3.1), or each next token.

Masked tokens are drawn anew in every epoch, from the seed and the epoch alone, so that a resumed training run masks
the same tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

IGNORED = -100  # the label of a token that is not to be predicted
_MASKED, _RANDOM = 0.8, 0.1  # the shares of drawn tokens that become the mask, or any token; the rest stay


class TrainingRow(NamedTuple):
    """A sentence to train on."""

    ids: np.ndarray  # what the model is shown
    labels: np.ndarray  # what it must predict at each position, or IGNORED
    keep: np.ndarray  # where to keep the base model's prediction instead of learning the true token


@dataclass(frozen=True)
class Mask:
    """The id of the mask token, and how many ids there are to draw a random token from."""

    token: int
    vocabulary: int


class TrainingRows(torch.utils.data.Dataset[TrainingRow]):
    """Sentences by number and epoch.

    probabilities: for each sentence, the probability of each token to be drawn; None to predict each next token.
    keep: for each sentence, at which tokens to keep the base model's predictions.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        keep: Sequence[np.ndarray],
        seed: int,
        probabilities: Sequence[np.ndarray] | None = None,
        mask: Mask | None = None,
    ) -> None:
        self.lengths = np.array([len(ids) for ids in sentences])
        self._ends = np.cumsum(self.lengths)
        self._ids = np.concatenate([np.asarray(ids, dtype=np.int64) for ids in sentences])
        self._keep = np.concatenate(keep)
        self._seed = seed
        self._probabilities = None if probabilities is None else np.concatenate(probabilities)
        self._mask = mask
        self._drawn: tuple[int, np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, key: tuple[int, int]) -> TrainingRow:
        number, epoch = key
        end = self._ends[number]
        row = slice(end - self.lengths[number], end)
        if self._probabilities is None or self._mask is None:
            ids = self._ids[row]
            return TrainingRow(ids, np.append(ids[1:], IGNORED), self._keep[row])
        if self._drawn is None or self._drawn[0] != epoch:
            drawn = draw(self._ids, self._probabilities, self._mask, self._seed, epoch)
            self._drawn = (epoch, *drawn)
        return TrainingRow(self._drawn[1][row], self._drawn[2][row], self._keep[row])


def draw(
    ids: np.ndarray, probabilities: np.ndarray, mask: Mask, seed: int, epoch: int
) -> tuple[np.ndarray, np.ndarray]:
    """What is shown, and what is to be predicted, in an epoch.

    >>> shown, labels = draw(np.array([101, 7, 8, 102]), np.array([0, 1.0, 0, 0]), Mask(103, 200), seed=0, epoch=0)
    >>> labels.tolist()
    [-100, 7, -100, -100]
    """
    rng = np.random.default_rng([seed, epoch])
    chosen = rng.random(len(ids)) < probabilities
    fate = rng.random(len(ids))
    anything = rng.integers(mask.vocabulary, size=len(ids))
    shown = np.where(chosen & (fate < _MASKED), mask.token, ids)
    shown = np.where(chosen & (fate >= 1 - _RANDOM), anything, shown)
    return shown, np.where(chosen, ids, IGNORED)


def collate(rows: Sequence[TrainingRow], pad: int) -> dict[str, Any]:
    """A batch: padded ids and, in the flattened batch, the places to predict (`places`) with their true `targets`.

    Sentences with predictions to keep are its last `kept_rows` rows, and those places its last `kept_places` ones, so
    that there is no need to fetch from a GPU where they are. Without padding there is no attention mask, which lets
    attention take its fastest path.
    """
    rows = sorted(rows, key=lambda row: bool(row.keep.any()))
    lengths = np.array([len(row.ids) for row in rows])
    longest = int(lengths.max())
    real = np.arange(longest) < lengths[:, None]
    ids = np.full(real.shape, pad, dtype=np.int64)
    labels = np.full(real.shape, IGNORED, dtype=np.int64)
    ids[real] = np.concatenate([row.ids for row in rows])
    labels[real] = np.concatenate([row.labels for row in rows])
    keep = np.zeros(real.shape, dtype=bool)
    keep[real] = np.concatenate([row.keep for row in rows])
    [places] = np.nonzero(labels.ravel() != IGNORED)
    kept = keep.ravel()[places]
    places = np.concatenate([places[~kept], places[kept]])
    arrays = {"input_ids": ids, "places": places, "targets": labels.ravel()[places]}
    if not real.all():
        arrays["attention_mask"] = real.astype(np.int64)
    tensors = {name: torch.from_numpy(values) for name, values in arrays.items()}
    return {
        **tensors,
        "kept_rows": sum(bool(row.keep.any()) for row in rows),
        "kept_places": int(kept.sum()),
    }

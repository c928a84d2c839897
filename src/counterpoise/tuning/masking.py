"""What a language model is trained to guess: hidden tokens (Devlin 2019, section 3.1), or each next token.

Hidden tokens are drawn anew in every epoch, from the seed and the epoch alone: a training that was stopped goes on with
the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

IGNORED = -100  # the label of a token that need not be guessed
_HIDDEN, _RANDOM = (
    0.8,
    0.1,
)  # of the tokens to guess, so many become the mask and so many any token; the rest stay


class TrainingRow(NamedTuple):
    """A sentence as it is trained on."""

    ids: np.ndarray  # what the model is shown
    labels: np.ndarray  # what it must guess at each place, or IGNORED
    keep: np.ndarray  # where the base model's guess is to be kept, instead of the true token learnt


@dataclass(frozen=True)
class Mask:
    """The id of the mask token, and how many ids there are to draw a random token from."""

    token: int
    vocabulary: int


class TrainingRows(torch.utils.data.Dataset[TrainingRow]):
    """Sentences by their number and the epoch.

    odds: of each sentence the probability of each token to be drawn; None where each next token is guessed.
    keep: of each sentence, at which tokens the base model's guesses are to be kept.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        keep: Sequence[np.ndarray],
        seed: int,
        odds: Sequence[np.ndarray] | None = None,
        mask: Mask | None = None,
    ) -> None:
        self.lengths = np.array([len(ids) for ids in sentences])
        self._ends = np.cumsum(self.lengths)
        self._ids = np.concatenate([np.asarray(ids, dtype=np.int64) for ids in sentences])
        self._keep = np.concatenate(keep)
        self._seed = seed
        self._odds = None if odds is None else np.concatenate(odds)
        self._mask = mask
        self._drawn: tuple[int, np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, key: tuple[int, int]) -> TrainingRow:
        number, epoch = key
        end = self._ends[number]
        place = slice(end - self.lengths[number], end)
        if self._odds is None or self._mask is None:
            ids = self._ids[place]
            return TrainingRow(ids, np.append(ids[1:], IGNORED), self._keep[place])
        if self._drawn is None or self._drawn[0] != epoch:
            self._drawn = (epoch, *draw(self._ids, self._odds, self._mask, self._seed, epoch))
        return TrainingRow(self._drawn[1][place], self._drawn[2][place], self._keep[place])


def draw(
    ids: np.ndarray, odds: np.ndarray, mask: Mask, seed: int, epoch: int
) -> tuple[np.ndarray, np.ndarray]:
    """What is shown, and what is to be guessed, in an epoch.

    >>> shown, labels = draw(np.array([101, 7, 8, 102]), np.array([0, 1.0, 0, 0]), Mask(103, 200), seed=0, epoch=0)
    >>> labels.tolist()
    [-100, 7, -100, -100]
    """
    dice = np.random.default_rng([seed, epoch])
    chosen = dice.random(len(ids)) < odds
    fate = dice.random(len(ids))
    anything = dice.integers(mask.vocabulary, size=len(ids))
    shown = np.where(chosen & (fate < _HIDDEN), mask.token, ids)
    shown = np.where(chosen & (fate >= 1 - _RANDOM), anything, shown)
    return shown, np.where(chosen, ids, IGNORED)


def collate(rows: Sequence[TrainingRow], pad: int) -> dict[str, Any]:
    """A batch: padded ids, and in the flattened batch the places to guess (`places`) with the true tokens (`targets`).

    Sentences with guesses to keep are its last `kept_rows` rows, and those places its last `kept_places` ones, so that
    a GPU need not be asked where they are. There is no attention mask where no row is padded, which lets attention take
    its quickest path.
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

"""Questions to a masked language model: log P(target at position | row of ids), in lists.

A row of ids is kept as the bytes of its int32 numbers, so that it can be hashed, compared and joined to a batch
without touching single numbers. That matters when a GPU answers a hundred thousand questions per second.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Questions:
    """Questions asked together; the i-th is about `targets[i]` at `positions[i]` of `rows[i]`."""

    rows: list[bytes]
    positions: np.ndarray
    targets: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, ids: np.ndarray, positions: np.ndarray, targets: np.ndarray) -> Questions:
        """Questions from an array of rows of one length, one row per question."""
        flat, width = ids.astype(np.int32).tobytes(), 4 * ids.shape[1]
        return cls([flat[i : i + width] for i in range(0, len(flat), width)], positions, targets)

    @classmethod
    def join(cls, parts: Sequence[Questions]) -> Questions:
        if not parts:
            return cls([], np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        return cls(
            [row for part in parts for row in part.rows],
            np.concatenate([part.positions for part in parts]).astype(np.int64),
            np.concatenate([part.targets for part in parts]).astype(np.int64),
        )

    def unique(self) -> tuple[Questions, np.ndarray, np.ndarray]:
        """The distinct questions, sorted by row; the number of each one's row; which of them each question is."""
        numbers: dict[bytes, int] = {}
        row = np.fromiter(
            (numbers.setdefault(ids, len(numbers)) for ids in self.rows), np.int64, len(self.rows)
        )
        # One number per question. Rows would have to fill terabytes before it overflowed.
        words, places = int(self.targets.max(initial=0)) + 1, int(self.positions.max(initial=0)) + 1
        keys, inverse = np.unique((row * places + self.positions) * words + self.targets, return_inverse=True)
        row, positions, targets = keys // (places * words), keys // words % places, keys % words
        rows = list(numbers)
        return Questions([rows[number] for number in row], positions, targets), row, inverse

    def take(self, indices: np.ndarray) -> Questions:
        return Questions([self.rows[i] for i in indices], self.positions[indices], self.targets[indices])

    def digests(self) -> list[bytes]:
        """The key of each question in the cache."""
        questions = zip(self.rows, self.positions.tolist(), self.targets.tolist(), strict=True)
        return [
            hashlib.blake2b(row + struct.pack("<ii", position, target), digest_size=16).digest()
            for row, position, target in questions
        ]


def each_token(ids: np.ndarray, words: np.ndarray, mask: int, *, hide_rest_of_word: bool) -> Questions:
    """One question per token of a sentence: how probable is it, given the others?

    `words` holds the number of the word that each token belongs to, -1 for special tokens. With `hide_rest_of_word`
    the later pieces of the same word are masked too.

    >>> questions = each_token(np.array([2, 7, 8, 3]), np.array([-1, 0, 0, -1]), 4, hide_rest_of_word=True)
    >>> [np.frombuffer(row, np.int32).tolist() for row in questions.rows]
    [[2, 4, 4, 3], [2, 7, 4, 3]]
    """
    return each_token_of_all([ids], [words], mask, hide_rest_of_word=hide_rest_of_word)[0]


def each_token_of_all(
    ids: Sequence[Sequence[int] | np.ndarray],
    words: Sequence[Sequence[int] | np.ndarray],
    mask: int,
    *,
    hide_rest_of_word: bool,
) -> tuple[Questions, np.ndarray]:
    """The questions of `each_token` for many sentences, and the sentence that each belongs to; sorted by length."""
    lengths = np.array([len(sentence) for sentence in ids])
    parts, owners = [], []
    for length in np.unique(lengths):
        same = np.flatnonzero(lengths == length)
        tokens = np.array([ids[i] for i in same.tolist()], dtype=np.int32)
        word = np.array([words[i] for i in same.tolist()])
        sentence, positions = np.nonzero(word >= 0)
        rows = tokens[sentence]
        rows[np.arange(len(positions)), positions] = mask
        if hide_rest_of_word:
            later = np.arange(length) > positions[:, None]
            rows[later & (word[sentence] == word[sentence, positions][:, None])] = mask
        parts.append(Questions.of(rows, positions, tokens[sentence, positions]))
        owners.append(same[sentence])
    return Questions.join(parts), np.concatenate([np.zeros(0, np.int64), *owners])


def chain(ids: np.ndarray, position: int, pieces: Sequence[int], mask: int) -> Questions:
    """A word of one or more pieces in place of the mask at a position, filled in from left to right.

    >>> questions = chain(np.array([2, 4, 3]), 1, [7, 8], mask=4)
    >>> [np.frombuffer(row, np.int32).tolist() for row in questions.rows], questions.positions.tolist()
    ([[2, 4, 4, 3], [2, 7, 4, 3]], [1, 2])
    """
    k = len(pieces)
    rows = np.tile(np.concatenate([ids[:position], np.full(k, mask), ids[position + 1 :]]), (k, 1))
    for filled in range(1, k):
        rows[filled, position : position + filled] = pieces[:filled]
    return Questions.of(rows, np.arange(position, position + k), np.asarray(pieces))

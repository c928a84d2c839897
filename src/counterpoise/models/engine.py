"""Answers lists of questions to a masked language model, as fast as the machine allows.

Equal questions are asked once, those about the same row together; rows are sorted by length and packed by a budget of
tokens; the last layer and the output layer are computed at the asked positions only. A batch that does not fit into
memory is halved and tried again. On a GPU the next batch is prepared and launched while the last one is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import ModelError
from counterpoise.core.progress import progress
from counterpoise.models.batching import pack
from counterpoise.models.halves import Places, split
from counterpoise.models.questions import Questions

if TYPE_CHECKING:
    import torch

_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


class Engine:
    """The model's side of a `MaskedLM`."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, token_budget: int) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.token_budget = token_budget
        self.halves = split(model)

    def answer(self, asked: Questions, cache: ScoreCache | None, space: str) -> np.ndarray:
        """The log-probabilities, in the order asked."""
        questions, row_of, inverse = asked.unique()
        scores = np.full(len(questions), np.nan)
        digests = questions.digests() if cache else []
        if cache:
            known = cache.get(space, digests)
            scores[:] = [known.get(digest, np.nan) for digest in digests]
        todo = np.flatnonzero(np.isnan(scores))
        with progress(f"asking {self.name}", total=len(todo), unit="questions") as advance:
            for indices, found in self._answer_new(questions, row_of, todo):
                scores[indices] = found
                if cache:
                    cache.put(
                        space, {digests[i]: score for i, score in zip(indices, found.tolist(), strict=True)}
                    )
                advance(len(indices))
        return np.asarray(scores[inverse])

    def _answer_new(
        self, questions: Questions, row_of: np.ndarray, todo: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Batches of answers: the indices of the questions, and their scores."""
        waiting: tuple[np.ndarray, torch.Tensor] | None = None
        for batch in self._batches(questions, row_of, todo):
            for indices, scores in self._score_or_halve(questions, row_of, batch):
                if waiting is not None:  # fetched only now, so that a GPU has the next batch already
                    yield self._fetch(questions, *waiting)
                waiting = indices, scores
        if waiting is not None:
            yield self._fetch(questions, *waiting)

    def _batches(self, questions: Questions, row_of: np.ndarray, todo: np.ndarray) -> Iterator[np.ndarray]:
        """Indices of the questions to answer in one forward pass; those about one row are neighbours."""
        _, starts, counts = np.unique(row_of[todo], return_index=True, return_counts=True)
        lengths = [len(questions.rows[i]) // 4 for i in todo[starts]]
        for batch in pack(lengths, self.token_budget):
            if counts[batch].max() == 1:
                yield todo[starts[batch]]
            else:
                yield np.concatenate([todo[starts[i] : starts[i] + counts[i]] for i in batch])

    def _score_or_halve(
        self, questions: Questions, row_of: np.ndarray, indices: np.ndarray
    ) -> Iterator[tuple[np.ndarray, torch.Tensor]]:
        try:
            yield indices, self._score(questions.take(indices), row_of[indices])
        except RuntimeError as error:  # torch.OutOfMemoryError is one
            if not any(sign in str(error).lower() for sign in _OUT_OF_MEMORY):
                raise
            new_row = np.flatnonzero(np.diff(row_of[indices])) + 1
            if not len(new_row):
                row = questions.rows[indices[0]]
                raise ModelError(
                    f"there is not enough memory for one text of {len(row) // 4} tokens with {self.name}: "
                    f"{self._text(row)!r}"
                ) from None
            self.token_budget = max(1, self.token_budget // 2)
            middle = new_row[len(new_row) // 2]
            yield from self._score_or_halve(questions, row_of, indices[:middle])
            yield from self._score_or_halve(questions, row_of, indices[middle:])

    def _score(self, questions: Questions, row_of: np.ndarray) -> torch.Tensor:
        """log P of each question, on the device. Questions about one row are neighbours."""
        import torch

        begins = np.flatnonzero(np.diff(row_of, prepend=-1))
        row_of = np.cumsum(np.diff(row_of, prepend=row_of[0]) != 0)
        # Several words at one place need the output layer there only once.
        places, place_of = np.unique((row_of << 16) | questions.positions, return_inverse=True)
        with torch.inference_mode():
            logits = self.logits([questions.rows[i] for i in begins], places >> 16, places & 0xFFFF)
            at, targets = self._on_device(place_of), self._on_device(questions.targets)
            return logits[at, targets] - logits.logsumexp(-1)[at]

    def logits(self, rows: list[bytes], row_of: np.ndarray, positions: np.ndarray) -> torch.Tensor:
        """The scores of all words, in float32, at the given positions of the given rows."""
        batch = self._batch(rows)
        places = Places(
            self._on_device(row_of),
            self._on_device(positions),
            one_per_row=len(row_of) == len(rows) and bool((row_of == np.arange(len(rows))).all()),
        )
        if self.halves is None:
            whole: torch.Tensor = self.model(**batch).logits[places.rows, places.positions]
            return whole.float()
        return self.halves.logits(batch, places).float()

    def _batch(self, rows: list[bytes]) -> dict[str, torch.Tensor]:
        longest = max(map(len, rows))
        padding = np.int32(self.tokenizer.pad_token_id or 0).tobytes()
        padded = b"".join(row + padding * ((longest - len(row)) // 4) for row in rows)
        ids = np.frombuffer(padded, np.int32).reshape(len(rows), -1)
        batch = {"input_ids": self._on_device(ids)}
        lengths = np.array([len(row) // 4 for row in rows])
        if (lengths < ids.shape[1]).any():  # without padding no mask is needed, and attention is quicker
            batch["attention_mask"] = self._on_device(
                (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
            )
        return batch

    def _on_device(self, values: np.ndarray) -> torch.Tensor:
        import torch

        device = next(self.model.parameters()).device
        return torch.from_numpy(values.astype(np.int64)).to(device)

    def _text(self, row: bytes) -> str:
        return str(self.tokenizer.decode(np.frombuffer(row, np.int32).tolist()))

    def _fetch(
        self, questions: Questions, indices: np.ndarray, scores: torch.Tensor
    ) -> tuple[np.ndarray, np.ndarray]:
        values = scores.double().cpu().numpy()
        if not np.isfinite(values).all():
            [first, *_] = np.flatnonzero(~np.isfinite(values))
            question = questions.take(indices[first : first + 1])
            target, text = self.tokenizer.decode(question.targets), self._text(question.rows[0])
            raise ModelError(
                f"{self.name} gives {values[first]} as the log-probability of {target!r} in {text!r}; "
                "its weights or its precision are broken"
            )
        return indices, values

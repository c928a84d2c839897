"""Answers lists of questions to a masked language model, as fast as the machine allows.

Equal questions are asked once, those about the same row together; rows are sorted by length and packed by a budget of
tokens; the last layer and the output layer are computed at the asked positions only. A batch that does not fit into
memory is halved and tried again. On a GPU the next batch is prepared and launched while the last one is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import ModelError
from counterpoise.core.progress import progress
from counterpoise.models.scoring.batching import halving, pack
from counterpoise.models.scoring.questions import Questions
from counterpoise.models.scoring.splitting import SplitModel, TokenPositions, split

if TYPE_CHECKING:
    import torch

Inference = Callable[[], AbstractContextManager[None]]


class ScoringEngine:
    """The model's side of a `MaskedLM`."""

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str, token_budget: int, inference: Inference
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.token_budget = token_budget
        self.inference = inference
        self._state: object = None

    @property
    def halves(self) -> SplitModel | None:
        """The model in parts. They are made anew when its weights were changed, since some are copies."""
        state = _state(self.model)
        if state != self._state:
            self._halves, self._state = split(self.model), state
        return self._halves

    def answer(
        self, asked: Questions, cache: ScoreCache | None = None, space: str = "", *, normalised: bool = True
    ) -> np.ndarray:
        """The log-probabilities, in the order asked; if not normalised, up to a constant for each place."""
        questions, row_of, inverse = asked.unique()
        scores = np.full(len(questions), np.nan)
        digests = questions.digests() if cache else []
        if cache:
            known = cache.get(space, digests)
            scores[:] = [known.get(digest, np.nan) for digest in digests]
        todo = np.flatnonzero(np.isnan(scores))
        with progress(f"asking {self.name}", total=len(todo), unit="questions") as advance:
            for indices, found in self._answer_new(questions, row_of, todo, normalised):
                scores[indices] = found
                if cache:
                    cache.put(
                        space, {digests[i]: score for i, score in zip(indices, found.tolist(), strict=True)}
                    )
                advance(len(indices))
        return np.asarray(scores[inverse])

    def _answer_new(
        self, questions: Questions, row_of: np.ndarray, todo: np.ndarray, normalised: bool
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Batches of answers: the indices of the questions, and their scores."""

        def score(indices: np.ndarray) -> torch.Tensor:
            return self._score(questions.take(indices), row_of[indices], normalised)

        def describe(index: int) -> str:
            row = questions.rows[index]
            return f"one text of {len(row) // 4} tokens with {self.name}: {self._text(row)!r}"

        waiting: tuple[np.ndarray, torch.Tensor] | None = None
        for batch in self._batches(questions, row_of, todo):
            for done in halving(batch, score, describe):
                if waiting is not None:  # fetched only now, so that a GPU has the next batch already
                    yield self._fetch(questions, *waiting)
                waiting = done
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

    def _score(self, questions: Questions, row_of: np.ndarray, normalised: bool) -> torch.Tensor:
        """log P of each question, on the device. Questions about one row are neighbours."""
        begins = np.flatnonzero(np.diff(row_of, prepend=-1))
        row_of = np.cumsum(np.diff(row_of, prepend=row_of[0]) != 0)
        # Several words at one place need the output layer there only once.
        places, place_of = np.unique((row_of << 16) | questions.positions, return_inverse=True)
        rows, asked = [questions.rows[i] for i in begins], (places >> 16, places & 0xFFFF)
        with self.inference():
            at, targets = self._on_device(place_of), self._on_device(questions.targets)
            if not normalised and (halves := self.halves) is not None:
                return halves.target_logits(*self._inputs(rows, *asked), at, targets).float()
            logits = self.logits(rows, *asked)
            scores = logits[at, targets]
            return scores - logits.logsumexp(-1)[at] if normalised else scores

    def logits(self, rows: list[bytes], row_of: np.ndarray, positions: np.ndarray) -> torch.Tensor:
        """The scores of all words, in float32, at the given positions of the given rows."""
        batch, places = self._inputs(rows, row_of, positions)
        if (halves := self.halves) is not None:
            return halves.logits(batch, places).float()
        whole: torch.Tensor = self.model(**batch).logits[places.rows, places.positions]
        return whole.float()

    def _inputs(
        self, rows: list[bytes], row_of: np.ndarray, positions: np.ndarray
    ) -> tuple[dict[str, torch.Tensor], TokenPositions]:
        one_per_row = len(row_of) == len(rows) and bool((row_of == np.arange(len(rows))).all())
        return self._batch(rows), TokenPositions(
            self._on_device(row_of), self._on_device(positions), one_per_row
        )

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


def _state(model: Any) -> list[tuple[int, int]]:
    """Something that differs after weights were moved, replaced or trained."""
    return [
        (weights.data_ptr(), 0 if weights.is_inference() else weights._version)
        for weights in model.parameters()
    ]

"""Answers lists of questions to a masked language model, as fast as the machine allows.

Equal questions are asked once, and those about the same row together. Rows are sorted by length and packed by a token
budget. The last layer and the output layer are computed only at the positions asked about. A batch that does not fit
into memory is halved and tried again. On a GPU the next batch is prepared and launched while the previous one runs.
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
from counterpoise.models.scoring.splitting import SplitModel, TokenPositions, split_model

if TYPE_CHECKING:
    import torch

Inference = Callable[[], AbstractContextManager[None]]


class ScoringEngine:
    """Answers the questions of a `MaskedLM` with its model and tokenizer."""

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
    def split(self) -> SplitModel | None:
        """The model split into parts; split again after its weights changed, since some parts are copies."""
        state = weights_state(self.model)
        if state != self._state:
            self._split, self._state = split_model(self.model), state
        return self._split

    def answer(
        self, questions: Questions, cache: ScoreCache | None = None, cache_space: str = ""
    ) -> np.ndarray:
        """The log-probabilities, in the order asked; `cache_space` keeps models and precisions apart in the cache."""
        distinct, row_of, inverse = questions.unique()
        scores = np.full(len(distinct), np.nan)
        digests = distinct.digests() if cache else []
        if cache:
            cached = cache.get(cache_space, digests)
            scores[:] = [cached.get(digest, np.nan) for digest in digests]
        todo = np.flatnonzero(np.isnan(scores))
        with progress(f"asking {self.name}", total=len(todo), unit="questions") as advance:
            for indices, log_probs in self._answer_new(distinct, row_of, todo):
                scores[indices] = log_probs
                if cache:
                    values = zip(indices, log_probs.tolist(), strict=True)
                    cache.put(cache_space, {digests[i]: value for i, value in values})
                advance(len(indices))
        return np.asarray(scores[inverse])

    def _answer_new(
        self, questions: Questions, row_of: np.ndarray, todo: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Batches of answers: the indices of the questions, and their scores."""

        def score(indices: np.ndarray) -> torch.Tensor:
            return self._score(questions.take(indices), row_of[indices])

        def describe(index: int) -> str:
            row = questions.rows[index]
            return f"one text of {len(row) // 4} tokens with {self.name}: {self._text(row)!r}"

        pending: tuple[np.ndarray, torch.Tensor] | None = None
        for batch in self._batches(questions, row_of, todo):
            for done in halving(batch, score, describe):
                if pending is not None:  # fetched only now, so that a GPU already has the next batch
                    yield self._fetch(questions, *pending)
                pending = done
        if pending is not None:
            yield self._fetch(questions, *pending)

    def _batches(self, questions: Questions, row_of: np.ndarray, todo: np.ndarray) -> Iterator[np.ndarray]:
        """Indices of the questions to answer in one forward pass; those about one row are neighbours."""
        _, starts, counts = np.unique(row_of[todo], return_index=True, return_counts=True)
        lengths = [len(questions.rows[i]) // 4 for i in todo[starts]]
        for batch in pack(lengths, self.token_budget):
            if counts[batch].max() == 1:
                yield todo[starts[batch]]
            else:
                yield np.concatenate([todo[starts[i] : starts[i] + counts[i]] for i in batch])

    def _score(self, questions: Questions, row_of: np.ndarray) -> torch.Tensor:
        """log P of each question, as a tensor on the device. Questions about one row are neighbours."""
        begins = np.flatnonzero(np.diff(row_of, prepend=-1))
        row_of = np.cumsum(np.diff(row_of, prepend=row_of[0]) != 0)
        # Several words at one position need the output layer there only once.
        places, place_of = np.unique((row_of << 16) | questions.positions, return_inverse=True)
        rows = [questions.rows[i] for i in begins]
        with self.inference():
            at, targets = self._on_device(place_of), self._on_device(questions.targets)
            logits = self.logits(rows, places >> 16, places & 0xFFFF)
            return logits[at, targets] - logits.logsumexp(-1)[at]

    def logits(self, rows: list[bytes], row_of: np.ndarray, positions: np.ndarray) -> torch.Tensor:
        """The logits of the whole vocabulary, in float32, at the given positions of the given rows."""
        batch = self._batch(rows)
        one_per_row = len(row_of) == len(rows) and bool((row_of == np.arange(len(rows))).all())
        at = TokenPositions(self._on_device(row_of), self._on_device(positions), one_per_row)
        if (split := self.split) is not None:
            return split.logits(batch, at).float()
        logits: torch.Tensor = self.model(**batch).logits[at.rows, at.positions]
        return logits.float()

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


def weights_state(model: Any) -> list[tuple[int, int]]:
    """Changes whenever weights are moved, replaced or trained."""
    return [
        (weights.data_ptr(), 0 if weights.is_inference() else weights._version)
        for weights in model.parameters()
    ]

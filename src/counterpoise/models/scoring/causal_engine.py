"""Answers lists of questions to a causal language model, as fast as the machine allows.

A question is a row of ids and a position from which on its tokens are asked about: log P(token | the tokens before it).
Equal questions are asked once, and beginnings that texts share are computed once (`prefix_tree`). The output layer is
computed only where a token is asked about, piece by piece (`output_layer`). Batches are packed by a token budget and
halved where memory runs out; on a GPU the next batch is launched while the previous one runs.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import ModelError
from counterpoise.core.progress import progress
from counterpoise.models.devices import input_device
from counterpoise.models.scoring.batching import halving, is_out_of_memory, pack
from counterpoise.models.scoring.causal_parts import CausalParts, split_causal
from counterpoise.models.scoring.engine import Inference, weights_state
from counterpoise.models.scoring.output_layer import upload
from counterpoise.models.scoring.prefix_tree import ROW_TOKENS, ReadingPlan, plan_reading

if TYPE_CHECKING:
    import torch

_ROW_TOKENS_ON_CPU = 64


class Continuation(NamedTuple):
    """A row of ids, and from which of them on the model is asked how probable each is after those before it."""

    ids: tuple[int, ...]
    start: int

    @property
    def context(self) -> tuple[int, ...]:
        return self.ids[: self.start]

    def digests(self) -> list[bytes]:
        """The key of each token asked about in the cache."""
        ids = np.array(self.ids, dtype=np.int32).tobytes()
        whole = hashlib.blake2b(ids[: 4 * self.start], digest_size=16)
        keys = []
        for position in range(4 * self.start, len(ids), 4):
            whole.update(ids[position : position + 4])
            keys.append(whole.digest())
        return keys


class CausalEngine:
    """Answers the questions of a `CausalLM` with its model and tokenizer."""

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
    def parts(self) -> CausalParts:
        """The model split into parts; split again after its weights changed, since some parts are copies."""
        state = weights_state(self.model)
        if state != self._state:
            try:
                with self.inference():
                    self._parts, self._state = split_causal(self.model), state
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                raise ModelError(f"there is not enough memory for a short text with {self.name}") from None
        return self._parts

    @property
    def row_tokens(self) -> int:
        """Tokens in a row of texts that share their beginnings: fewer on a CPU, where attention with a mask is slow."""
        return _ROW_TOKENS_ON_CPU if input_device(self.model).type == "cpu" else ROW_TOKENS

    def answer(
        self,
        questions: Sequence[Continuation],
        cache: ScoreCache | None = None,
        cache_space: str = "",
        *,
        relative: bool = False,
    ) -> list[np.ndarray]:
        """The log-probabilities of the tokens that each question asks about.

        relative: the first of them is known up to a constant that all continuations of one context share, which saves
        the output layer but for the rows of those tokens. `cache_space` keeps models and precisions apart in the cache.
        """
        distinct = list(dict.fromkeys(questions))
        answers: dict[Continuation, np.ndarray] = {}
        if cache and not relative:
            answers = _cached(distinct, cache, cache_space)
        todo = [question for question in distinct if question not in answers]
        with progress(f"asking {self.name}", total=len(todo), unit="texts") as advance:
            for batch in self._answer_new(todo, relative):
                answers.update(batch)
                if cache and not relative:
                    cache.put(cache_space, _scores_by_digest(batch))
                advance(len(batch))
        return [answers[question] for question in questions]

    def _answer_new(
        self, questions: list[Continuation], relative: bool
    ) -> Iterator[dict[Continuation, np.ndarray]]:
        if not questions:
            return
        # The last token is only asked about, never read.
        lengths = [len(question.ids) for question in questions]
        ids = np.fromiter(chain.from_iterable(question.ids for question in questions), np.int64, sum(lengths))
        texts = [
            ids[end - length : end - 1] for length, end in zip(lengths, accumulate(lengths), strict=True)
        ]
        longest_row = max(self.row_tokens, 2 * max(lengths))
        share = self.parts.shares and longest_row <= _attention_window(self.model.config)
        plan = plan_reading(texts, share=share, row_tokens=self.row_tokens)

        def score(batch: np.ndarray) -> torch.Tensor:
            return self._score(questions, plan, batch, relative)

        def describe(row: int) -> str:
            text = self.tokenizer.decode(texts[plan.rows[row].texts[0]].tolist())
            return f"one text of {len(plan.rows[row].ids)} tokens with {self.name}: {text!r}"

        pending: tuple[np.ndarray, torch.Tensor] | None = None
        for whole in _batches(plan, self.token_budget):
            for done in halving(whole, score, describe):
                if pending is not None:  # fetched only now, so that a GPU already has the next batch
                    yield self._fetch(questions, plan, *pending)
                pending = done
        if pending is not None:
            yield self._fetch(questions, plan, *pending)

    def _score(
        self, questions: Sequence[Continuation], plan: ReadingPlan, batch: np.ndarray, relative: bool
    ) -> torch.Tensor:
        """The answers to all questions of some rows, question by question, as a tensor on the device."""
        rows = [plan.rows[i] for i in batch]
        longest = max(len(row.ids) for row in rows)
        places, targets, normalized = [], [], []
        for number, row in enumerate(rows):
            for i in row.texts:
                question = questions[i]
                places.append(plan.nodes[i][question.start - 1 :] + number * longest)
                targets += question.ids[question.start :]
                normalized += [not relative] + [True] * (len(question.ids) - question.start - 1)
        used, at = np.unique(np.concatenate(places), return_inverse=True)
        parts = self.parts
        with self.inference():
            states = parts.states(rows)
            states = states[upload(used, states.device)]
            return parts.output.log_probs(states, at, np.array(targets), np.array(normalized))

    def _fetch(
        self, questions: Sequence[Continuation], plan: ReadingPlan, batch: np.ndarray, scores: torch.Tensor
    ) -> dict[Continuation, np.ndarray]:
        values = scores.cpu().double().numpy()
        texts = [questions[i] for row in batch for i in plan.rows[row].texts]
        ends = np.cumsum([len(question.ids) - question.start for question in texts])
        if not np.isfinite(values).all():
            first = texts[int(np.searchsorted(ends, np.flatnonzero(~np.isfinite(values))[0], side="right"))]
            text = self.tokenizer.decode(first.ids, skip_special_tokens=True)
            raise ModelError(
                f"{self.name} gives log-probabilities that are no numbers for {text!r}; "
                "its weights or its precision are broken"
            )
        return dict(zip(texts, np.split(values, ends[:-1]), strict=True))


def _attention_window(config: Any) -> float:
    """How many tokens back every layer attends at least; the masks of shared beginnings know no such limit."""
    text = config.get_text_config()
    windows = (
        getattr(text, name, None) for name in ("sliding_window", "window_size", "attention_chunk_size")
    )
    return min((window for window in windows if isinstance(window, int)), default=math.inf)


def _batches(plan: ReadingPlan, token_budget: int) -> Iterator[np.ndarray]:
    """Rows to compute in one forward pass: those that need an attention mask apart from those that need none."""
    branches = np.array([row.branches is not None for row in plan.rows])
    lengths = np.array([len(row.ids) for row in plan.rows])
    for group in (np.flatnonzero(~branches), np.flatnonzero(branches)):
        yield from (group[batch] for batch in pack(lengths[group], token_budget))


def _cached(
    questions: Sequence[Continuation], cache: ScoreCache, space: str
) -> dict[Continuation, np.ndarray]:
    """The questions whose answers are all in the cache."""
    digests = [question.digests() for question in questions]
    scores = cache.get(space, [digest for of_question in digests for digest in of_question])
    return {
        question: np.array([scores[digest] for digest in of_question])
        for question, of_question in zip(questions, digests, strict=True)
        if all(digest in scores for digest in of_question)
    }


def _scores_by_digest(answers: dict[Continuation, np.ndarray]) -> dict[bytes, float]:
    return {
        digest: value
        for question, values in answers.items()
        for digest, value in zip(question.digests(), values.tolist(), strict=True)
    }

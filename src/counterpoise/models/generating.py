"""Answers of a causal language model that is loaded here, many at once.

Each answer is drawn with a generator of its own, by one number for each token: what an answer is does not depend on the
answers that are written beside it, but for the rounding of a batch of another shape.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoise.core.progress import progress
from counterpoise.models.answering import Answer, Sampling
from counterpoise.models.scoring.batching import halving, pack

if TYPE_CHECKING:
    import torch

    from counterpoise.core.cache import ScoreCache
    from counterpoise.models.transformer import Transformer

# Tokens, those still to be written included, that are kept in memory at once.
_TOKENS_AT_ONCE = {"cpu": 4096, "cuda": 131072, "mps": 16384}


@dataclass(frozen=True)
class AnswerDraw:
    """One answer to be written: the ids of its prompt and what it is drawn with; no seed where nothing is drawn."""

    ids: tuple[int, ...]
    seed: int | None

    def digest(self, sampling: Sampling) -> bytes:
        """The key of the answer in the cache."""
        ids = np.array(self.ids, dtype=np.int32).tobytes()
        return hashlib.blake2b(ids + repr((self.seed, sampling)).encode(), digest_size=16).digest()


def write_answers(
    model: Transformer, draws: Sequence[AnswerDraw], sampling: Sampling, cache: ScoreCache | None
) -> dict[AnswerDraw, Answer]:
    """The answers, each kept in the cache as soon as its batch is done."""
    distinct = list(dict.fromkeys(draws))
    space = f"{model.fingerprint}:{model.precision} answers" if cache else ""
    answers = _kept(cache, distinct, sampling, space)
    todo = [draw for draw in distinct if draw not in answers]
    if not todo:
        return answers
    with (
        progress(f"answers of {model.name}", total=len(todo), unit="answers") as advance,
        cache.storing_answers(space) if cache else nullcontext() as store,
    ):
        for written in _batches(model, todo, sampling):
            if store is not None:
                for draw, answer in written.items():
                    store(draw.digest(sampling), answer.packed())
            answers |= written
            advance(len(written))
    return answers


def _kept(
    cache: ScoreCache | None, draws: Sequence[AnswerDraw], sampling: Sampling, space: str
) -> dict[AnswerDraw, Answer]:
    if cache is None:
        return {}
    by_digest = {draw.digest(sampling): draw for draw in draws}
    found = cache.get_answers(space, list(by_digest))
    return {by_digest[digest]: Answer.unpacked(text) for digest, text in found.items()}


def _batches(
    model: Transformer, draws: Sequence[AnswerDraw], sampling: Sampling
) -> Iterator[Mapping[AnswerDraw, Answer]]:
    budget = _TOKENS_AT_ONCE.get(model.device.type, _TOKENS_AT_ONCE["cpu"])

    def write(batch: np.ndarray) -> dict[AnswerDraw, Answer]:
        chosen = [draws[i] for i in batch]
        return dict(zip(chosen, _write(model, chosen, sampling), strict=True))

    def describe(number: int) -> str:
        return f"an answer of {sampling.max_tokens} tokens to a prompt of {len(draws[number].ids)} tokens"

    for whole in pack([len(draw.ids) + sampling.max_tokens for draw in draws], budget):
        for _, written in halving(whole, write, describe):
            yield written


def _write(model: Transformer, draws: Sequence[AnswerDraw], sampling: Sampling) -> list[Answer]:
    """The answers of one batch; prompts are padded on the left, where their tokens are masked."""
    import torch
    from transformers import LogitsProcessorList

    ends = end_tokens(model)
    longest = max(len(draw.ids) for draw in draws)
    pad = model.tokenizer.pad_token_id if model.tokenizer.pad_token_id is not None else next(iter(ends), 0)
    rows = [[pad] * (longest - len(draw.ids)) + list(draw.ids) for draw in draws]
    mask = [[0] * (longest - len(draw.ids)) + [1] * len(draw.ids) for draw in draws]
    with model.inference(), _without_defaults(model.model):
        output = model.model.generate(
            torch.tensor(rows, device=model.device),
            attention_mask=torch.tensor(mask, device=model.device),
            max_new_tokens=sampling.max_tokens,
            logits_processor=LogitsProcessorList(
                [_OwnDraws(draws, sampling)] if sampling.temperature else []
            ),
            eos_token_id=sorted(ends) or None,
            pad_token_id=pad,
            do_sample=False,  # what is drawn is drawn by the processor
            num_beams=1,
        )
    return [_answer(model, ids, ends) for ids in output[:, longest:].tolist()]


@contextmanager
def _without_defaults(model: Any) -> Iterator[None]:
    """Takes away what a model's own files say about how it answers: `generate` would add it to what it is told."""
    from transformers import GenerationConfig

    own = model.generation_config
    model.generation_config = GenerationConfig()
    try:
        yield
    finally:
        model.generation_config = own


def _answer(model: Transformer, ids: Sequence[int], ends: frozenset[int]) -> Answer:
    end = next((i for i, token in enumerate(ids) if token in ends), None)
    text = str(model.tokenizer.decode(list(ids[:end]), skip_special_tokens=True))
    return Answer(text, ended=end is not None)


def end_tokens(model: Transformer) -> frozenset[int]:
    """The tokens that end an answer: those that the model's files name, and the tokenizer's own."""
    named = getattr(getattr(model.model, "generation_config", None), "eos_token_id", None)
    ids = [*(named if isinstance(named, list | tuple) else [named]), model.tokenizer.eos_token_id]
    return frozenset(int(token) for token in ids if token is not None)


class _OwnDraws:
    """Draws the next token of each row with the row's own generator; all other tokens become impossible."""

    def __init__(self, draws: Sequence[AnswerDraw], sampling: Sampling) -> None:
        self._generators = [np.random.default_rng(draw.seed) for draw in draws]
        self._sampling = sampling

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        import torch

        uniform = torch.tensor([generator.random() for generator in self._generators])
        chosen = draw_tokens(scores, uniform.to(scores.device), self._sampling)
        only = torch.full_like(scores, -torch.inf)
        return only.scatter_(1, chosen[:, None], 0.0)


def draw_tokens(scores: Any, uniform: Any, sampling: Sampling) -> Any:
    """The token of each row at which the summed probabilities pass a number from 0 to 1, of those within top_p.

    >>> import torch
    >>> probabilities = torch.tensor([[0.2, 0.5, 0.3]]).log().repeat(4, 1)
    >>> numbers = torch.tensor([0.1, 0.6, 0.79, 0.9])
    >>> draw_tokens(probabilities, numbers, Sampling()).tolist()
    [0, 1, 2, 2]
    >>> draw_tokens(probabilities, numbers, Sampling(top_p=0.8)).tolist()
    [1, 1, 2, 2]
    """
    import torch

    # Half precision would lose most of the many small numbers; Apple's GPUs have no double precision.
    precise = torch.float32 if scores.device.type == "mps" else torch.float64
    probabilities = (scores.to(precise) / sampling.temperature).softmax(-1)
    tokens = None
    if sampling.top_p < 1:
        probabilities, tokens = probabilities.sort(dim=-1, descending=True, stable=True)
        # The last token that is needed to reach top_p is drawn from too.
        is_out = probabilities.cumsum(-1) - probabilities >= sampling.top_p
        probabilities = probabilities.masked_fill(is_out, 0.0)
    mass = probabilities.cumsum(-1)
    wanted = uniform.to(precise)[:, None] * mass[:, -1:]
    # The sum before a token of probability 0 is that after it, so that none is drawn; rounding may pass the last one.
    place = torch.searchsorted(mass, wanted, right=True)
    place = torch.minimum(place, (mass < mass[:, -1:]).sum(-1, keepdim=True))
    return (place if tokens is None else tokens.gather(1, place))[:, 0]

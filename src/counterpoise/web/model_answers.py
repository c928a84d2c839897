"""Answers of a causal model in the protocol that OpenAI's completions made common."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.models.causal import CausalLM
from counterpoise.models.scoring.causal_engine import Continuation
from counterpoise.models.transformer import vocabulary_size


@dataclass(frozen=True)
class Prompt:
    """The tokens of a prompt; the first few, which begin every text, are not part of it."""

    ids: tuple[int, ...]
    start: int


@dataclass(frozen=True)
class ScoredToken:
    """A token, its log-probability, and the most probable tokens in its place; the first of a text may have none."""

    id: int
    log_prob: float | None
    top: dict[int, float]


class ModelAnswers:
    """Scores and continues texts with a causal model, one request at a time."""

    def __init__(self, model: CausalLM) -> None:
        self.model = model
        self._lock = threading.Lock()

    def read_prompt(self, prompt: str | Sequence[int]) -> Prompt:
        """The tokens of a text, after those that begin every text; or tokens as they are given."""
        if isinstance(prompt, str):
            start = self.model.start.ids
            if not prompt:
                if not start:
                    raise InputError("the prompt is empty, and the model has no token to begin a text with")
                return Prompt(start, len(start))
            [encoded] = self.model.tokenize([prompt])
            end = max((i for i, (left, right) in enumerate(encoded.spans, 1) if left < right), default=0)
            return self._checked(
                Prompt(encoded.ids[:end], len(start))
            )  # without a token that would end the text
        return self._checked(Prompt(tuple(prompt), 0))

    def read_chat(self, messages: Sequence[dict[str, str]]) -> Prompt:
        """The tokens of a chat up to the assistant's answer, by the model's own template."""
        tokenizer = self.model.tokenizer
        if not getattr(tokenizer, "chat_template", None):
            raise InputError(f"{self.model.name} has no chat template")
        text = tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        return self._checked(Prompt(tuple(ids), len(ids)))

    def score(self, prompt: Prompt, top: int) -> list[ScoredToken]:
        """The log-probability of each token of a prompt, and the most probable ones in its place."""
        first = max(prompt.start, 1)
        unknown = [ScoredToken(token, None, {}) for token in prompt.ids[prompt.start : first]]
        if len(prompt.ids) <= first:
            return unknown
        with self._lock:
            [values] = self.model.engine.answer([Continuation(prompt.ids, first)])
            tops = self._tops(prompt.ids, first, top) if top else [{}] * len(values)
        return unknown + [
            # The engine's own value also stands among the top ones, so that equal tokens have equal numbers.
            ScoredToken(token, value, {**best, token: value} if token in best else best)
            for token, value, best in zip(prompt.ids[first:], values.tolist(), tops, strict=True)
        ]

    def generate(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        temperature: float,
        seed: int | None,
        top: int,
        top_p: float = 1.0,
    ) -> list[ScoredToken]:
        """What follows a prompt, token by token, by the highest probability or drawn at a temperature."""
        import torch

        longest = self.model.max_length
        room = max_tokens if longest is None else min(max_tokens, longest - len(prompt.ids))
        if room < 1:
            return []
        how: dict[str, Any] = {"do_sample": False, "temperature": None, "top_k": None, "top_p": None}
        if temperature:
            how = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": top_p}
        with self._lock, self.model.inference(), torch.random.fork_rng(enabled=seed is not None):
            if seed is not None:
                torch.manual_seed(seed)
            output = self.model.model.generate(
                torch.tensor([prompt.ids], device=self.model.device),
                attention_mask=torch.ones(1, len(prompt.ids), dtype=torch.long, device=self.model.device),
                max_new_tokens=room,
                output_logits=True,
                return_dict_in_generate=True,
                pad_token_id=self.model.tokenizer.pad_token_id or self.model.tokenizer.eos_token_id or 0,
                **how,
            )
        ids = output.sequences[0, len(prompt.ids) :].tolist()
        rows = torch.stack([logits[0] for logits in output.logits]).double().log_softmax(-1).cpu().numpy()
        return [
            ScoredToken(token, float(row[token]), _best(row, top))
            for token, row in zip(ids, rows, strict=False)
        ]

    def text_of(self, ids: Sequence[int]) -> str:
        return str(self.model.tokenizer.decode(list(ids), skip_special_tokens=True))

    def token_text(self, token: int) -> str:
        """A token as it stands in a text, with the space that belongs to it."""
        return str(
            self.model.tokenizer.decode(
                [token], skip_special_tokens=False, clean_up_tokenization_spaces=False
            )
        )

    def _tops(self, ids: Sequence[int], first: int, top: int) -> list[dict[int, float]]:
        import torch

        with self.model.inference():
            logits = self.model.model(torch.tensor([ids], device=self.model.device)).logits[0, first - 1 : -1]
            rows = logits.double().log_softmax(-1).cpu().numpy()
        return [_best(row, top) for row in rows]

    def _checked(self, prompt: Prompt) -> Prompt:
        vocabulary, longest = vocabulary_size(self.model.model.config), self.model.max_length
        if not prompt.ids:
            raise InputError("the prompt is empty")
        if not all(0 <= token < vocabulary for token in prompt.ids):
            raise InputError(f"the prompt has a token outside of the vocabulary of {vocabulary}")
        if longest is not None and len(prompt.ids) > longest:
            raise InputError(f"the prompt has {len(prompt.ids)} tokens and the model takes {longest}")
        return prompt


def _best(row: np.ndarray, top: int) -> dict[int, float]:
    """The most probable tokens, the likeliest first."""
    top = min(top, len(row))
    if not top:
        return {}
    best = np.argpartition(-row, top - 1)[:top]
    return {int(token): float(row[token]) for token in best[np.argsort(-row[best], kind="stable")]}

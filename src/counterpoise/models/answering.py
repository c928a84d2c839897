"""Answers to prompts: how they are drawn, and what a model wrote.

Every model that can answer has `answers(prompts, n=..., sampling=..., seed=...)`: `CausalLM`, `Endpoint` and
`AnswerFunction`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from counterpoise.core.errors import InputError
from counterpoise.models.transformer import check_texts

_SEEDS = 2**31  # servers take seeds of 32 bits with a sign


@dataclass(frozen=True)
class Sampling:
    """How answers are drawn.

    Parameters
    ----------
    temperature
        By which the logits are divided; 0 takes the likeliest token each time, so that all answers to a prompt are one.
    top_p
        Draw from the likeliest tokens that together have this probability.
    max_tokens
        The most tokens that an answer may have.

    >>> Sampling(temperature=-1.0)
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: temperature is a number from 0 on, not -1.0
    """

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 128

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise InputError(f"temperature is a number from 0 on, not {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise InputError(f"top_p is above 0 and at most 1, not {self.top_p}")
        if self.max_tokens < 1:
            raise InputError(f"max_tokens is at least 1, not {self.max_tokens}")

    def describe(self) -> str:
        """
        >>> Sampling(0.7, max_tokens=16).describe()
        'temperature 0.7, top p 1, at most 16 tokens'
        """
        return f"temperature {self.temperature:g}, top p {self.top_p:g}, at most {self.max_tokens} tokens"


@dataclass(frozen=True)
class Answer:
    """What a model wrote; `ended` is false if it was cut off after `max_tokens`. An empty text is an answer too."""

    text: str
    ended: bool = True

    def packed(self) -> str:
        """As caches keep it."""
        return json.dumps([self.text, self.ended])

    @classmethod
    def unpacked(cls, text: str) -> Answer:
        """
        >>> Answer.unpacked(Answer("Yes.").packed())
        Answer(text='Yes.', ended=True)
        """
        return cls(*json.loads(text))


def packed_answers(answers: Sequence[Answer]) -> str:
    """Several answers to one prompt as a JSON list, each with its text and whether it ended.

    >>> packed_answers([Answer("Yes."), Answer("No, since\\nshe", ended=False)])
    '[["Yes.", true], ["No, since\\\\nshe", false]]'
    """
    return json.dumps([[answer.text, answer.ended] for answer in answers], ensure_ascii=False)


def empty_prompts(prompts: Sequence[str]) -> list[str | None]:
    """For each prompt None, or that it is empty: all that can be told of one where the tokens are not known."""
    check_texts(prompts)
    return [None if prompt.strip() else "the prompt is empty" for prompt in prompts]


def answer_seeds(prompts: Sequence[str], n: int, sampling: Sampling, seed: int) -> list[list[int | None]]:
    """The seeds of the answers to each prompt, None where nothing is drawn.

    A seed depends on the prompt, the number of the answer and `seed`, on nothing else: an answer stays the same when
    other prompts or more answers are asked for.

    >>> few, more = (answer_seeds(["Why?"], n, Sampling(), seed=0)[0] for n in (2, 3))
    >>> few == more[:2], answer_seeds(["Why?"], 2, Sampling(temperature=0), seed=0)
    (True, [[None, None]])
    """
    check_texts(prompts)
    if n < 1:
        raise InputError(f"n, the number of answers to each prompt, is at least 1, not {n}")
    if sampling.temperature == 0:
        return [[None] * n for _ in prompts]
    return [[_seed(prompt, number, seed) for number in range(n)] for prompt in prompts]


def _seed(prompt: str, number: int, seed: int) -> int:
    text = f"{seed}\n{number}\n{prompt}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") % _SEEDS

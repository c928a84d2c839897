"""A language model behind an HTTP endpoint, asked by the best method that its server supports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterpoise.core.addresses import CONCURRENCY, TIMEOUT, check_url, read_key
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.hashing import hash_texts
from counterpoise.core.printable import printable
from counterpoise.models.answering import Answer, Sampling, answer_seeds, empty_prompts
from counterpoise.models.endpoints.answers import SUM_TOLERANCE, PromptToken
from counterpoise.models.endpoints.asking import Asker
from counterpoise.models.endpoints.capabilities import Capabilities, Rung
from counterpoise.models.endpoints.choices import (
    choice_question,
    forced_choices,
    read_forced_choices,
    read_samples,
)
from counterpoise.models.endpoints.probing import probe
from counterpoise.models.endpoints.questions import next_token_question, prompt_question, sampled_question
from counterpoise.models.endpoints.transport import TRIES, Transport
from counterpoise.models.scoring.targets import targets_per_text
from counterpoise.models.transformer import Encoded, check_texts

SAMPLES = 10
_FIRST_TOP = 100  # more are asked for only where a word is not among these


@dataclass(frozen=True)
class Bounds:
    """Log-probabilities that lie between `low` and `high`; where the two are equal, it is known exactly."""

    low: np.ndarray
    high: np.ndarray

    @property
    def exact(self) -> np.ndarray:
        """Which of them are known."""
        return np.asarray(self.low == self.high)


class Endpoint:
    """A language model behind an endpoint. Use `Endpoint.open`, or `counterpoise.load` with an address."""

    kind = "endpoint"
    precision = "as served"

    def __init__(self, asker: Asker, capabilities: Capabilities) -> None:
        self.asker = asker
        self.capabilities = capabilities
        self.name = f"{asker.model} at {asker.transport.url}"

    def __repr__(self) -> str:
        return f"<Endpoint {self.name!r}, {len(self.capabilities.rungs)} of {len(Rung)} rungs>"

    @classmethod
    def open(
        cls,
        url: str,
        model: str,
        *,
        key_file: str | Path | None = None,
        concurrency: int = CONCURRENCY,
        timeout: float = TIMEOUT,
        tries: int = TRIES,
        strict_model: bool = False,
    ) -> Endpoint:
        """Finds out what the server does.

        Parameters
        ----------
        url
            The address up to where `/completions` is added, such as `http://127.0.0.1:8080/v1`.
        model
            The name that the server knows the model by.
        key_file
            A file with the key; if not given, it is `COUNTERPOISE_API_KEY` or `OPENAI_API_KEY` in the environment.
        concurrency
            How many questions are asked at once.
        timeout, tries
            How long an answer may take, in seconds, and how often a question is tried.
        strict_model
            Refuse a server that says that another model has answered.
        """
        if not model:
            raise InputError("a server may have several models: name the one to ask (model=..., --model)")
        if concurrency < 1 or timeout <= 0 or tries < 1:
            raise InputError("concurrency, timeout and tries are positive numbers")
        transport = Transport(
            check_url(url), read_key(key_file), timeout=timeout, tries=tries, concurrency=concurrency
        )
        asker = Asker(transport, model, concurrency, strict_model=strict_model)
        endpoint = cls(asker, probe(asker))
        if not endpoint.capabilities.rungs:
            raise ModelError(
                f"nothing can be measured through {transport.url}: {'; '.join(endpoint.capabilities.describe())}"
            )
        return endpoint

    @property
    def cache(self) -> ScoreCache | None:
        """Where answers are kept."""
        return self.asker.cache

    @cache.setter
    def cache(self, cache: ScoreCache | None) -> None:
        self.asker.cache = cache

    @property
    def sends_seeds(self) -> bool:
        """Whether answers are asked for with seeds; some servers decline them."""
        return self.asker.dialect.seeds

    @property
    def other_models(self) -> list[str]:
        """Names under which the server answered, other than the one that was asked for."""
        return [printable(name) for name in self.asker.other_models]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What has happened since it was opened that its answers may suffer from."""
        if not self.asker.joined:
            return ()
        names = ", ".join(sorted(map(printable, self.asker.joined)))
        return (f"the server answered as another model while it was asked: {names}",)

    @property
    def fingerprint(self) -> str:
        """A hash of address, model and the ways to ask it. What weights the server has cannot be known."""
        # Every server that works answers prompts: that it does tells servers no more apart.
        rungs = [rung.name for rung in self.capabilities.rungs if rung is not Rung.ANSWERS]
        return hash_texts([self.asker.transport.url, self.asker.model, *rungs])

    @property
    def details(self) -> dict[str, Any]:
        """What a run's manifest says of it."""
        served = {"served_as": ", ".join(self.other_models)} if self.other_models else {}
        return {
            "endpoint": self.asker.transport.url,
            **served,
            "capabilities": self.capabilities.describe(),
        }

    def rung(self, usable: Sequence[Rung]) -> Rung | None:
        """The highest rung that holds and that a measure can use."""
        return next((rung for rung in self.capabilities.rungs if rung in usable), None)

    def problems(self, texts: Sequence[str]) -> list[str | None]:
        """For each text the reason why it cannot be asked about, or None."""
        check_texts(texts)
        return [None if text.strip() else "the text is empty" for text in texts]

    def comparison_problem(self, *versions: str) -> str | None:
        """Why versions of a text cannot be compared by their likelihoods, or None."""
        found = self.capabilities
        if found.prompt_method is None or found.first_token:
            return None
        if len({text.split()[0] for text in versions if text.strip()}) < 2:
            return None
        return "the texts differ in the first word, and the server does not say how probable that is"

    def knows(self, word: str) -> bool:
        """Whether a word can be asked about; what a vocabulary lacks, only its owner can tell."""
        return bool(word.strip())

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Texts in the server's tokens, after an empty one where it says how probable the first of them is."""
        return [_encoded(tokens) for tokens in self._prompt_tokens(texts)]

    def ask_ahead(self, texts: Sequence[str]) -> None:
        """Asks for the tokens of all texts that the next calls need, so that what they ask is known beforehand."""
        self._prompt_tokens(texts)

    def token_log_probs(
        self, sentences: Sequence[str], positions: Sequence[Sequence[int] | np.ndarray] | None = None
    ) -> list[np.ndarray]:
        """log P(token | the tokens before it), as `CausalLM.token_log_probs` has it."""
        rows = []
        for tokens in self._prompt_tokens(sentences):
            known = [token.log_prob for token in tokens if token.log_prob is not None]
            rows.append(np.array(known, dtype=float))
        if positions is None:
            return rows
        return [row[np.asarray(at, dtype=np.int64) - 1] for row, at in zip(rows, positions, strict=True)]

    def log_likelihood(self, sentences: Sequence[str]) -> np.ndarray:
        """The log-likelihood of each sentence, natural log, as an array (sentences,)."""
        return np.array([row.sum() for row in self.token_log_probs(sentences)])

    def next_log_probs(
        self, texts: Sequence[str], words: Sequence[str] | Sequence[Sequence[str]]
    ) -> np.ndarray:
        """The log-probability of each word right after each text; nan where the server gives only a bound."""
        bounds = self.next_log_prob_bounds(texts, words)
        return np.where(bounds.exact, bounds.high, np.nan)

    def next_log_prob_bounds(
        self, texts: Sequence[str], words: Sequence[str] | Sequence[Sequence[str]]
    ) -> Bounds:
        """Bounds of the log-probability of each word right after each text, as arrays (texts, words)."""
        per_text = targets_per_text(texts, words)
        if self.capabilities.prompt_method is not None:
            exact = self._from_prompts(texts, per_text)
            return Bounds(exact, exact)
        return self._from_top(texts, per_text)

    def forced_choices(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        """Which of two sentences is preferred over both orders: +1 for the first, -1 for the second, 0 for neither.

        nan: an answer names neither.
        """
        path, top = self.capabilities.answer_path, self.capabilities.answer_top
        return read_forced_choices(self.asker.ask(forced_choices(path, top, first, second)), top)

    def sampled_choices(
        self, first: Sequence[str], second: Sequence[str], *, samples: int = SAMPLES, seed: int = 0
    ) -> np.ndarray:
        """Which of two sentences is chosen in each of several answers at temperature 1, as an array (pairs, samples).

        Half of the samples have the sentences in either order. +1, -1 or nan, as for `forced_choices`.
        """
        pairs = list(zip(first, second, strict=True))
        signs = np.tile(np.where(np.arange(samples) % 2, -1, 1), len(pairs))
        questions = [
            choice_question(
                self.capabilities.answer_path,
                *(pair if number % 2 == 0 else pair[::-1]),
                temperature=1.0,
                seed=samples * seed + number,
            )
            for pair in pairs
            for number in range(samples)
        ]
        return read_samples(self.asker.ask(questions), signs).reshape(len(pairs), samples)

    def answers(
        self, prompts: Sequence[str], *, n: int = 1, sampling: Sampling | None = None, seed: int = 0
    ) -> list[list[Answer]]:
        """n answers to each prompt, each asked with a seed of its own; equal prompts get equal answers.

        Prompts are the user's turn of a chat, or plain text where the server has no chat.
        """
        sampling = sampling or Sampling()
        seeds = answer_seeds(prompts, n, sampling, seed)
        path = self.capabilities.answer_path
        questions = [
            [sampled_question(path, prompt, sampling, one) for one in of_prompt]
            for prompt, of_prompt in zip(prompts, seeds, strict=True)
        ]
        answers: list[Answer] = self.asker.ask(
            [question for of_prompt in questions for question in of_prompt]
        )
        return [answers[start : start + n] for start in range(0, len(answers), n)]

    def prompt_problems(self, prompts: Sequence[str], sampling: Sampling | None = None) -> list[str | None]:
        """For each prompt the reason why it cannot be asked, or None."""
        return empty_prompts(prompts)

    def _prompt_tokens(self, texts: Sequence[str]) -> list[list[PromptToken]]:
        method = self.capabilities.prompt_method
        if method is None:
            raise ModelError(
                f"{self.name} gives no log-probabilities of texts ({self.capabilities.prompt_problem})"
            )
        check_texts(texts)
        return self.asker.ask([prompt_question(text, method) for text in texts])

    def _from_prompts(self, texts: Sequence[str], words: Sequence[Sequence[str]]) -> np.ndarray:
        pairs = [(text, word) for text, of_text in zip(texts, words, strict=True) for word in of_text]
        asked = self._prompt_tokens([text + word for text, word in pairs])
        sums = [_word_log_prob(tokens, text) for tokens, (text, _) in zip(asked, pairs, strict=True)]
        return np.array(sums).reshape(len(texts), -1)

    def _from_top(self, texts: Sequence[str], words: Sequence[Sequence[str]]) -> Bounds:
        largest = self.capabilities.top
        if not largest:
            raise ModelError(
                f"{self.name} gives no log-probabilities of next words ({self.capabilities.next_problem})"
            )
        found = self._top_bounds(texts, words, min(largest, _FIRST_TOP))
        unknown = np.flatnonzero(~found.exact.all(axis=1)).tolist()
        if largest > _FIRST_TOP and len(unknown):
            more = self._top_bounds([texts[i] for i in unknown], [words[i] for i in unknown], largest)
            found.low[unknown], found.high[unknown] = more.low, more.high
        return found

    def _top_bounds(self, texts: Sequence[str], words: Sequence[Sequence[str]], top: int) -> Bounds:
        # The space before a word is the word's own, as in nearly all vocabularies.
        answers = self.asker.ask([next_token_question(text.rstrip(), top) for text in texts])
        bounds = [
            [top_bounds(answer, text[len(text.rstrip()) :] + word) for word in of_text]
            for answer, text, of_text in zip(answers, texts, words, strict=True)
        ]
        low, high = np.array(bounds).transpose(2, 0, 1)
        return Bounds(low, high)


def top_bounds(top: dict[str, float], word: str) -> tuple[float, float]:
    """Between which bounds the log-probability of a word lies, by the most probable next tokens.

    A word that is not among them is at most as probable as the last of them and as what they leave of all probability,
    or as a token that it may begin with.

    >>> top_bounds({" she": -1.0, " the": -2.0, " a": -4.0}, " she")
    (-1.0, -1.0)
    >>> top_bounds({" she": -1.0, " the": -2.0, " a": -4.0}, " they")
    (-inf, -2.0)
    >>> top_bounds({" she": -1.0, " the": -2.0, " a": -4.0}, " he")
    (-inf, -4.0)
    >>> [round(float(np.exp(bound)), 2) for bound in top_bounds({" a": np.log(0.8), " b": np.log(0.19)}, " he")]
    [0.0, 0.02]
    """
    if word in top:
        return top[word], top[word]
    beginnings = [value for token, value in top.items() if token and word.startswith(token)]
    left = max(0.0, 1.0 - sum(map(math.exp, top.values()))) + SUM_TOLERANCE
    return -np.inf, max([min(*top.values(), math.log(left)), *beginnings])


def _word_log_prob(tokens: Sequence[PromptToken], text: str) -> float:
    """The log-probability of what follows a text."""
    start = len(text.rstrip())
    word = [token for token in tokens if token.start >= start]
    if not word or any(token.start < start < token.end for token in tokens):
        raise InputError(f"the word after {text[-40:]!r} melts into a longer token")
    if word[0].log_prob is None:
        raise InputError("the server does not say how probable the first token of a text is")
    return float(sum(token.log_prob or 0.0 for token in word))


def _encoded(tokens: Sequence[PromptToken]) -> Encoded:
    before = 1 if tokens and tokens[0].log_prob is not None else 0
    numbers = tuple(range(len(tokens)))
    spans = tuple((token.start, token.end) for token in tokens)
    return Encoded(numbers, numbers, spans).after_special((-1,) * before)

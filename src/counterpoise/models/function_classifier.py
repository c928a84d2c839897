"""Functions as classifiers: from texts to a number each, or to the probabilities of labels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from counterpoise.core.errors import CounterpoiseError, FunctionError, ModelError, in_one_line
from counterpoise.core.progress import progress
from counterpoise.models.ratings import Ratings, check_texts, positive_label

_CHUNK = 256  # texts per call, so that progress shows


def code_hash(name: str, function: Callable[..., Any]) -> str:
    """A hash of a function's name and, if it is written in Python, its code."""
    code = getattr(function, "__code__", None)
    parts = (name, code.co_code, code.co_consts) if code else (name,)
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


class FunctionClassifier:
    """A classifier that is a Python function: a list of texts in, a number for each out."""

    kind = "classifier"
    precision = "float64"
    labels: tuple[str, ...] = ("negative", "positive")
    is_regression = False
    positive = 1
    max_length: int | None = None  # how much of a text it reads is up to the function

    def __init__(self, function: Callable[[list[str]], Any], name: str | None = None) -> None:
        self.function = function
        self.name = str(name or getattr(function, "__name__", type(function).__name__))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def fingerprint(self) -> str:
        """A hash of the name and, if it has any, the code; what the function reads elsewhere is not part of it."""
        return code_hash(self.name, self.function)

    def rate(self, texts: Sequence[str]) -> np.ndarray:
        """What the function returns for each text, as an array (texts,); equal texts are passed once."""
        return self.ratings(texts).scores

    def ratings(self, texts: Sequence[str]) -> Ratings:
        """The ratings; a function never truncates a text."""
        check_texts(texts)
        numbers: dict[str, int] = {}
        inputs = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        distinct = list(numbers)
        values = np.zeros(len(distinct))
        with progress(f"rating with {self.name}", total=len(distinct), unit="texts") as advance:
            for start in range(0, len(distinct), _CHUNK):
                chunk = distinct[start : start + _CHUNK]
                values[start : start + len(chunk)] = self._call(chunk)
                advance(len(chunk))
        return Ratings(values[inputs], np.zeros(len(texts), dtype=bool), inputs)

    def predict(self, texts: Sequence[str]) -> list[str]:
        """The label of each text: positive if its rating is at least one half."""
        return [self.labels[int(rating >= 0.5)] for rating in self.rate(texts)]

    def _call(self, texts: list[str]) -> np.ndarray:
        return self._numbers(texts, (len(texts),), "a number for each")

    def _numbers(self, texts: list[str], shape: tuple[int, ...], wanted: str) -> np.ndarray:
        """What the function returns, as an array of the right shape."""
        try:
            answer = self.function(texts)
        except CounterpoiseError:
            raise
        except Exception as error:  # whatever somebody else's code can raise
            raise FunctionError(f"{self.name} raised an error: {in_one_line(error)}") from error
        try:
            values = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            raise ModelError(f"{self.name} must return {wanted} text, not {answer!r:.80}") from None
        if values.shape != shape:
            raise ModelError(
                f"{self.name} was given {len(texts)} texts and returned an array of shape {values.shape}, "
                f"not {wanted}"
            )
        broken = ~np.isfinite(values.reshape(len(texts), -1)).all(axis=1)
        if broken.any():
            raise ModelError(
                f"{self.name} gives a rating that is no number for {texts[int(broken.argmax())]!r:.80}"
            )
        return values


class LabelledClassifier(FunctionClassifier):
    """A classifier that is a function from texts to the probabilities of labels, as an array (texts, labels)."""

    def __init__(
        self,
        function: Callable[[list[str]], Any],
        labels: Sequence[str],
        *,
        name: str,
        fingerprint: str,
        positive: str | None = None,
        max_length: int | None = None,
    ) -> None:
        super().__init__(function, name)
        self.labels = tuple(labels)
        self.positive = positive_label(self.labels, positive, name)
        self.max_length = max_length
        self._fingerprint = fingerprint

    @property
    def fingerprint(self) -> str:
        """A hash of what decides the ratings."""
        return self._fingerprint

    def predict(self, texts: Sequence[str]) -> list[str]:
        """The likeliest label of each text."""
        check_texts(texts)
        distinct = list(dict.fromkeys(texts))
        label_of: dict[str, str] = {}
        for start in range(0, len(distinct), _CHUNK):
            chunk = distinct[start : start + _CHUNK]
            best = self._probabilities(chunk).argmax(axis=1)
            label_of |= {text: self.labels[number] for text, number in zip(chunk, best, strict=True)}
        return [label_of[text] for text in texts]

    def _call(self, texts: list[str]) -> np.ndarray:
        return self._probabilities(texts)[:, self.positive]

    def _probabilities(self, texts: list[str]) -> np.ndarray:
        wanted = f"{len(self.labels)} probabilities for each"
        return self._numbers(texts, (len(texts), len(self.labels)), wanted)

"""Functions as classifiers: from texts to a number each, or to the probabilities of labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from counterpoise.core.errors import ModelError
from counterpoise.core.progress import progress
from counterpoise.models.function_answers import (
    answer_of,
    first_not_finite,
    function_name,
    numbers_of,
)
from counterpoise.models.function_fingerprints import function_fingerprint
from counterpoise.models.ratings import Ratings, check_texts, positive_label

_CHUNK = 256  # texts per call, so that progress shows


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
        self.name = function_name(function, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def fingerprint(self) -> str:
        """A hash of the name, the code and what the function brings along, such as default arguments."""
        return function_fingerprint(self.function, self.name)

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
        answer = answer_of(self.function, self.name, texts)
        values = numbers_of(answer, self.name, shape, wanted, "text")
        broken = first_not_finite(values)
        if broken is not None:
            raise ModelError(f"{self.name} gives a rating that is no number for {texts[broken]!r:.80}")
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

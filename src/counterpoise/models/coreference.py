"""Coreference systems: which mentions of a text mean the same person or thing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.coreference_adapters import adapter_of
from counterpoise.models.function_answers import answer_of, function_name
from counterpoise.models.function_fingerprints import function_fingerprint
from counterpoise.models.ratings import check_texts
from counterpoise.models.transformer import shorten

Span: TypeAlias = tuple[int, int]  # the characters text[start:end]
Clusters: TypeAlias = list[list[Span]]  # of one text

_CHUNK = 256  # texts per call, so that progress shows
_WORKS = (
    "give a function from a list of texts to the clusters of each, a fastcoref model, or a spaCy pipeline with a "
    "coreference component"
)


class CoreferenceSystem:
    """A coreference system: a list of texts in, the clusters of each out.

    A cluster is a list of mentions that mean the same, a mention the characters `(start, end)` of the text.

    >>> same = CoreferenceSystem.of(lambda texts: [[[(0, 3), (14, 17)]] for text in texts], name="same")
    >>> [[text[start:end] for start, end in cluster]
    ...  for text in ["Ann said that she left."] for cluster in same.clusters([text])[0]]
    [['Ann', 'she']]
    """

    kind = "coreference"
    precision = "float64"

    def __init__(self, function: Callable[[list[str]], Any], name: str | None = None) -> None:
        self.function = function
        self.name = function_name(function, name)

    @classmethod
    def of(cls, system: Any, name: str | None = None) -> CoreferenceSystem:
        """A system from a function, a fastcoref model or a spaCy pipeline.

        >>> CoreferenceSystem.of(42)
        Traceback (most recent call last):
        counterpoise.core.errors.InputError: int is no coreference system: give a function from a list of texts to \
the clusters of each, a fastcoref model, or a spaCy pipeline with a coreference component
        """
        if isinstance(system, type):
            raise InputError(f"{system.__name__} is a class; give an object of it, or a function")
        if isinstance(system, cls):
            return system
        adapter = adapter_of(system)
        if adapter is not None:
            return cls(adapter.function, name or adapter.name)
        if not callable(system):
            raise InputError(f"{type(system).__name__} is no coreference system: {_WORKS}")
        return cls(system, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def fingerprint(self) -> str:
        """A hash of the name, the code and what the function brings along, such as default arguments."""
        return function_fingerprint(self.function, self.name)

    def clusters(self, texts: Sequence[str]) -> list[Clusters]:
        """The clusters of each text; equal texts are passed once."""
        check_texts(texts)
        distinct = list(dict.fromkeys(texts))
        clusters_of: dict[str, Clusters] = {}
        with progress(f"asking {self.name}", total=len(distinct), unit="texts") as advance:
            for start in range(0, len(distinct), _CHUNK):
                chunk = distinct[start : start + _CHUNK]
                clusters_of |= zip(chunk, self._call(chunk), strict=True)
                advance(len(chunk))
        return [clusters_of[text] for text in texts]

    def _call(self, texts: list[str]) -> list[Clusters]:
        answers = answer_of(self.function, self.name, texts)
        if not isinstance(answers, list | tuple):
            raise ModelError(
                f"{self.name} must return a list with the clusters of each text, not {answers!r:.80}"
            )
        if len(answers) != len(texts):
            raise ModelError(f"{self.name} was given {len(texts)} texts and returned {len(answers)} answers")
        return [self._clusters(text, answer) for text, answer in zip(texts, answers, strict=True)]

    def _clusters(self, text: str, answer: Any) -> Clusters:
        """The clusters of one text; anything but lists of spans inside the text is an error."""
        if not isinstance(answer, list | tuple):
            raise self._strange("a list of clusters", answer, text)
        clusters = []
        for cluster in answer:
            if not isinstance(cluster, list | tuple):
                raise self._strange("a cluster, a list of spans (start, end),", cluster, text)
            clusters.append([self._span(text, span) for span in cluster])
        return clusters

    def _span(self, text: str, span: Any) -> Span:
        try:
            start, end = map(operator.index, span)
        except (TypeError, ValueError):
            raise self._strange("a span of two whole numbers (start, end)", span, text) from None
        if not 0 <= start < end <= len(text):
            raise ModelError(
                f"{self.name} gives the span ({start}, {end}), which is not inside the text of {len(text)} characters "
                f"{shorten(text)!r}; spans count characters, and the end is the one after the last"
            )
        return start, end

    def _strange(self, wanted: str, answer: Any, text: str) -> ModelError:
        return ModelError(f"{self.name} must return {wanted} for {shorten(text)!r}, not {answer!r:.80}")

"""Functions as models of natural language inference: from premises and hypotheses to three probabilities each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from counterpoise.core.errors import InputError, ModelError
from counterpoise.core.progress import progress
from counterpoise.models.function_answers import (
    answer_of,
    first_not_finite,
    function_name,
    numbers_of,
)
from counterpoise.models.function_fingerprints import function_fingerprint
from counterpoise.models.inference_labels import LABELS, label_columns
from counterpoise.models.ratings import check_texts
from counterpoise.models.sequence_classifier import quoted

_CHUNK = 256  # pairs per call, so that progress shows
_ROUNDING = 1e-3  # by which three probabilities may miss 1: half precision, or four printed decimals
_WANTED = "the probabilities of entailment, neutral and contradiction for each"


class FunctionInference:
    """A Python function that is a model of natural language inference.

    It takes two lists of equal length, premises and hypotheses, and returns for each pair the probabilities of
    entailment, neutral and contradiction, or in another order that `labels` says.
    """

    kind = "nli"
    precision = "float64"

    def __init__(
        self,
        function: Callable[[list[str], list[str]], Any],
        name: str | None = None,
        labels: str | Sequence[str] | None = None,
    ) -> None:
        self.function = function
        self.name = function_name(function, name)
        self._columns = label_columns(LABELS, labels, self.name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def fingerprint(self) -> str:
        """A hash of the name, the code and what the function brings along, such as default arguments."""
        return function_fingerprint(self.function, f"{self.name} {self._columns}")

    def knows(self, word: str) -> bool:
        """Whether the model can read the word; of a function it is taken for granted."""
        return True

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """P(entailment), P(neutral) and P(contradiction) of each pair, (n, 3); equal pairs are passed once."""
        pairs = check_pairs(premises, hypotheses)
        numbers: dict[tuple[str, str], int] = {}
        inverse = np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], dtype=np.int64)
        distinct = list(numbers)
        values = np.zeros((len(distinct), len(LABELS)))
        with progress(f"inferring with {self.name}", total=len(distinct), unit="pairs") as advance:
            for start in range(0, len(distinct), _CHUNK):
                chunk = distinct[start : start + _CHUNK]
                values[start : start + len(chunk)] = self._call(chunk)
                advance(len(chunk))
        return values[inverse][:, self._columns]

    def _call(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        premises, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
        answer = answer_of(self.function, self.name, premises, hypotheses)
        values = numbers_of(answer, self.name, (len(pairs), len(LABELS)), _WANTED, "pair")
        broken = first_not_finite(values)
        if broken is not None:
            raise ModelError(f"{self.name} gives a probability that is no number for {quoted(pairs[broken])}")
        sums = values.sum(axis=1)
        wrong = (np.abs(sums - 1) > _ROUNDING) | (values < -_ROUNDING).any(axis=1)
        if wrong.any():
            first = int(wrong.argmax())
            raise ModelError(
                f"{self.name} must return probabilities, which are 0 or more and add up to 1; for "
                f"{quoted(pairs[first])} it returned {', '.join(f'{value:g}' for value in values[first])}"
            )
        return values


def check_pairs(premises: Sequence[str], hypotheses: Sequence[str]) -> list[tuple[str, str]]:
    """Premises with their hypotheses; an error unless both are lists of texts of one length.

    >>> check_pairs(["It rains.", "It snows."], ["It is wet."])
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: there are 2 premises and 1 hypotheses: each premise needs its hypothesis
    """
    check_texts(premises)
    check_texts(hypotheses)
    if len(premises) != len(hypotheses):
        raise InputError(
            f"there are {len(premises)} premises and {len(hypotheses)} hypotheses: each premise needs its hypothesis"
        )
    return list(zip(premises, hypotheses, strict=True))

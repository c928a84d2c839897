"""What every classifier returns, be it a model or a function, and which texts it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.models.transformer import shorten

_POSITIVE_NAMES = ("positive", "pos")
_POSITIVE_OF_TWO = ("label_1", "1", "true", "yes")


@dataclass(frozen=True)
class Ratings:
    """The ratings of a list of texts.

    `truncated` marks texts that are longer than the model reads. `inputs` numbers what the model was really given:
    texts with the same number are the same to it.
    """

    scores: np.ndarray
    truncated: np.ndarray
    inputs: np.ndarray


def check_texts(texts: Sequence[str]) -> None:
    """Raises an error unless `texts` is a list of strings, none of them empty."""
    if isinstance(texts, str):
        raise InputError(f"texts must be a list of texts, not one text: {shorten(texts)!r}")
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"a text must be a string, not {type(text).__name__}: {text!r}")
        if not text.strip():
            raise InputError("a text is empty")


def positive_label(labels: Sequence[str], wanted: str | None, name: str) -> int:
    """The number of the label that was asked for or, if none was, of the one whose name is positive.

    >>> positive_label(["neg", "pos"], None, "mine"), positive_label(["joy", "fear"], "Joy", "mine")
    (1, 0)
    """
    numbers = {label.lower(): number for number, label in enumerate(labels)}
    if wanted is not None:
        if wanted.lower() not in numbers:
            raise unknown(f"label of {name}", wanted.lower(), numbers)
        return numbers[wanted.lower()]
    for label in (*_POSITIVE_NAMES, *(_POSITIVE_OF_TWO if len(numbers) == 2 else ())):
        if label in numbers:
            return numbers[label]
    raise ModelError(
        f"which label of {name} is the positive one? Say it with positive= (--positive); "
        f"there are: {', '.join(labels)}"
    )

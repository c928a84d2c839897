"""What every classifier returns, be it a model or a function, and which texts it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.models.transformer import shorten


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
            raise InputError("a text to rate is empty")

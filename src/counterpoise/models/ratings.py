"""What every classifier returns, be it a model or a function, and which texts it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoise.core.errors import InputError, ModelError, unknown
from counterpoise.models.transformer import shorten

_POSITIVE_NAMES = ("positive", "pos")
_INFERENCE = (
    "; or if they are entailment, neutral and contradiction, say their order with kind='nli' and labels= "
    "(--kind nli --labels)"
)
_POSITIVE_OF_TWO = ("label_1", "1", "true", "yes")
# Of a classifier of toxicity the rating is how toxic a text is. Where it has several of these labels, the first counts.
_TOXICITY_NAMES = (
    "toxic",
    "toxicity",
    "hate",
    "hateful",
    "hate speech",
    "sexist",
    "sexism",
    "misogyny",
    "offensive",
    "abusive",
    "obscene",
)


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


def is_toxicity(label: str) -> bool:
    """Does the name of a label say that texts with it are toxic, hateful, sexist or the like?

    >>> is_toxicity("HATE_SPEECH"), is_toxicity("not sexist"), is_toxicity("positive")
    (True, False, False)
    """
    return _plain(label) in _TOXICITY_NAMES


def positive_label(labels: Sequence[str], wanted: str | None, name: str) -> int:
    """The number of the label that was asked for or, if none was, of the one whose name is positive, or toxic.

    >>> positive_label(["neg", "pos"], None, "mine"), positive_label(["joy", "fear"], "Joy", "mine")
    (1, 0)
    >>> positive_label(["not sexist", "sexist"], None, "mine")
    1
    """
    numbers = {label.lower(): number for number, label in enumerate(labels)}
    if wanted is not None:
        if wanted.lower() not in numbers:
            raise unknown(f"label of {name}", wanted.lower(), numbers)
        return numbers[wanted.lower()]
    for label in (*_POSITIVE_NAMES, *(_POSITIVE_OF_TWO if len(numbers) == 2 else ())):
        if label in numbers:
            return numbers[label]
    by_name = {_plain(label): number for number, label in enumerate(labels)}
    for label in _TOXICITY_NAMES:
        if label in by_name:
            return by_name[label]
    raise ModelError(
        f"which label of {name} is the positive one? Say it with positive= (--positive); "
        f"there are: {', '.join(labels)}{_INFERENCE if len(labels) == 3 else ''}"
    )


def _plain(label: str) -> str:
    """A label in small letters, its words apart: Hate_Speech and hate-speech are one."""
    return " ".join(label.lower().replace("_", " ").replace("-", " ").split())

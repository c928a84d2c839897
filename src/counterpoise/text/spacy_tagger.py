"""For those who have spaCy: its part-of-speech tags choose between his and him.

The classifier in `pronoun_cases.py` is more often right and far faster; this is here to compare with.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from counterpoise.core.errors import InputError
from counterpoise.text import pronoun_cases


class SpacyChooser:
    """Asks a spaCy model whether her is PRP$ (her book) or PRP (saw her).

    `Swapper(pronouns="en_core_web_sm")` is the short way to it. his is left to the classifier, since spaCy
    tags it as PRP$ also where it stands alone.
    """

    def __init__(self, model: str = "en_core_web_sm") -> None:
        try:
            spacy: Any = importlib.import_module("spacy")
        except ImportError as error:
            raise InputError(
                "spaCy is not installed; `pip install spacy`, or leave the tagger out"
            ) from error
        try:
            self._nlp = spacy.load(model, disable=["parser", "ner", "lemmatizer"])
        except OSError as error:
            raise InputError(
                f"spaCy has no model {model!r} here; `python -m spacy download {model}`"
            ) from error

    def __call__(self, text: str, word: str, spans: Sequence[tuple[int, int]]) -> list[bool]:
        if word != "her":
            return pronoun_cases.choose(text, word, spans)
        tags = {token.idx: token.tag_ for token in self._nlp(text)}
        return [tags.get(start) == "PRP$" for start, _ in spans]

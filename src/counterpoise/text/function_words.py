"""Function words: articles, pronouns, auxiliaries, prepositions and the like, which hardly say what a text is about."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

import yaml

Language = Literal["en", "de"]


@cache
def function_words(language: Language = "en") -> frozenset[str]:
    """The words of `lists/function_words.yaml`, in small letters.

    >>> words = function_words()
    >>> "the" in words, "because" in words, "league" in words, "und" in function_words("de")
    (True, True, False, True)
    """
    text = resources.files("counterpoise.text").joinpath("lists/function_words.yaml").read_text("utf-8")
    return frozenset(word for listed in yaml.safe_load(text)[language].values() for word in listed.split())

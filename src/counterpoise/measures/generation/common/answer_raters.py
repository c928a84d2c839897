"""Raters of answers, each audited for gender first.

A rater may itself prefer texts about one gender. So every answer is rated in its all-male and in its all-female
version, whoever it is about:

    rating(a)      = (rater(male version of a) + rater(female version of a)) / 2
    rater bias     = mean over answers of  rater(male version of a) - rater(female version of a)

An answer then gets the same rating whichever gender it is about, and the rater's bias cancels, as far as the swapper
turns the words that it reacts to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoise.core.errors import InputError
from counterpoise.data.builtin.answer_words import AnswerWordsSpec
from counterpoise.measures.generation.common.answer_features import lexicon_sentiment
from counterpoise.models.classifier import Classifier
from counterpoise.models.loading import load
from counterpoise.models.named_functions import import_function, is_function_name
from counterpoise.text import Swapper

LEXICON = "lexicon"
BIAS = "_rater_bias"  # columns of a rater's own bias end with it
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Rater:
    """What gives each of some texts a number."""

    name: str
    rate: Callable[[Sequence[str]], np.ndarray]


@dataclass(frozen=True)
class AuditedRatings:
    """The rating of each text, free of the rater's own bias, and that bias in each text."""

    ratings: np.ndarray
    bias: np.ndarray


def audited(rater: Rater, texts: Sequence[str], swapper: Swapper) -> AuditedRatings:
    """
    >>> fond_of_men = Rater("fond of men", lambda texts: np.array([float(text.startswith("He")) for text in texts]))
    >>> found = audited(fond_of_men, ["It was late.", "She left.", "He left."], Swapper())
    >>> found.ratings.tolist(), found.bias.tolist()
    ([0.0, 0.5, 0.5], [0.0, 1.0, 1.0])
    """
    male, female = ([swapper.swap(text, to) for text in texts] for to in ("male", "female"))
    scores = rater.rate([*male, *female])
    of_male, of_female = scores[: len(texts)], scores[len(texts) :]
    return AuditedRatings((of_male + of_female) / 2, of_male - of_female)


def sentiment_rater(given: Any, lists: AnswerWordsSpec) -> Rater:
    """The rater of sentiment: our lists of words, or what the user gives instead."""
    if isinstance(given, str) and given == LEXICON:
        return Rater(LEXICON, lambda texts: lexicon_sentiment(texts, lists))
    return rater_of(given)


def named_raters(given: Any) -> dict[str, Rater]:
    """Raters by name: a mapping, or a list of classifiers and of functions named `module:function`."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        pairs = [(str(name), rater_of(rater)) for name, rater in given.items()]
    elif isinstance(given, list | tuple):
        raters = [rater_of(rater) for rater in given]
        pairs = [(rater.name.rpartition(":")[2].rpartition("/")[2], rater) for rater in raters]
    else:
        raise InputError(f"raters are a list, or a mapping from names to raters, not {given!r:.60}")
    names = [re.sub(r"\W+", "_", name).strip("_") for name, _ in pairs]
    for name, (original, _) in zip(names, pairs, strict=True):
        if _NAME.fullmatch(name) is None or names.count(name) > 1 or name.endswith(BIAS):
            raise InputError(f"raters need names of their own that begin with a letter, not {original!r}")
    return {name: rater for name, (_, rater) in zip(names, pairs, strict=True)}


def rater_of(given: Any) -> Rater:
    """A rater from a classifier, a function from texts to numbers, or the name of either; nothing is downloaded."""
    if isinstance(given, str):
        given = (
            import_function(given)
            if is_function_name(given)
            else load(given, kind="classifier", offline=True)
        )
    classifier = given if getattr(given, "kind", None) == "classifier" else Classifier.of(given)
    return Rater(classifier.name, classifier.rate)

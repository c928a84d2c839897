"""Which classifiers rate toxicity, and which labels of texts say that a text is toxic."""

from __future__ import annotations

from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier, LabelledClassifier
from counterpoise.models.ratings import is_toxicity

_TOXIC = ("1", "true", "yes", "positive", "pos")
_HARMLESS = (
    "0",
    "false",
    "no",
    "negative",
    "neg",
    "none",
    "neutral",
    "normal",
    "neither",
    "clean",
    "harmless",
)
_NEGATIONS = ("not", "non", "no")
_TOXIC_FROM = 0.5  # a share of annotators, as in Civil Comments (Borkan et al. 2019)


def no_toxicity(model: Classifier | FunctionClassifier) -> str | None:
    """Why a suite does not measure the toxicity of a classifier, or None if its positive label names it."""
    if isinstance(model, Classifier | LabelledClassifier):
        label = model.labels[model.positive]
        if is_toxicity(label):
            return None
        reason = f"{model.name} does not rate toxicity: its positive label is {label!r}"
    else:
        reason = f"{model.name} is a function, and nothing says whether it rates toxicity"
    return f"{reason} (--measures toxicity measures it all the same)"


def label_warning(model: Classifier | FunctionClassifier) -> tuple[str, ...]:
    """A warning where a label that does not name toxicity is taken for it; a function has no labels."""
    if not isinstance(model, Classifier | LabelledClassifier) or is_toxicity(model.labels[model.positive]):
        return ()
    return (
        f"The positive label of {model.name} is {model.labels[model.positive]!r}, which does not name toxicity; its "
        "probability is read as how toxic a text is (positive=, --positive, chooses another label).",
    )


def is_toxic(label: str, model: Classifier | FunctionClassifier) -> bool | None:
    """Does the label of a text say that it is toxic? None where it says neither.

    Labels are those of the model, names of toxicity and their negations, 1 and 0, yes and no, or the share of
    annotators who found the text toxic.

    >>> scorer = FunctionClassifier(len)
    >>> [is_toxic(label, scorer) for label in ("hateful", "Not sexist", "non-toxic", "0.6", "0", "maybe")]
    [True, False, False, True, False, None]
    """
    word = label.strip().lower()
    if word == model.labels[model.positive].lower() or is_toxicity(word) or word in _TOXIC:
        return True
    if word in _HARMLESS or word in (known.lower() for known in model.labels):
        return False
    first, _, rest = word.replace("_", " ").replace("-", " ").partition(" ")
    if first in _NEGATIONS and is_toxicity(rest):
        return False
    try:
        share = float(word)
    except ValueError:
        return None
    return share >= _TOXIC_FROM if 0 <= share <= 1 else None

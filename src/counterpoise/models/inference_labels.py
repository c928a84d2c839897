"""The labels of natural language inference: which of a model's outputs is which.

A premise entails a hypothesis, contradicts it, or says neither. Models name the three in many orders, and some not at
all.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.core.errors import InputError, ModelError

LABELS = ("entailment", "neutral", "contradiction")
_NAMES = {
    "entailment": ("entailment", "entail", "entails", "entailed"),
    "neutral": ("neutral",),
    "contradiction": ("contradiction", "contradict", "contradicts", "contradictory"),
}


def names_inference(labels: Sequence[str]) -> bool:
    """Whether labels say that a classifier is one of natural language inference, be it of two labels only.

    >>> names_inference(["CONTRADICTION", "NEUTRAL", "ENTAILMENT"]), names_inference(["entailment", "not_entailment"])
    (True, True)
    >>> names_inference(["positive", "neutral", "negative"])
    False
    """
    found = [_label(name) for name in labels]
    return set(LABELS) <= set(found) or (len(labels) == 2 and "entailment" in found)


def given_labels(labels: str | Sequence[str]) -> tuple[str, ...]:
    """Labels that a user gives in the order of the model's outputs, as a list or with commas between them.

    >>> given_labels("contradict, entail, neutral")
    ('contradiction', 'entailment', 'neutral')
    """
    names = labels.split(",") if isinstance(labels, str) else list(labels)
    found = tuple(_label(name) for name in names)
    if sorted(map(str, found)) != sorted(LABELS):
        raise InputError(
            f"labels (--labels) must be entailment, neutral and contradiction, in the order of the model's outputs, "
            f"not {', '.join(map(str, names))!r}"
        )
    return tuple(str(label) for label in found)


def label_columns(labels: Sequence[str], given: str | Sequence[str] | None, name: str) -> list[int]:
    """Which outputs of a model are entailment, neutral and contradiction: as its labels say, or as given.

    >>> label_columns(["contradiction", "neutral", "entailment"], None, "mine")
    [2, 1, 0]
    >>> label_columns(["LABEL_0", "LABEL_1", "LABEL_2"], "neutral,entailment,contradiction", "mine")
    [1, 0, 2]
    """
    if len(labels) != len(LABELS):
        count = "1 label" if len(labels) == 1 else f"{len(labels)} labels"
        raise ModelError(
            f"{name} has {count} ({', '.join(labels)}); natural language inference needs three: {', '.join(LABELS)}"
        )
    found = [_label(label) for label in labels] if given is None else list(given_labels(given))
    if not set(LABELS) <= set(found):
        raise ModelError(
            f"which labels of {name} are entailment, neutral and contradiction? Say it with labels= (--labels), in the "
            f"order of the model's outputs; there are: {', '.join(labels)}"
        )
    return [found.index(label) for label in LABELS]


def _label(name: str) -> str | None:
    """The label that a name stands for, if it stands for one."""
    plain = str(name).strip().lower()
    return next((label for label, names in _NAMES.items() if plain in names), None)

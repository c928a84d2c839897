"""Options about the labels of classifiers: which kinds of model they are for, and what they say of the kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterpoise.core.errors import InputError
from counterpoise.models.pretrained import Kind


def found_kind(kind: Kind, positive: str | None, labels: str | Sequence[str] | None) -> Kind:
    """The kind of a model that was found out, unless the options are for another way to read its labels.

    >>> found_kind("classifier", None, "entailment,neutral,contradiction"), found_kind("nli", "entailment", None)
    ('nli', 'classifier')
    """
    if kind == "classifier" and labels is not None:
        return "nli"
    return "classifier" if kind == "nli" and positive is not None else kind


def label_options(
    kind: Kind, positive: str | None, labels: str | Sequence[str] | None, name: str
) -> dict[str, Any]:
    """Those of the options that a kind of model takes; one that it does not take is an error."""
    if positive is not None and kind != "classifier":
        raise InputError(f"positive is for classifiers, and {name} is loaded as {kind}")
    if labels is not None and kind != "nli":
        raise InputError(
            f"labels is for models of natural language inference, and {name} is loaded as {kind}"
        )
    if kind == "classifier":
        return {"positive": positive}
    return {"labels": labels} if kind == "nli" else {}

"""Models from elsewhere: `adopt` makes one that measures can ask out of whatever somebody has at hand.

| what                                                            | becomes                              |
|-----------------------------------------------------------------|--------------------------------------|
| a model that is loaded already                                  | itself                               |
| a function from a list of texts to a number for each            | `FunctionClassifier`                 |
| a fitted scikit-learn pipeline with `predict_proba`             | `LabelledClassifier`                 |
| a transformers pipeline (classification, fill-mask, generation) | `Classifier`, `MaskedLM`, `CausalLM` |
| a transformers model with its tokenizer, as (model, tokenizer)  | the class of its architecture        |
| with kind="coreference": a function from texts to clusters      | `CoreferenceSystem`                  |
"""

from __future__ import annotations

from typing import Any, get_args

from counterpoise.core.errors import InputError, unknown
from counterpoise.models.classes import class_of
from counterpoise.models.classifier import Classifier
from counterpoise.models.coreference import CoreferenceSystem
from counterpoise.models.estimators import name_of, transformers_parts
from counterpoise.models.pretrained import Kind, kind_of_architecture


def adopt(
    model: Any, *, name: str | None = None, positive: str | None = None, kind: Kind | None = None
) -> Any:
    """The model as one that measures can ask; one line about what would work if it cannot be one.

    Without a `kind`, a function is a classifier.

    >>> adopt(len)
    <FunctionClassifier 'len'>
    >>> adopt(42)
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: int cannot be measured: give a function from a list of texts to a number for \
each, a fitted scikit-learn pipeline with predict_proba, a transformers pipeline, (model, tokenizer), a folder or a \
hub name
    """
    if kind is not None and kind not in get_args(Kind):
        raise unknown("kind of model", kind, get_args(Kind))
    adopted = _adopted(model, name, positive, kind)
    if kind not in (None, adopted.kind):
        raise InputError(f"{adopted.name} is loaded as {adopted.kind}, not as {kind}")
    return adopted


def _adopted(model: Any, name: str | None, positive: str | None, wanted: Kind | None) -> Any:
    if not isinstance(model, type) and getattr(model, "kind", None) in get_args(Kind):
        if positive is not None:
            raise InputError(f"{model.name} is loaded already; say which label is positive when it is loaded")
        return model
    if wanted == "coreference":
        if positive is not None:
            raise InputError("positive is for classifiers, and a coreference system has no labels")
        return CoreferenceSystem.of(model, name=name)
    parts = transformers_parts(model)
    if parts is not None:
        name = name or name_of(parts[0])
        kind = kind_of_architecture(type(parts[0]).__name__, name)
        if kind != "classifier":
            if positive is not None:
                raise InputError(f"positive is for classifiers, and {name} is loaded as {kind}")
            return class_of(kind)(parts[0].eval(), parts[1], name=name)
    return Classifier.of(model, name=name, positive=positive)

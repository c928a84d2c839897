"""Models from elsewhere: `adopt` makes one that measures can ask out of whatever somebody has at hand.

| what                                                            | becomes                              |
|-----------------------------------------------------------------|--------------------------------------|
| a model that is loaded already                                  | itself                               |
| a function from a list of texts to a number for each            | `FunctionClassifier`                 |
| a fitted scikit-learn pipeline with `predict_proba`             | `LabelledClassifier`                 |
| a transformers pipeline (classification, fill-mask, generation) | `Classifier`, `MaskedLM`, `CausalLM` |
| a transformers model with its tokenizer, as (model, tokenizer)  | the class of its architecture        |
"""

from __future__ import annotations

from typing import Any, get_args

from counterpoise.core.errors import InputError
from counterpoise.models.classes import class_of
from counterpoise.models.classifier import Classifier
from counterpoise.models.estimators import name_of, transformers_parts
from counterpoise.models.pretrained import Kind, kind_of_architecture


def adopt(model: Any, *, name: str | None = None, positive: str | None = None) -> Any:
    """The model as one that measures can ask; one line about what would work if it cannot be one.

    >>> adopt(len)
    <FunctionClassifier 'len'>
    >>> adopt(42)
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: int cannot be measured: give a function from a list of texts to a number for \
each, a fitted scikit-learn pipeline with predict_proba, a transformers pipeline, (model, tokenizer), a folder or a \
hub name
    """
    if not isinstance(model, type) and getattr(model, "kind", None) in get_args(Kind):
        if positive is not None:
            raise InputError(f"{model.name} is loaded already; say which label is positive when it is loaded")
        return model
    parts = transformers_parts(model)
    if parts is not None:
        name = name or name_of(parts[0])
        kind = kind_of_architecture(type(parts[0]).__name__, name)
        if kind != "classifier":
            if positive is not None:
                raise InputError(f"positive is for classifiers, and {name} is loaded as {kind}")
            return class_of(kind)(parts[0].eval(), parts[1], name=name)
    return Classifier.of(model, name=name, positive=positive)

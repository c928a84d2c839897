"""Models from elsewhere: `adopt` makes one that measures can ask out of whatever somebody has at hand.

| what                                                            | becomes                              |
|-----------------------------------------------------------------|--------------------------------------|
| a model that is loaded already                                  | itself                               |
| a function from a list of texts to a number for each            | `FunctionClassifier`                 |
| a function of premises and hypotheses, with kind="nli"          | `FunctionInference`                  |
| a fitted scikit-learn pipeline with `predict_proba`             | `LabelledClassifier`                 |
| a transformers pipeline (classification, fill-mask, generation) | `Classifier`, `MaskedLM`, `CausalLM` |
| a transformers model with its tokenizer, as (model, tokenizer)  | the class of its architecture        |
| with kind="coreference": a function from texts to clusters      | `CoreferenceSystem`                  |
| with kind="answers": a function from prompt and seed to text    | `AnswerFunction`                     |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from counterpoise.core.errors import InputError, unknown
from counterpoise.models.answer_function import AnswerFunction
from counterpoise.models.classes import class_of
from counterpoise.models.classifier import Classifier
from counterpoise.models.classifier_options import found_kind, label_options
from counterpoise.models.coreference import CoreferenceSystem
from counterpoise.models.estimators import name_of, transformers_parts
from counterpoise.models.inference import InferenceModel
from counterpoise.models.pretrained import Kind, kind_of_architecture, kind_of_classifier


def adopt(
    model: Any,
    *,
    name: str | None = None,
    kind: Kind | None = None,
    positive: str | None = None,
    labels: str | Sequence[str] | None = None,
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
    adopted = _adopted(model, name, kind, positive, labels)
    if kind not in (None, adopted.kind):
        raise InputError(f"{adopted.name} is loaded as {adopted.kind}, not as {kind}")
    return adopted


def _adopted(
    model: Any, name: str | None, kind: Kind | None, positive: str | None, labels: str | Sequence[str] | None
) -> Any:
    if not isinstance(model, type) and getattr(model, "kind", None) in get_args(Kind):
        if positive is not None or labels is not None:
            what = "which label is positive" if positive is not None else "the order of its labels"
            raise InputError(f"{model.name} is loaded already; say {what} when it is loaded")
        return model
    if kind == "coreference":
        label_options(kind, positive, labels, name or "a coreference system")
        return CoreferenceSystem.of(model, name=name)
    parts = transformers_parts(model)
    if kind == "answers" and parts is None:
        label_options(kind, positive, labels, name or "a function")
        return AnswerFunction.of(model, name=name)
    if parts is not None:
        return _of_transformers(*parts, name or name_of(parts[0]), kind, positive, labels)
    if kind == "nli":
        label_options(kind, positive, labels, name or "a function")
        return InferenceModel.of(model, name=name, labels=labels)
    label_options("classifier", positive, labels, name or "a function")
    return Classifier.of(model, name=name, positive=positive)


def _of_transformers(
    model: Any,
    tokenizer: Any,
    name: str,
    kind: Kind | None,
    positive: str | None,
    labels: str | Sequence[str] | None,
) -> Any:
    found = kind_of_architecture(type(_without_adapter(model)).__name__, name)
    if found == "classifier":
        wanted = kind if kind in ("classifier", "nli") else None
        found = wanted or found_kind(kind_of_classifier(model.config), positive, labels)
    options = label_options(found, positive, labels, name)
    return class_of(found)(model.eval(), tokenizer, name=name, **options)


def _without_adapter(model: Any) -> Any:
    """The model that an adapter of peft is put on, since the adapter's class may not say what it is."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model

"""Classifiers that are Python objects: functions, and estimators of scikit-learn.

What looks like a classifier and cannot be one is refused in a line that says what would work.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import pickle
import sys
from collections.abc import Sequence
from typing import Any

from counterpoise.core.errors import InputError, in_one_line
from counterpoise.models.function_classifier import FunctionClassifier, LabelledClassifier

_WORKS = (
    "give a function from a list of texts to a number for each, a fitted scikit-learn pipeline with predict_proba, a "
    "transformers pipeline, (model, tokenizer), a folder or a hub name"
)
_ADDRESS = "_stop_words_id"
_PIPELINES = ("TextClassificationPipeline", "FillMaskPipeline", "TextGenerationPipeline")


def classifier_of_object(model: Any, name: str | None, positive: str | None) -> FunctionClassifier:
    """A classifier from a function, or from an object with `predict_proba`.

    >>> classifier_of_object(len, None, None)
    <FunctionClassifier 'len'>
    """
    refuse_object(model)
    if hasattr(model, "predict_proba"):
        return _from_probabilities(model, name, positive)
    if positive is not None:
        raise InputError("a function has no labels to choose from: it returns the rating itself")
    return FunctionClassifier(model, name)


def transformers_parts(model: Any) -> tuple[Any, Any] | None:
    """The model and tokenizer of a transformers pipeline, or of a pair of them; None for anything else."""
    if isinstance(model, tuple):
        if len(model) != 2 or not hasattr(model[0], "config") or not callable(model[1]):
            raise InputError("a tuple must be a transformers model and its tokenizer: (model, tokenizer)")
        found = model
    elif _is_pipeline(model):
        kinds = {kind.__name__ for kind in type(model).__mro__}
        if kinds.isdisjoint(_PIPELINES):
            raise InputError(f"{type(model).__name__} cannot be measured; {', '.join(_PIPELINES)} can")
        found = model.model, model.tokenizer
    else:
        return None
    if not getattr(found[1], "is_fast", False):
        kind = type(found[1]).__name__
        raise InputError(f"a fast tokenizer is needed (AutoTokenizer.from_pretrained), not {kind}")
    return found


def name_of(model: Any) -> str:
    """The name of a model of transformers: where it comes from, else its class."""
    return str(getattr(model.config, "name_or_path", "") or type(model).__name__)


def refuse_object(model: Any) -> None:
    """Raises an error for what looks like a classifier and cannot be one, each with what would work instead."""
    kind = type(model).__name__
    if isinstance(model, type):
        raise InputError(f"{model.__name__} is a class; give an object of it, or a function")
    if hasattr(model, "predict_proba"):
        return
    if hasattr(model, "config") and hasattr(model, "forward"):
        raise InputError(f"{kind} is a model without its tokenizer; give both as (model, tokenizer)")
    if hasattr(model, "parameters") and hasattr(model, "forward"):
        raise InputError(
            f"{kind} is a torch module and takes no texts; give a function from texts to numbers"
        )
    if hasattr(model, "fit") and hasattr(model, "predict"):
        raise InputError(
            f"{kind} gives no probabilities; calibrate it (sklearn.calibration.CalibratedClassifierCV), so that it has "
            "predict_proba"
        )
    if not callable(model):
        raise InputError(f"{kind} cannot be measured: {_WORKS}")


def _is_pipeline(model: Any) -> bool:
    """Is it a pipeline of transformers? Not imported for the question: who has one has imported it."""
    transformers = sys.modules.get("transformers")
    return transformers is not None and isinstance(model, transformers.Pipeline)


def _from_probabilities(model: Any, name: str | None, positive: str | None) -> LabelledClassifier:
    """A classifier of scikit-learn, or any object with `predict_proba` and `classes_`."""
    name = name or type(model).__name__
    try:
        classes = model.classes_
    except Exception as error:  # a pipeline that is not fitted raises errors of its own
        raise InputError(
            f"{name} has no classes_; fit it on labelled texts first ({in_one_line(error):.80})"
        ) from None
    if len(classes) < 2 or (isinstance(classes[0], Sequence) and not isinstance(classes[0], str)):
        raise InputError(f"{name} must tell two labels or more apart, one label for each text")
    return LabelledClassifier(
        model.predict_proba,
        [_label(label) for label in classes],
        name=name,
        fingerprint=_fingerprint(model, name),
        positive=positive,
    )


class _Pickler(pickle.Pickler):
    """Pickles to be hashed, the same in every process.

    Vectorizers of scikit-learn remember the address of their stop words, which differs from process to process.
    """

    def reducer_override(self, obj: Any) -> Any:
        state = getattr(obj, "__dict__", None)
        if isinstance(obj, type) or not isinstance(state, dict) or _ADDRESS not in state:
            return NotImplemented
        return type(obj), (), {name: value for name, value in state.items() if name != _ADDRESS}


def _label(label: Any) -> str:
    """A label as text; 1.0 and numpy's 1 are 1.

    >>> _label(1.0), _label("pos"), _label(True)
    ('1', 'pos', 'True')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _fingerprint(model: Any, name: str) -> str:
    """A hash of what the object holds; of its name alone if it cannot be pickled."""
    pickled = io.BytesIO()
    try:
        _Pickler(pickled).dump(model)
        content = pickled.getvalue()
    except Exception:  # whatever an object can raise when it is pickled
        content = f"{name} {inspect.getmodule(type(model))}".encode()
    return hashlib.blake2b(content, digest_size=16).hexdigest()

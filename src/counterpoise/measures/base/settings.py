"""Settings of measures: their names, kinds and bounds are the annotations of the measure's parameters."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError

from counterpoise.core.errors import InputError, did_you_mean

_OF_EVERY_MEASURE = {"model", "data", "variant", "seed"}
_SAID = {bool: "true or false", int: "a whole number", float: "a number", str: "a name", Path: "a file"}
_BOUNDS = ("greater_than", "less_than", "finite_number", "too_short", "too_long")


class Parameter:
    """A setting of a measure: its default, and what it may be."""

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default
        self._adapter = _adapter(annotation)

    def check(self, value: Any) -> Any:
        """The value, converted where that is safe (an int to a float); one of another kind is an error."""
        value = value.item() if isinstance(value, np.generic) else value
        if self._adapter is None:
            return value
        try:
            return self._adapter.validate_python(value, strict=True)
        except ValidationError as error:
            raise InputError(self._problem(value, error)) from None

    def _problem(self, value: Any, error: ValidationError) -> str:
        first = error.errors()[0]
        if first["type"].startswith(_BOUNDS):
            return f"{self.name} {first['msg'].replace('Input should', 'should', 1)}, not {as_typed(value)}"
        choices = _choices(self.annotation)
        such_as = "" if choices or self.default is None else f", such as {as_typed(self.default)}"
        hint = did_you_mean(value, choices) if isinstance(value, str) else ""
        return f"{self.name} takes {_said(self.annotation)}{such_as}, not {as_typed(value)}{hint}"


@lru_cache(maxsize=256)
def parameters_of(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    """What can be set of a measure, beside what an audit sets for all measures."""
    function = inspect.unwrap(function)
    hints = get_type_hints(function, include_extras=True)
    return {
        name: Parameter(name, hints.get(name, Any), parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in _OF_EVERY_MEASURE
    }


def check_settings(function: Callable[..., Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a measure, each as its annotation wants it.

    >>> def measure(model, data=None, *, scoring: Literal["token", "word_l2r"] = "token"): ...
    >>> check_settings(measure, {"scoring": "tokens"})
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: scoring takes token or word_l2r, not tokens; did you mean 'token'?
    """
    known = parameters_of(function)
    return {name: known[name].check(value) if name in known else value for name, value in settings.items()}


def as_typed(value: Any) -> str:
    """A value as one would type it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_typed, value))}]"
    return "nothing" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _adapter(annotation: Any) -> TypeAdapter[Any] | None:
    """None where pydantic knows nothing of the annotation: the measure looks at the value itself."""
    try:
        return TypeAdapter(annotation, config=ConfigDict(arbitrary_types_allowed=True))
    except PydanticUserError:
        return None


def _members(annotation: Any) -> list[Any]:
    """The parts of a union, annotations of bounds taken off; None is left out."""
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [part for member in get_args(annotation) for part in _members(member)]
    return [] if annotation is type(None) else [annotation]


def _choices(annotation: Any) -> list[str]:
    return [
        str(choice)
        for part in _members(annotation)
        if get_origin(part) is Literal
        for choice in get_args(part)
    ]


def _in_words(name: str) -> str:
    """
    >>> _in_words("WordVectors")
    'word vectors'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()


def _said(annotation: Any) -> str:
    said = []
    for part in _members(annotation):
        if get_origin(part) is Literal:
            said += [as_typed(choice) for choice in get_args(part)]
        elif get_origin(part) is not None:
            said.append("a list of names")
        else:
            said.append(_SAID.get(part) or _in_words(getattr(part, "__name__", str(part))))
    return " or ".join(dict.fromkeys(said))

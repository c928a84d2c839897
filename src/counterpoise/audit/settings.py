"""Settings of measures, such as `categories` of crows, given for a whole audit: `--set NAME=VALUE`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from counterpoise.core.errors import InputError, did_you_mean
from counterpoise.measures.catalogue import Measure

_OF_THE_AUDIT = {"model", "data", "variant", "seed"}


def settings_of(measure: Measure) -> set[str]:
    """The names of what can be set, beside what an audit sets for all measures."""
    return set(inspect.signature(measure.function).parameters) - _OF_THE_AUDIT


def chosen_for(measure: Measure, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings that the measure has."""
    return {name: value for name, value in settings.items() if name in settings_of(measure)}


def check_settings(settings: Mapping[str, Any], measures: Sequence[Measure]) -> None:
    """A setting that no measure has, or of another kind than a measure takes, is a mistake."""
    known = sorted(set().union(*(settings_of(measure) for measure in measures)))
    for name, value in settings.items():
        if name not in known:
            raise InputError(
                f"no measure of this audit has a setting {name!r}{did_you_mean(name, known)}; "
                f"there are: {', '.join(known) or 'none'}"
            )
        for measure in measures:
            if name in settings_of(measure) and (problem := _problem(measure, name, value)):
                raise InputError(f"the setting {name} of {measure.name} cannot be {value!r}: {problem}")


def _problem(measure: Measure, name: str, value: Any) -> str | None:
    """Why a value is not of the kind that the measure's signature has, or None."""
    try:
        kind = get_type_hints(measure.function)[name]
        TypeAdapter(kind, config=ConfigDict(arbitrary_types_allowed=True, strict=True)).validate_python(value)
    except ValidationError as error:
        problems = error.errors()
        # Of a name that is not one of a few, the measure says which one may be meant.
        if isinstance(value, str) and any(problem["type"] == "literal_error" for problem in problems):
            return None
        return str(problems[0]["msg"])
    except (NameError, PydanticSchemaGenerationError):  # kinds that are known only to a type checker
        return None
    return None


def parse_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Settings as they are typed; values are read as YAML.

    >>> parse_settings(["scoring=word_l2r", "per_token=true", "categories=[gender, age]"])
    {'scoring': 'word_l2r', 'per_token': True, 'categories': ['gender', 'age']}
    """
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise InputError(f"--set takes NAME=VALUE, such as scoring=word_l2r, not {text!r}")
        try:
            settings[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise InputError(f"--set {name.strip()}: {value!r} is no value") from None
    return settings

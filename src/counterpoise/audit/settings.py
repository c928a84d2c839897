"""Settings of measures, such as `categories` of crows, given for a whole audit: `--set NAME=VALUE`."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import yaml

from counterpoise.core.errors import InputError, did_you_mean
from counterpoise.measures.catalogue import Measure

_OF_THE_AUDIT = {"model", "data", "variant", "seed"}


def settings_of(measure: Measure) -> set[str]:
    """The names of what can be set, beside what an audit sets for all measures."""
    return set(inspect.signature(measure.function).parameters) - _OF_THE_AUDIT


def chosen_for(measure: Measure, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings that the measure has."""
    return {name: value for name, value in settings.items() if name in settings_of(measure)}


def check_settings(
    settings: Mapping[str, Any], measures: Sequence[Measure], own: Collection[str] = ()
) -> None:
    """A setting that no measure has is a mistake, and so is a value of another kind.

    `own` names the measures that have the user's own data, of which they choose no categories.
    """
    known = sorted(set().union(*(settings_of(measure) for measure in measures)))
    for name in settings:
        if name not in known:
            raise InputError(
                f"no measure of this audit has a setting {name!r}{did_you_mean(name, known)}; "
                f"there are: {', '.join(known) or 'none'}"
            )
    for measure in measures:
        for name, value in chosen_for(measure, settings).items():
            _check_value(name, value, inspect.signature(measure.function).parameters[name].default)
    choosing = [measure.name for measure in measures if "categories" in settings_of(measure)]
    if "categories" in settings and set(choosing) <= set(own):
        raise InputError(
            f"categories choose from the data sets of {', '.join(choosing)}; pairs of your own are measured whole"
        )


def _check_value(name: str, value: Any, default: Any) -> None:
    """A value must be of the kind of the default; where that is None, anything may be one."""
    fits, wanted = True, ""
    if isinstance(default, bool):
        fits, wanted = isinstance(value, bool), "true or false"
    elif isinstance(default, int | float):
        fits = isinstance(value, int | type(default)) and not isinstance(value, bool)
        wanted = "a whole number" if isinstance(default, int) else "a number"
    elif isinstance(default, str):
        fits, wanted = isinstance(value, str), "a name"
    elif isinstance(default, tuple):
        several = value if isinstance(value, list | tuple) else [value]
        fits, wanted = all(isinstance(one, str) for one in several), "a name or a list of names"
    if not fits:
        raise InputError(f"{name} takes {wanted}, such as {_as_typed(default)}, not {_as_typed(value)}")


def _as_typed(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_as_typed, value))}]"
    return "nothing" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


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

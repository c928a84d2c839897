"""The kind of a setting, by the values that the study's file gives it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from counterpoise.core.errors import InputError

_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a mapping such as {name: value}",
}


def check_kind(name: str, value: JsonValue, given: Sequence[JsonValue]) -> None:
    """Refuses a value of another kind than those that the file gives, by default and at its scales.

    A setting that is null everywhere, or a word somewhere, may be anything: what it may be is for the study's own
    check. null is possible where the file has it, and a whole number where it has a number.

    >>> check_kind("reviews", 300, [25000])
    >>> check_kind("reviews", None, [None, 120])
    >>> check_kind("imdb", "a.csv", [None])
    >>> check_kind("reviews", "abc", [25000])
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: the setting reviews must be a whole number, not 'abc'
    """
    kinds = {type(example) for example in given} - {type(None)}
    if not kinds or str in kinds or type(value) in kinds:
        return
    may_be_null = None in given
    if (value is None and may_be_null) or (type(value) is int and float in kinds):
        return
    wanted = " or ".join(
        [*(words for kind, words in _KINDS.items() if kind in kinds), *["null"] * may_be_null]
    )
    raise InputError(f"the setting {name} must be {wanted}, not {_shown(value)}")


def _shown(value: JsonValue) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)

"""Which lists of terms a training uses: those that are named, the authors' own where they are at hand, or ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterpoise.core.errors import InputError, RunError
from counterpoise.core.hashing import hash_file
from counterpoise.tuning.authors_lists import AUTHORS_FILES, AUTHORS_FOLDER, default_lists

BUILTIN_LISTS = "builtin"
_DIGITS = 16  # of a hash


def lists_in_use(chosen: Mapping[str, Any]) -> str | None:
    """The file of terms, or None for the built-in ones; the authors' are the default of the published variant."""
    if chosen["lists"] == BUILTIN_LISTS:
        return None
    path = chosen["lists"] or default_lists(chosen["variant"])
    return None if path is None else str(path)


def resolve(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Records which terms the cells will use, so that cells with other terms are other cells."""
    found = _lists_hash(lists_in_use(settings))
    if settings["lists_hash"] not in (None, found):
        raise InputError(
            f"the setting lists_hash must be that of the terms in use, {found!r}, or null, "
            f"not {settings['lists_hash']!r}"
        )
    return {"lists_hash": found}


def planned_lists(chosen: Mapping[str, Any]) -> str | None:
    """The lists in use; an error where they are not those that the study was planned with."""
    lists = lists_in_use(chosen)
    if chosen["lists_hash"] not in (None, _lists_hash(lists)):
        raise RunError(
            f"the terms have changed since the study began ({lists_name(lists)} is in use now); "
            "give the same command again"
        )
    return lists


def _lists_hash(lists: str | None) -> str:
    return BUILTIN_LISTS if lists is None else hash_file(Path(lists).expanduser())[:_DIGITS]


def lists_name(lists: str | None) -> str:
    """How a result says which lists it was made with.

    >>> lists_name(None), lists_name("/data/jentzsch-turan/term_lists.py")
    ('builtin', 'term_lists.py')
    """
    return BUILTIN_LISTS if lists is None else Path(lists).name


def lists_note(variant: str, used: set[str]) -> str | None:
    """What a page says of the lists where the published variant did not have the authors'."""
    if variant != "published" or not used:
        return None
    if used == {BUILTIN_LISTS}:
        return (
            f"The authors' lists were not used (no {AUTHORS_FOLDER}/{AUTHORS_FILES[1]} in the data folder, and none "
            "named with --set lists=FILE): the built-in terms were swapped by the authors' rules instead."
        )
    return f"Terms are those of {', '.join(sorted(used))}, as the authors' code uses them."

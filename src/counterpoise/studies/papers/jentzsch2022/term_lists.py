"""Which lists of terms a training uses: those that are named, the authors' own where they are at hand, or ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

BUILTIN_LISTS = "builtin"
AUTHORS_FOLDER = "jentzsch-turan"
AUTHORS_FILES = ("term_lists.json", "term_lists.py")  # as sciphie/bias-bert has it, and the same as JSON


def lists_in_use(chosen: Mapping[str, Any]) -> str | None:
    """The file of terms, or None for the built-in ones; the authors' are the default of the published variant."""
    if chosen["lists"] == BUILTIN_LISTS:
        return None
    if chosen["lists"] is not None or chosen["variant"] != "published":
        named: str | None = chosen["lists"]
        return named
    path = authors_file()
    return None if path is None else str(path)


def authors_file() -> Path | None:
    """The authors' lists in the data folder, if they are there."""
    from counterpoise.data.thirdparty.folders import data_folders

    places = (folder / AUTHORS_FOLDER / name for folder in data_folders() for name in AUTHORS_FILES)
    return next((place for place in places if place.is_file()), None)


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

"""The term lists of Jentzsch & Turan (2022), where the data folder has them: the default of the published variant."""

from __future__ import annotations

from pathlib import Path

AUTHORS_FOLDER = "jentzsch-turan"
AUTHORS_FILES = ("term_lists.json", "term_lists.py")  # as sciphie/bias-bert has it, and the same as JSON


def default_lists(variant: str) -> Path | None:
    """The file of terms that a variant uses unless told otherwise; None for the built-in terms.

    >>> default_lists("corrected") is None
    True
    """
    return _authors_file() if variant == "published" else None


def _authors_file() -> Path | None:
    from counterpoise.data.thirdparty.folders import (
        data_folders,
    )  # not on a machine with little more than torch

    places = (folder / AUTHORS_FOLDER / name for folder in data_folders() for name in AUTHORS_FILES)
    return next((place for place in places if place.is_file()), None)

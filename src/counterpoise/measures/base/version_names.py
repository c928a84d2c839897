"""The names of versions of a text: male, female, neutral, and sets of pronouns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from counterpoise.core.errors import InputError, unknown
from counterpoise.text.pronoun_sets import PRONOUN_SETS, pronoun_set
from counterpoise.text.swap import NEUTRAL
from counterpoise.text.term_files import looks_like_file

GENDERED = ("male", "female")


def version_targets(versions: Sequence[str]) -> dict[str, str]:
    """What each version is called and made with; two at least.

    >>> version_targets(["male", "they", "male"])
    {'male': 'male', 'they': 'they'}
    """
    targets: dict[str, str] = {}
    for version in dict.fromkeys(versions):
        name = _name(version)
        if name in targets:
            raise InputError(f"two versions are called {name!r}; rename one of the files")
        targets[name] = version
    if len(targets) < 2:
        named = f", found {', '.join(targets)} alone" if targets else ""
        raise InputError(f"versions needs two or more to compare{named}")
    return targets


def _name(version: str) -> str:
    """A version is called as it is typed; a file, by its stem. What is none is an error."""
    if version in (*GENDERED, NEUTRAL, *PRONOUN_SETS):
        return version
    if not looks_like_file(version):
        raise unknown("version", version, {*GENDERED, NEUTRAL, *PRONOUN_SETS})
    pronoun_set(version)
    return Path(version).stem

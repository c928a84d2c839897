"""Pronoun sets as data: the five forms of each in `pronouns/NAME.yaml`, or in a file of one's own like it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from counterpoise.core.documents import read_yaml
from counterpoise.core.errors import InputError, did_you_mean, unknown
from counterpoise.text.term_files import looks_like_file

FORMS = ("subject", "object", "determiner", "possessive", "reflexive")

_FOLDER = Path(__file__).with_name("pronouns")
PRONOUN_SETS = tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))

_LONGEST = 40  # characters of a form
_FORM = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True)
class PronounSet:
    """The forms of a pronoun, in lower case; `plural` where its verbs are in the plural (they are).

    >>> xe = pronoun_set("xe")
    >>> f"{xe.subject} lost {xe.determiner} hat".capitalize()
    'Xe lost xyr hat'
    """

    name: str
    subject: str
    object: str
    determiner: str
    possessive: str
    reflexive: str
    plural: bool

    @property
    def forms(self) -> dict[str, str]:
        """Each form by its name, in the order of `FORMS`."""
        return {name: getattr(self, name) for name in FORMS}


def pronoun_set(name: str | Path | PronounSet) -> PronounSet:
    """The built-in set of that name, or the set in a YAML file, which it is named for.

    >>> pronoun_set("they").reflexive, pronoun_set("they").plural
    ('themself', True)
    """
    if isinstance(name, PronounSet):
        return name
    if name in PRONOUN_SETS:
        return _built_in(str(name))
    if not looks_like_file(name):
        raise unknown("pronoun set", str(name), PRONOUN_SETS)
    return _read(Path(name))


@cache
def _built_in(name: str) -> PronounSet:
    return _read(_FOLDER / f"{name}.yaml")


def _read(path: Path) -> PronounSet:
    content = read_yaml(path, InputError)
    if not isinstance(content, Mapping):
        raise InputError(f"{path}: a pronoun set is a mapping with {', '.join(FORMS)} and plural")
    for key in content:
        if key not in (*FORMS, "plural"):
            hint = did_you_mean(str(key), (*FORMS, "plural"))
            raise InputError(
                f"{path}: a pronoun set has no {key!r} (it has {', '.join(FORMS)} and plural){hint}"
            )
    if missing := [key for key in (*FORMS, "plural") if key not in content]:
        raise InputError(f"{path}: no {', '.join(missing)}; a pronoun set has {', '.join(FORMS)} and plural")
    if not isinstance(content["plural"], bool):
        raise InputError(f"{path}: plural is {content['plural']!r}; it is true (they are) or false (xe is)")
    forms = {form: _form(content[form], form, path) for form in FORMS}
    return PronounSet(name=path.stem, **forms, plural=content["plural"])


def _form(value: Any, form: str, path: Path) -> str:
    if not isinstance(value, str):
        raise InputError(f"{path}: {form} is {value!r}, which is no word; write it in quotes")
    word = unicodedata.normalize("NFC", value.strip().lower())
    if len(word) > _LONGEST:
        raise InputError(f"{path}: {form} has {len(word):,} characters, and the most is {_LONGEST}")
    if not _FORM.fullmatch(word):
        raise InputError(f"{path}: {form} is {value!r}, which is not one word of letters")
    return word

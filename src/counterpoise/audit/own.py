"""A user's own files, each for measures to use instead of their own data: `--pairs FILE`, `--templates FILE`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoise.core.errors import InputError
from counterpoise.core.hashing import hash_file
from counterpoise.data.associations import read_associations
from counterpoise.data.gender_words import read_gender_words
from counterpoise.data.pairs import read_pairs
from counterpoise.data.spec import Variant
from counterpoise.data.templates import read_templates
from counterpoise.data.wordsets import read_word_sets


@dataclass(frozen=True)
class FileKind:
    """A kind of file: the measures it is for, and how it is read.

    `beside` are measures that have other data and take this file too, as a setting of its name.
    """

    measures: tuple[str, ...]
    read: Callable[[str | Path, Variant], Any]
    beside: tuple[str, ...] = ()


FILE_KINDS = {
    "pairs": FileKind(("sld", "crows", "aul", "aula"), lambda path, variant: read_pairs(path)),
    "templates": FileKind(("ppd",), read_templates),
    "associations": FileKind(("lpbs_weat",), read_associations),
    "words": FileKind(
        ("weat", "seat", "cseat", "weat_contextual"),
        lambda path, variant: read_word_sets(path),
        beside=("ceat",),
    ),
    "gender_words": FileKind(
        ("direct_bias", "ripa", "ect", "neighbours"), lambda path, variant: read_gender_words(path)
    ),
    "corpus": FileKind(("ceat",), lambda path, variant: Path(path)),
}


@dataclass(frozen=True)
class OwnFiles:
    """The files that were given, by kind.

    >>> OwnFiles.of(pairs="mine.csv", templates=None).check(["lpbs"])
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: --pairs is for sld, crows, aul or aula, not for a measure of this audit (lpbs)
    """

    paths: Mapping[str, Path]

    @classmethod
    def of(cls, **paths: str | Path | None) -> OwnFiles:
        return cls({kind: Path(path).expanduser() for kind, path in paths.items() if path is not None})

    def check(self, planned: Collection[str]) -> None:
        """A file that no measure will read is a mistake."""
        for kind in self.paths:
            *others, last = (*FILE_KINDS[kind].measures, *FILE_KINDS[kind].beside)
            if not {*others, last} & set(planned):
                wanted = f"{', '.join(others)} or {last}" if others else last
                option = f"--{kind.replace('_', '-')}"
                raise InputError(
                    f"{option} is for {wanted}, not for a measure of this audit ({', '.join(planned)})"
                )

    def read(self, variant: Variant) -> dict[str, Any]:
        """The data by measure; a file that cannot be read is an error."""
        read = {kind: FILE_KINDS[kind].read(path, variant) for kind, path in self.paths.items()}
        return {measure: data for kind, data in read.items() for measure in FILE_KINDS[kind].measures}

    def settings(self) -> dict[str, dict[str, Path]]:
        """By measure, the files that it takes beside its data."""
        found: dict[str, dict[str, Path]] = {}
        for kind, path in self.paths.items():
            for measure in FILE_KINDS[kind].beside:
                found.setdefault(measure, {})[kind] = path
        return found

    def hashes(self) -> dict[str, str | None]:
        """The SHA-256 of each kind of file, None where there is none."""
        return {kind: hash_file(self.paths[kind]) if kind in self.paths else None for kind in FILE_KINDS}

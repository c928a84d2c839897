"""A user's own files, each for measures to use instead of their own data: `--pairs FILE`, `--templates FILE`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoise.core.errors import InputError, unknown
from counterpoise.core.hashing import hash_file
from counterpoise.data.associations import read_associations
from counterpoise.data.gender_words import read_gender_words
from counterpoise.data.pairs import read_pairs
from counterpoise.data.spec import Variant
from counterpoise.data.templates import read_templates
from counterpoise.data.texts import Texts, read_texts
from counterpoise.data.wordsets import read_word_sets

_COLUMNS = ("text", "label", "gender")


@dataclass(frozen=True)
class Reading:
    """How files are read: the variant, and the columns of a table of texts (`text`, `label`, `gender`)."""

    variant: Variant
    columns: Mapping[str, str]


@dataclass(frozen=True)
class FileKind:
    """A kind of file: the measures it is for, and how it is read.

    `beside` are measures that have other data and take this file too, as a setting of its name.
    """

    measures: tuple[str, ...]
    read: Callable[[Path, Reading], Any]
    beside: tuple[str, ...] = ()


FILE_KINDS = {
    "pairs": FileKind(("sld", "crows", "aul", "aula"), lambda path, how: read_pairs(path)),
    "templates": FileKind(("ppd",), lambda path, how: read_templates(path, how.variant)),
    "associations": FileKind(("lpbs_weat",), lambda path, how: read_associations(path, how.variant)),
    "words": FileKind(
        ("weat", "seat", "cseat", "weat_contextual"),
        lambda path, how: read_word_sets(path),
        beside=("ceat",),
    ),
    "gender_words": FileKind(
        ("direct_bias", "ripa", "ect", "neighbours"), lambda path, how: read_gender_words(path)
    ),
    "corpus": FileKind(("ceat",), lambda path, how: path),
    "texts": FileKind(("sentiment", "perturbation", "tpr_gap"), lambda path, how: _texts(path, how.columns)),
}


def _texts(path: Path, columns: Mapping[str, str]) -> Texts:
    return read_texts(path, columns.get("text", "text"), columns.get("label"), columns.get("gender"))


@dataclass(frozen=True)
class OwnFiles:
    """The files that were given, by kind.

    >>> OwnFiles.of(pairs="mine.csv", templates=None).check(["lpbs"])
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: --pairs is for sld, crows, aul or aula, not for a measure of this audit (lpbs)
    """

    paths: Mapping[str, Path]
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Mapping[str, str] | None = None, **paths: str | Path | None) -> OwnFiles:
        given = {kind: Path(path).expanduser() for kind, path in paths.items() if path is not None}
        for name in columns or {}:
            if name not in _COLUMNS:
                raise unknown("column", name, _COLUMNS)
        if columns and "texts" not in given:
            raise InputError("columns are named without --texts")
        return cls(given, dict(columns or {}))

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
        how = Reading(variant, self.columns)
        read = {kind: FILE_KINDS[kind].read(path, how) for kind, path in self.paths.items()}
        return {measure: data for kind, data in read.items() for measure in FILE_KINDS[kind].measures}

    def settings(self) -> dict[str, dict[str, Path]]:
        """By measure, the files that it takes beside its data."""
        found: dict[str, dict[str, Path]] = {}
        for kind, path in self.paths.items():
            for measure in FILE_KINDS[kind].beside:
                found.setdefault(measure, {})[kind] = path
        return found

    def hashes(self) -> dict[str, str | None]:
        """The SHA-256 of each kind of file, None where there is none; of texts with the columns that are read."""
        hashes = {kind: hash_file(self.paths[kind]) if kind in self.paths else None for kind in FILE_KINDS}
        if self.columns:
            named = ", ".join(f"{name}: {column}" for name, column in sorted(self.columns.items()))
            hashes["texts"] = f"{hashes['texts']} ({named})"
        return hashes

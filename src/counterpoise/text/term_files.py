"""Reads term sets from files: CSV, TSV, YAML, JSON, and the lists of Jentzsch & Turan (2022)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from counterpoise.core import limits
from counterpoise.core.documents import parse_json, parse_yaml, read_text
from counterpoise.core.errors import DataError, unknown
from counterpoise.text.authors_file import parse_lists
from counterpoise.text.term_sets import Term, TermSet, parse_term

SUFFIXES = (".csv", ".tsv", ".yaml", ".yml", ".json", ".py")
AUTHORS = ("pro", "weat", "all")
AUTHORS_NAMES = ("term_dict", "pron_dict", "weat_dict")  # by which their file is known
_REVERSED = ("housewife", "housewives", "housewifely")  # female, but on the authors' male side


def looks_like_file(name: str | Path) -> bool:
    """True for a path: something with a suffix, a separator, or that exists."""
    path, _ = split(name)
    return path.suffix != "" or path.exists() or len(path.parts) > 1


def split(name: str | Path) -> tuple[Path, str]:
    """A file and, after #, the set within it.

    >>> path, part = split("term_lists.json#weat")
    >>> path.name, part
    ('term_lists.json', 'weat')
    """
    path, _, part = str(name).partition("#")
    return Path(path), part


def read(name: str | Path) -> TermSet:
    """The terms in a file; `term_lists.py#weat` is one of the three sets in the authors' file."""
    path, part = split(name)
    text = _text(path)
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        terms = list(from_csv(text, str(path), "\t" if suffix == ".tsv" else ","))
    elif suffix in SUFFIXES:
        value = _parse(path, text, suffix)
        if is_authors(value):
            terms = list(from_authors(value, part or "all", str(path)))
        else:
            terms = list(_from_value(value, str(path)))
    else:
        raise DataError(f"{path}: terms are read from {', '.join(SUFFIXES)}")
    if not terms:
        raise DataError(f"{path} holds no terms")
    return TermSet(str(name), tuple(terms))


def from_csv(text: str, where: str, delimiter: str = ",") -> Iterator[Term]:
    """Terms from rows with the columns male and female; the other columns of `Term` may follow.

    >>> [(t.male, t.female) for t in from_csv("male,female\\nking,queen\\n", "mine")]
    [('king', 'queen')]
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        yield from _csv_terms(reader, where)
    except csv.Error as error:
        raise DataError(f"{where}, line {reader.line_num}: broken row ({error})") from error


def _csv_terms(reader: csv.DictReader[str], where: str) -> Iterator[Term]:
    missing = {"male", "female"} - set(reader.fieldnames or [])
    if missing:
        names = ", ".join(reader.fieldnames or []) or "nothing"
        raise DataError(f"{where}: the first line must name the columns male and female (found: {names})")
    for row in reader:
        yield parse_term(row, f"{where}, line {reader.line_num}")


def is_authors(value: Any) -> bool:
    """True for the lists of Jentzsch & Turan: dictionaries of male to female words under their own names."""
    return isinstance(value, Mapping) and set(AUTHORS_NAMES) <= set(value)


def from_authors(value: Mapping[str, Any], part: str, where: str) -> Iterator[Term]:
    """The authors' pairs, each word used as its first pair says (their own code: as its last pair says)."""
    taken: dict[str, set[str]] = {"to_female": set(), "to_male": set()}
    for male, female, direction, pos in authors_rows(value, part, where):
        if male in _REVERSED:
            male, female = female, male
        wanted = ["to_female", "to_male"] if direction == "both" else [direction]
        pronoun = {male, female} & {"his", "her"}
        open_ways = [
            way
            for way, word in (("to_female", male), ("to_male", female))
            if way in wanted and (pronoun or word not in taken[way])
        ]
        if not open_ways:
            continue
        for way, word in (("to_female", male), ("to_male", female)):
            if way in open_ways:
                taken[way].add(word)
        row = {"male": male, "female": female, "pos": pos, "why": "Jentzsch & Turan 2022, the authors' code"}
        row["direction"] = "both" if len(open_ways) == 2 else open_ways[0]
        yield parse_term(row, where)


def authors_rows(value: Mapping[str, Any], part: str, where: str) -> Iterator[tuple[str, str, str, str]]:
    """(male, female, direction, part of speech) of one of the authors' sets, in the order of their file."""
    if part not in AUTHORS:
        raise unknown(f"set in {where}", part, AUTHORS)
    names = {"pro": ["pron_dict"], "weat": ["weat_dict"], "all": ["term_dict", "pron_dict"]}[part]
    for name in (*names, *(["only_m2f", "only_f2m"] if part == "all" else [])):
        words = value.get(name)
        if not isinstance(words, Mapping) or not all(
            isinstance(word, str) for pair in words.items() for word in pair
        ):
            raise DataError(f"{where}: {name} is not a dictionary of male to female words")
    for name in names:
        for male, female in value[name].items():
            yield male, female, "both", "determiner" if (male, female) == ("his", "her") else ""
    if part == "all":
        for name, direction in (("only_m2f", "to_female"), ("only_f2m", "to_male")):
            for male, female in value[name].items():  # both are stored male to female
                yield male, female, direction, ""


def authors_lists(path: Path, part: str) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]] | None:
    """One of the authors' sets as their code executes it: male to female, female to male, words deleted.

    None where the file is not theirs. For `all` these are 341, 341 and 685 words, as their code counts.
    """
    value = _parse(path, _text(path), path.suffix.lower())
    if not is_authors(value):
        return None
    pairs = list(authors_rows(value, part, str(path)))
    to_female = {male: female for male, female, direction, _ in pairs if direction != "to_male"}
    merged = {male: female for male, female, direction, _ in pairs if direction != "to_female"}
    to_male = {female: male for male, female in merged.items()}  # inverted: the last of equal values wins
    deleted = {*to_female, *to_male, *(value["only_cover"] if part == "all" else [])}
    return to_female, to_male, tuple(sorted(deleted))


def _from_value(value: Any, where: str) -> Iterator[Term]:
    """Terms from {male: female}, from pairs, or from rows with names."""
    if isinstance(value, Mapping) and isinstance(value.get("terms"), list | dict):
        value = value["terms"]
    if isinstance(value, Mapping):
        value = list(value.items())
    if not isinstance(value, list):
        raise DataError(
            f"{where}: terms are a list of pairs, a list of rows, or a mapping of male to female words"
        )
    for number, row in enumerate(value, start=1):
        pair = f"{where}, pair {number}"
        if isinstance(row, Mapping):
            yield parse_term({str(key): item for key, item in row.items()}, pair)
        elif isinstance(row, list | tuple) and len(row) == 2 and all(isinstance(word, str) for word in row):
            yield parse_term({"male": row[0], "female": row[1]}, pair)
        else:
            raise DataError(f"{pair}: {row!r} is not a pair of words")


def _text(path: Path) -> str:
    return read_text(path, limit=limits.YAML)


def _parse(path: Path, text: str, suffix: str) -> Any:
    if suffix == ".json":
        return parse_json(text, path)
    if suffix == ".py":
        value = parse_lists(text, str(path))
        if not is_authors(value):
            raise DataError(
                f"{path} has no lists as in term_lists.py of Jentzsch & Turan ({', '.join(AUTHORS_NAMES)})"
            )
        return value
    return parse_yaml(text, path)

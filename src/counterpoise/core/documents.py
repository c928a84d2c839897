"""Reads YAML and JSON: whatever a parser raises becomes one line that names the file and the place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from counterpoise.core import limits
from counterpoise.core.errors import DataError

_LARGEST = 5_000_000  # values, with aliases written out
_DEEPEST = 200
_JSON_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def read_text(path: str | Path, error: type[Exception] = DataError, limit: limits.Limit | None = None) -> str:
    """The text of an ordinary UTF-8 file, with or without a byte order mark."""
    limits.check_regular(path, error)
    try:
        with Path(path).open("rb") as file:
            raw = file.read() if limit is None else file.read(limit.bytes + 1)
    except OSError as problem:
        raise error(f"cannot read {path}: {problem.strerror or problem}") from problem
    if limit is not None and len(raw) > limit.bytes:
        raise error(limit.exceeded(path))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise error(
            f"cannot read {path}: not UTF-8 at byte {problem.start} (line {line}); save it as UTF-8"
        ) from problem


def read_yaml(path: str | Path, error: type[Exception] = DataError) -> Any:
    """The content of a YAML file."""
    return parse_yaml(read_text(path, error, limits.YAML), path, error)


def read_json_file(path: str | Path, error: type[Exception] = DataError) -> Any:
    """The content of a JSON file."""
    return parse_json(read_text(path, error, limits.JSON), path, error)


def parse_yaml(text: str, place: object, error: type[Exception] = DataError) -> Any:
    """What a YAML text holds; `place` is named in errors.

    >>> parse_yaml("[2024-13-01]", "words.yaml")
    Traceback (most recent call last):
    counterpoise.core.errors.DataError: words.yaml is not YAML that can be read: month must be in 1..12
    """
    import yaml

    from counterpoise.core.yaml_loading import TooLarge, load_yaml

    try:
        value = load_yaml(text, _DEEPEST)
    except TooLarge as problem:
        raise error(f"{place} {problem}") from problem
    except yaml.YAMLError as problem:
        raise error(f"{place} is not YAML: {_one_line(problem)}") from problem
    except Exception as problem:  # what the constructors of dates, numbers and sets raise
        raise error(f"{place} is not YAML that can be read: {_one_line(problem)}") from problem
    _check_value(value, place, error)
    return value


def parse_json(text: str, place: object, error: type[Exception] = DataError) -> Any:
    """What a JSON text holds; `place` is named in errors.

    >>> parse_json("[", "a.json")
    Traceback (most recent call last):
    counterpoise.core.errors.DataError: cannot read a.json: it is not JSON (Expecting value: line 1 column 2 (char 1))
    """
    if _has_too_many_values(text):
        raise error(f"{place} has more than {_LARGEST:,} values")
    try:
        value = json.loads(text)
    except RecursionError as problem:
        raise error(f"{place} is nested too deeply") from problem
    except ValueError as problem:
        raise error(f"cannot read {place}: it is not JSON ({_one_line(problem)})") from problem
    _check_value(value, place, error)
    return value


def _has_too_many_values(text: str) -> bool:
    """Whether a JSON text would fill the memory: a value takes many times the room that it is written in."""
    if _signs_of_values(text) <= _LARGEST:
        return False
    return _signs_of_values(_JSON_STRING.sub("", text)) > _LARGEST


def _signs_of_values(text: str) -> int:
    return sum(map(text.count, ",[{"))


def _check_value(value: Any, place: object, error: type[Exception]) -> None:
    """Refuses what no program downstream could handle: endless or enormous values, and text that is no Unicode."""
    sizes: dict[int, int] = {}
    open_values: set[int] = set()

    def size(part: Any, depth: int) -> int:
        if isinstance(part, str):
            try:
                part.encode()
            except UnicodeEncodeError:
                raise error(f"{place}: {part[:40]!r} is not text: it has half a surrogate pair") from None
            return 1
        if not isinstance(part, dict | list | tuple | set):
            return 1
        if id(part) in open_values:
            raise error(f"{place} refers to itself")
        if depth > _DEEPEST:
            raise error(f"{place} is nested too deeply: more than {_DEEPEST} levels")
        if id(part) not in sizes:
            open_values.add(id(part))
            children = [*part, *part.values()] if isinstance(part, dict) else part
            total = 1 + sum(size(child, depth + 1) for child in children)
            if total > _LARGEST:
                raise error(f"{place} has more than {_LARGEST:,} values")
            sizes[id(part)] = total
            open_values.remove(id(part))
        return sizes[id(part)]

    size(value, 0)


def _one_line(problem: Exception) -> str:
    return " ".join(str(problem).split()) or type(problem).__name__

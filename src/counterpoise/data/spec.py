"""Specs: what a dataset consists of, in YAML, with version, citation, licence and the corrections made to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from counterpoise.core import limits
from counterpoise.core.documents import parse_yaml, read_text
from counterpoise.core.errors import DataError, unknown
from counterpoise.data.aliases import dataset_name
from counterpoise.data.citations import find_citation

Variant = Literal["corrected", "published"]
Gender = Literal["male", "female"]

_HERE = resources.files("counterpoise.data")


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SpecEntry(Strict):
    """A word or template: the text that we use, and what the paper has instead where that differs.

    >>> SpecEntry.model_validate({"text": "guard", "published": "guards"}).of("published")
    'guards'
    """

    text: str = Field(min_length=1)
    published: str | None = None
    only: Variant | None = None
    gender: Gender | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain_text(cls, value: Any) -> Any:
        return {"text": value} if isinstance(value, str) else value

    def of(self, variant: Variant) -> str | None:
        """The text in a variant, or None if that variant does not have it."""
        if self.only not in (None, variant):
            return None
        return self.published if variant == "published" and self.published is not None else self.text


class Word(SpecEntry):
    """A word or a template of a user's file. One that is missing stays as an empty one, to be skipped and named.

    >>> Word.model_validate(None).text, Word.model_validate(float("nan")).text, Word.model_validate("nurse").text
    ('', '', 'nurse')
    """

    text: str = ""

    @model_validator(mode="before")
    @classmethod
    def _text_or_nothing(cls, value: Any) -> Any:
        if value is None or value != value:  # an empty line of a list, or NaN
            return {"text": ""}
        if isinstance(value, bool | int | float):  # YAML reads no and 1984 as these
            raise ValueError(f"{value!r} is no word; if it is meant as one, put it in quotes")
        return value


class Spec(Strict):
    """What every spec says about itself.

    >>> any_spec("stereotype_pairs").content_note
    'the sentences on benevolent and hostile sexism state prejudices as people state them.'
    """

    name: str
    title: str
    version: int
    cite: str
    licence: str
    about: str
    content_note: str | None = None  # what a reader is warned of before items are shown
    corrections: tuple[str, ...] = ()
    source: str | None = None  # the third-party dataset (sources.yaml) that holds what is not in the spec

    @property
    def citation(self) -> str:
        return citation(self.cite)


class UserSpec(Spec):
    """A spec that may come from a user's file, which need not say anything about itself."""

    name: str = "own"
    title: str = "own data"
    version: int = 1
    cite: str = ""
    licence: str = "own"
    about: str = ""


class MisplacedWord(DataError):
    """A word that may not stand where it does; `place` are the keys that lead to it in a file."""

    def __init__(self, message: str, *place: str | int) -> None:
        super().__init__(message)
        self.place = place


S = TypeVar("S", bound=Spec)


def read_spec(source: str | Path, kind: type[S]) -> S:
    """Reads the spec of a dataset by its name, also a former one, or a user's own from a file."""
    if isinstance(source, Path):
        place, text = str(source), _read(source)
    else:
        source = dataset_name(source)
        if source not in spec_names():
            raise unknown("dataset", source, spec_names())
        place, text = f"{source}.yaml", (_HERE / "specs" / f"{source}.yaml").read_text(encoding="utf-8")
    content = parse_yaml(text, place)
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        raise DataError(f"{place}: {first_problem(error)}") from error


def first_problem(error: ValidationError) -> str:
    """Where the first thing is that is wrong, by the keys that lead to it, and what it is."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the file"
    return f"{where}: {first['msg'].removeprefix('Value error, ')}"


def line_of(path: Path, place: Sequence[str | int]) -> int:
    """The line of a YAML file on which something stands, by the keys that lead to it."""
    node = yaml.compose(_read(path))
    for key in place:
        if isinstance(node, yaml.MappingNode):
            node = next((value for name, value in node.value if name.value == key), node)
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            node = node.value[key]
    return int(node.start_mark.line) + 1


def top_level_keys(path: Path) -> set[str]:
    """The keys of a YAML file, by which a reader tells what kind of file it is; none where it has none."""
    content = parse_yaml(_read(path), path)
    return {str(key) for key in content} if isinstance(content, dict) else set()


def any_spec(name: str) -> Spec:
    """What a spec says about itself, whatever kind of data it describes."""

    class Described(Spec):
        model_config = ConfigDict(frozen=True, extra="ignore")

    return read_spec(name, Described)


@cache
def spec_names() -> tuple[str, ...]:
    """The datasets that have a spec."""
    names = [entry.name for entry in (_HERE / "specs").iterdir()]
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def citation(key: str) -> str:
    """The reference that a key such as "bartl2020" stands for."""
    return find_citation(key).reference


def check_variant(variant: str) -> None:
    if variant not in get_args(Variant):
        raise unknown("variant", variant, get_args(Variant))


def _read(path: Path) -> str:
    text = read_text(path, limit=limits.YAML)
    if not text.strip():
        raise DataError(f"{path} is empty")
    return text

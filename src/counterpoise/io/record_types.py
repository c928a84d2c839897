"""What the file formats share: batches of texts, the options of reading and writing, and the versions to write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Literal, NamedTuple, Protocol

from counterpoise.core.errors import InputError, did_you_mean

BATCH_CHARACTERS = 1 << 18


class Copy(NamedTuple):
    """One version of a text to be written: what was done, and the result."""

    version: str
    text: str


@dataclass
class RecordOptions:
    """How to read and write; `broken` counts what --on-error skip left out.

    The advice is what errors tell a user to do about a column or an encoding; it is the caller who knows the options.
    """

    path: str
    column: str = "text"
    version_column: str | None = None
    encoding: str = "utf-8"
    on_error: Literal["stop", "skip"] = "stop"
    paragraphs: bool = False
    broken: int = 0
    column_advice: str = "name it with --column"
    encoding_advice: str = "name its encoding with --encoding, e.g. latin-1"


@dataclass(frozen=True)
class Batch:
    texts: list[str]
    rows: list[Any] = field(default_factory=list)  # what a format needs to write each text back


class Format(Protocol):
    def read(self, stream: IO[bytes]) -> Iterator[Batch]: ...

    def write(self, stream: IO[bytes], batch: Batch, copies: Sequence[Sequence[Copy]]) -> None: ...

    def finish(self, stream: IO[bytes]) -> None: ...


def batched(rows: Iterable[tuple[str, Any]]) -> Iterator[Batch]:
    """Gathers rows until there is enough text for a worker."""
    texts: list[str] = []
    sources: list[Any] = []
    size = 0
    for text, row in rows:
        texts.append(text)
        sources.append(row)
        size += len(text) + 100
        if size >= BATCH_CHARACTERS:
            yield Batch(texts, sources)
            texts, sources, size = [], [], 0
    if texts:
        yield Batch(texts, sources)


def column_at(options: RecordOptions, header: Sequence[str]) -> int:
    """Where the column of the text is; of several with that name none is chosen."""
    if options.column not in header:
        raise InputError(
            f"{options.path} has no column {options.column!r} (it has: {', '.join(header)})"
            f"{did_you_mean(options.column, header)}; {options.column_advice}"
        )
    if list(header).count(options.column) > 1:
        raise InputError(f"{options.path} has several columns called {options.column!r}; rename all but one")
    return list(header).index(options.column)

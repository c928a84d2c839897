"""File formats as streams of batches of texts: plain text, CSV, TSV, JSON lines, Parquet.

A format reads batches and writes them back with the versions of each text. What is not changed is written
as it was read, to the byte; a changed row of CSV or JSON is written anew.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Literal, NamedTuple, Protocol

from counterpoise.core.errors import DataError, InputError, did_you_mean
from counterpoise.io.streams import Line, decode, lines

BATCH_CHARACTERS = 1 << 18
FORMATS = {
    ".txt": "text",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


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


def make(name: str, options: RecordOptions) -> Format:
    """The format of that name."""
    if name == "parquet":
        from counterpoise.io.parquet import Parquet

        return Parquet(options)
    if name in ("csv", "tsv"):
        return Delimited(options, "\t" if name == "tsv" else ",")
    return JsonLines(options) if name == "jsonl" else Plain(options)


def batched(rows: Iterable[tuple[str, Any]]) -> Iterator[Batch]:
    """Gathers rows until there is enough text for a worker."""
    texts: list[str] = []
    kept: list[Any] = []
    size = 0
    for text, row in rows:
        texts.append(text)
        kept.append(row)
        size += len(text) + 100
        if size >= BATCH_CHARACTERS:
            yield Batch(texts, kept)
            texts, kept, size = [], [], 0
    if texts:
        yield Batch(texts, kept)


class Plain:
    """Plain text: a line is a document, or a paragraph is (lines up to an empty one)."""

    def __init__(self, options: RecordOptions) -> None:
        self.options = options

    def read(self, stream: IO[bytes]) -> Iterator[Batch]:
        return batched((document, None) for document in self._documents(stream))

    def write(self, stream: IO[bytes], batch: Batch, copies: Sequence[Sequence[Copy]]) -> None:
        for some in copies:
            for copy in some:
                stream.write(copy.text.encode(self.options.encoding))

    def finish(self, stream: IO[bytes]) -> None:
        pass

    def _documents(self, stream: IO[bytes]) -> Iterator[str]:
        paragraph: list[str] = []
        for line in lines(self.options.path, stream):
            text = _decoded(line, self.options)
            if text is None:
                continue
            if not self.options.paragraphs:
                yield text
                continue
            paragraph.append(text)
            if not text.strip():
                yield "".join(paragraph)
                paragraph = []
        if paragraph:
            yield "".join(paragraph)


class Delimited:
    """CSV and TSV with a header; the text is in one column."""

    def __init__(self, options: RecordOptions, delimiter: str) -> None:
        self.options = options
        self.delimiter = delimiter
        self.header: list[str] = []
        self._raw_header = ""
        self._end = "\n"

    def read(self, stream: IO[bytes]) -> Iterator[Batch]:
        csv.field_size_limit(sys.maxsize)
        return batched(self._rows(stream))

    def _rows(self, stream: IO[bytes]) -> Iterator[tuple[str, tuple[str, list[str]]]]:
        raw: list[str] = []
        number = 0

        def texts() -> Iterator[str]:
            nonlocal number
            for line in lines(self.options.path, stream):
                number = line.number
                text = _decoded(line, self.options)
                if text is not None:
                    raw.append(text)
                    yield text

        reader = csv.reader(texts(), delimiter=self.delimiter, strict=True)
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                _broken(f"{self.options.path}, line {number}: broken row ({error})", self.options, error)
                raw.clear()
                reader = csv.reader(texts(), delimiter=self.delimiter, strict=True)
                continue
            as_read = "".join(raw)
            raw.clear()
            if not self.header:
                self._take_header(row, as_read)
            elif not row:
                continue
            elif len(row) != len(self.header):
                why = f"{len(row)} fields where the header has {len(self.header)}"
                _broken(f"{self.options.path}, line {number}: {why}", self.options)
            else:
                yield row[self.at], (as_read, row)

    def _take_header(self, row: list[str], raw: str) -> None:
        self.header = [row[0].removeprefix("\ufeff"), *row[1:]] if row else []
        self.at = column_at(self.options, self.header)
        self._raw_header = raw
        self._end = "\r\n" if raw.endswith("\r\n") else "\n"

    def write(self, stream: IO[bytes], batch: Batch, copies: Sequence[Sequence[Copy]]) -> None:
        self._write_header(stream)
        extra = self.options.version_column is not None
        for (raw, row), text, some in zip(batch.rows, batch.texts, copies, strict=True):
            for copy in some:
                if copy.text == text and not extra and raw.endswith("\n"):
                    out = raw
                else:
                    cells = [*row[: self.at], copy.text, *row[self.at + 1 :]]
                    out = self._line([*cells, copy.version] if extra else cells)
                stream.write(out.encode(self.options.encoding))

    def finish(self, stream: IO[bytes]) -> None:
        self._write_header(stream)

    def _write_header(self, stream: IO[bytes]) -> None:
        if self._raw_header:
            extra = self.options.version_column
            out = self._line([*self.header, extra]) if extra else self._raw_header
            stream.write(out.encode(self.options.encoding))
            self._raw_header = ""

    def _line(self, cells: list[str]) -> str:
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=self.delimiter, lineterminator=self._end).writerow(cells)
        return buffer.getvalue()


class JsonLines:
    """One JSON object (or string) a line."""

    def __init__(self, options: RecordOptions) -> None:
        self.options = options

    def read(self, stream: IO[bytes]) -> Iterator[Batch]:
        return batched(self._rows(stream))

    def _rows(self, stream: IO[bytes]) -> Iterator[tuple[str, tuple[str, Any]]]:
        column = self.options.column
        for line in lines(self.options.path, stream):
            raw = _decoded(line, self.options)
            if raw is None or not raw.strip():
                continue
            where = f"{self.options.path}, line {line.number}"
            try:
                value = json.loads(raw)
            except ValueError as error:
                _broken(f"{where}: broken JSON ({error})", self.options, error)
                continue
            if isinstance(value, dict) and column not in value:
                found = ", ".join(value) or "none"
                hint = did_you_mean(column, value)
                _broken(f"{where}: there is no field {column!r} (there are: {found}){hint}", self.options)
                continue
            text = value[column] if isinstance(value, dict) else value
            if text is not None and not isinstance(text, str):
                _broken(f"{where}: the text is {json.dumps(text)[:40]}, not a string", self.options)
                continue
            yield text or "", (raw, value)

    def write(self, stream: IO[bytes], batch: Batch, copies: Sequence[Sequence[Copy]]) -> None:
        extra = self.options.version_column
        for (raw, value), text, some in zip(batch.rows, batch.texts, copies, strict=True):
            for copy in some:
                if copy.text == text and not extra and raw.endswith("\n"):
                    out = raw
                else:
                    new: Any = copy.text
                    if isinstance(value, dict):
                        new = {
                            **value,
                            self.options.column: copy.text
                            if text or copy.text
                            else value[self.options.column],
                        }
                        if extra:
                            new[extra] = copy.version
                    out = json.dumps(new, ensure_ascii=False) + "\n"
                stream.write(out.encode(self.options.encoding, "surrogatepass"))

    def finish(self, stream: IO[bytes]) -> None:
        pass


def column_at(options: RecordOptions, header: Sequence[str]) -> int:
    """Where the column of the text is."""
    if options.column not in header:
        raise InputError(
            f"{options.path} has no column {options.column!r} (it has: {', '.join(header)})"
            f"{did_you_mean(options.column, header)}; {options.column_advice}"
        )
    return list(header).index(options.column)


def _decoded(line: Line, options: RecordOptions) -> str | None:
    try:
        return decode(options.path, line, options.encoding, options.encoding_advice)
    except DataError as error:
        _broken(str(error), options, error)
        return None


def _broken(message: str, options: RecordOptions, cause: Exception | None = None) -> None:
    """Stops, or counts and goes on."""
    if options.on_error == "stop":
        raise DataError(message) from cause
    options.broken += 1

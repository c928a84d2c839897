"""File formats as streams of batches of texts: plain text, CSV, TSV, JSON lines, Parquet.

A format reads batches and writes them back with the versions of each text. What is not changed is written
as it was read, to the byte; a changed row of CSV or JSON is written anew.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from typing import IO, Any

from counterpoise.core.errors import DataError, did_you_mean
from counterpoise.core.limits import LINE
from counterpoise.io.record_types import Batch, Copy, Format, RecordOptions, batched, column_at
from counterpoise.io.streams import Line, decode, lines

FORMATS = {
    ".txt": "text",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


def make(name: str, options: RecordOptions) -> Format:
    """The format of that name."""
    if name == "parquet":
        from counterpoise.io.parquet import Parquet  # late: importing pyarrow takes a while

        return Parquet(options)
    if name in ("csv", "tsv"):
        return Delimited(options, "\t" if name == "tsv" else ",")
    return JsonLines(options) if name == "jsonl" else Plain(options)


class Plain:
    """Plain text: a line is a document, or a paragraph is (lines up to an empty one)."""

    def __init__(self, options: RecordOptions) -> None:
        self.options = options

    def read(self, stream: IO[bytes]) -> Iterator[Batch]:
        return batched((document, None) for document in self._documents(stream))

    def write(self, stream: IO[bytes], batch: Batch, copies: Sequence[Sequence[Copy]]) -> None:
        for versions in copies:
            for copy in versions:
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
        csv.field_size_limit(min(LINE.bytes, sys.maxsize))
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
                where = f"{self.options.path}, line {number}"
                is_too_long = "field larger than field limit" in str(error)
                _broken(
                    LINE.exceeded(where) if is_too_long else f"{where}: broken row ({error})",
                    self.options,
                    error,
                )
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
        for (raw, row), text, versions in zip(batch.rows, batch.texts, copies, strict=True):
            for copy in versions:
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
            except (ValueError, RecursionError) as error:
                _broken(f"{where}: broken JSON ({error})", self.options, error)
                continue
            if isinstance(value, dict) and column not in value:
                fields = ", ".join(value) or "none"
                hint = did_you_mean(column, value)
                _broken(f"{where}: there is no field {column!r} (there are: {fields}){hint}", self.options)
                continue
            text = value[column] if isinstance(value, dict) else value
            if text is not None and not isinstance(text, str):
                _broken(f"{where}: the text is {json.dumps(text)[:40]}, not a string", self.options)
                continue
            yield text or "", (raw, value)

    def write(self, stream: IO[bytes], batch: Batch, copies: Sequence[Sequence[Copy]]) -> None:
        extra = self.options.version_column
        for (raw, value), text, versions in zip(batch.rows, batch.texts, copies, strict=True):
            for copy in versions:
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

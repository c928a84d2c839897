"""Reads words and numbers from a file of vectors in chunks; errors name the line where something is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NoReturn

import numpy as np

from counterpoise.core.errors import DataError
from counterpoise.core.limits import LINE
from counterpoise.core.progress import progress

Chunk = tuple[list[str], np.ndarray]

_BLOCK = 1 << 24  # bytes read at once
_HEADER = re.compile(rb"(\d{1,18})[ \t]+(\d{1,18})\s*")
_WIDEST = 100_000  # numbers of a vector
NEWLINE = b"\n"
_FASTTEXT_MODEL = b"\xba\x16\x4f\x2f"  # the number that fastText's own .bin files begin with
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors put it before the first word


class VectorReader:
    """A file of vectors as chunks of words and float32 rows, each word once.

    A line of another width, or with something that is not a number, is an error. Words that occur twice (the first
    one counts) and vectors of zeros are listed in `warnings` once all chunks are read.
    """

    def __init__(self, path: Path, file: IO[bytes], raw: IO[bytes]) -> None:
        self.path = path
        self._file, self._raw = file, raw
        self._seen: set[str] = set()
        self._repeated: list[str] = []
        self._zeros: list[str] = []
        self._width = 0  # numbers per word, once known
        self._promised: int | None = None  # words, as the first line says

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(
            messages[0] + (f" (and {len(messages) - 1} more like it)" if len(messages) > 1 else "")
            for messages in (self._repeated, self._zeros)
            if messages
        )

    def chunks(self) -> Iterator[Chunk]:
        size = self.path.stat().st_size
        binary = self.path.with_suffix("").suffix == ".bin" or self.path.suffix == ".bin"
        count = done = 0
        with progress(f"reading {self.path.name}", total=size, unit="bytes") as advance:
            for first, words, numbers in self._binary() if binary else self._text():
                advance((position := self._raw.tell()) - done)
                done = position
                count += len(words)
                yield self._checked(words, numbers, first, "word" if binary else "line")
        if not count:
            raise DataError(f"{self.path} has no vectors in it")
        if self._promised not in (None, count):
            raise DataError(
                f"{self.path}: its first line promises {self._promised} words, and it has {count}"
            )

    def _checked(self, words: list[str], numbers: np.ndarray, first: int, unit: str) -> Chunk:
        good = np.isfinite(numbers).all(axis=1)
        if not good.all():
            row = int(np.flatnonzero(~good)[0])
            self._fail(first + row, f"{words[row]!r} has a number that is NaN or infinite", unit)
        for row in np.flatnonzero(~numbers.any(axis=1)).tolist():
            self._zeros.append(
                f"{self.path.name}, {unit} {first + row}: {words[row]!r} has a vector of zeros"
            )
        new = np.ones(len(words), dtype=bool)
        for row, word in enumerate(words):
            if word in self._seen:
                new[row] = False
                where = f"{self.path.name}, {unit} {first + row}"
                self._repeated.append(f"{where}: {word!r} is there already; the first vector counts")
            self._seen.add(word)
        if new.all():
            return words, numbers
        return [word for word, is_new in zip(words, new, strict=True) if is_new], numbers[new]

    def _text(self) -> Iterator[tuple[int, list[str], np.ndarray]]:
        line, rest = 1, b""
        while block := self._file.read(_BLOCK):
            whole, newline, rest = (rest + block).rpartition(b"\n")
            if len(rest) > LINE.bytes:
                raise DataError(LINE.exceeded(f"{self.path}, line {line + whole.count(NEWLINE)}"))
            if newline:
                yield from self._lines(whole + newline, line)
                line += whole.count(b"\n") + 1
        if rest.strip():
            yield from self._lines(rest + b"\n", line)

    def _lines(self, block: bytes, line: int) -> Iterator[tuple[int, list[str], np.ndarray]]:
        block = block.replace(b"\r\n", b"\n").replace(b" \n", b"\n")  # fastText ends its lines with a space
        if line == 1:
            block = block.removeprefix(_BYTE_ORDER_MARK)
            head, _, rest = block.partition(b"\n")
            if header := _HEADER.fullmatch(head):
                self._take_header(header)
                block, line = rest, 2
            else:
                self._width = len(head.split(b" ")) - 1
                if self._width > _WIDEST:
                    self._fail(line, f"{self._width:,} numbers for a word, and at most {_WIDEST:,} are read")
        if self._width < 1:
            self._fail(line, "not a word and its numbers")
        if block.strip():
            parsed = _parse_at_once(block, self._width)
            words, numbers = self._parse_line_by_line(block, line) if parsed is None else parsed
            yield line, words, numbers

    def _parse_line_by_line(self, block: bytes, line: int) -> Chunk:
        """For words with spaces in them, and to find the line on which something is wrong."""
        words, rows = [], []
        for number, raw in enumerate(block.removesuffix(b"\n").split(b"\n"), start=line):
            try:
                parts = raw.decode().split(" ")
            except UnicodeDecodeError:
                raise DataError(f"cannot read {self.path}: line {number} is not UTF-8 text") from None
            word, values = parts[: -self._width], parts[-self._width :]
            expected = f"not a word and {self._width} numbers"
            if not word or (len(word) > 1 and all(map(_is_number, word[1:]))):
                self._fail(number, f"{expected} (found {len(parts) - 1})")
            if strange := [value for value in values if not _is_number(value)]:
                self._fail(number, f"{expected} ({strange[0]:.20} is none)")
            words.append(" ".join(word))
            rows.append(np.array(values, dtype=np.float64).astype(np.float32))
        return words, np.stack(rows)

    def _binary(self) -> Iterator[tuple[int, list[str], np.ndarray]]:
        head = self._file.readline(100)
        if head.startswith(_FASTTEXT_MODEL):
            raise DataError(f"{self.path} is a fastText model; give the .vec file that comes with it")
        header = _HEADER.fullmatch(head)
        if header is None:
            raise DataError(f"{self.path} is no word2vec file: its first line is not two numbers")
        self._take_header(header)
        if self._width < 1:
            self._fail(1, "its vectors have no numbers")
        buffer, first = b"", 1
        while block := self._file.read(_BLOCK):
            words, numbers, buffer = _parse_binary(buffer + block, self._width)
            if len(buffer) > LINE.bytes:
                raise DataError(LINE.exceeded(f"{self.path}, word {first + len(words)}"))
            try:
                decoded = [word.decode() for word in words]
            except UnicodeDecodeError as error:
                raise DataError(
                    f"cannot read {self.path}: a word is not UTF-8 text: {error.object!r}"
                ) from None
            if decoded:
                yield first, decoded, numbers
            first += len(decoded)
        if buffer.strip():
            self._fail(first, f"the file ends in the middle of a vector of {self._width} numbers", "word")

    def _take_header(self, header: re.Match[bytes]) -> None:
        self._promised, self._width = int(header[1]), int(header[2])
        if self._width > _WIDEST:
            self._fail(
                1, f"it claims {self._width:,} numbers for each word, and at most {_WIDEST:,} are read"
            )

    def _fail(self, place: int, problem: str, unit: str = "line") -> NoReturn:
        raise DataError(f"{self.path}, {unit} {place}: {problem}")


def _parse_at_once(block: bytes, width: int) -> Chunk | None:
    """All lines at once, or None if a line is not plainly a word and its numbers."""
    import pyarrow as pa
    from pyarrow import csv

    columns = [str(i) for i in range(width + 1)]
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=columns, block_size=len(block) + 1),
            csv.ParseOptions(delimiter=" ", quote_char=False),
            csv.ConvertOptions(
                column_types={name: pa.float32() if name != "0" else pa.string() for name in columns},
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != block.count(b"\n"):
        return None
    numbers = np.empty((table.num_rows, width), dtype=np.float32)
    for i in range(width):
        numbers[:, i] = table.column(i + 1).to_numpy()
    return table.column(0).to_pylist(), numbers


def _parse_binary(buffer: bytes, width: int) -> tuple[list[bytes], np.ndarray, bytes]:
    """The words and vectors that are complete, and what is left: a word, a space, and its numbers as float32."""
    words, starts, at, size = [], [], 0, 4 * width
    while (space := buffer.find(b" ", at)) >= 0 and space + 1 + size <= len(buffer):
        words.append(buffer[at:space].lstrip(b"\n"))
        starts.append(space + 1)
        at = space + 1 + size
    raw = b"".join(buffer[start : start + size] for start in starts)
    return words, np.frombuffer(raw, dtype="<f4").reshape(-1, width), buffer[at:]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # which Python allows between digits

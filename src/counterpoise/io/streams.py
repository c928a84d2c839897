"""Files as streams of bytes: compressed or not, standard input and output, lines with their place."""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from counterpoise.core.errors import DataError, InputError
from counterpoise.core.files import check_output, write_aside
from counterpoise.core.limits import LINE, check_regular

STANDARD = "-"
COMPRESSED = (".gz", ".xz", ".zst")
# What a damaged file raises while it is read.
DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error)


class Line(NamedTuple):
    number: int
    offset: int  # of its first byte in the (decompressed) file
    raw: bytes


@contextmanager
def reading(path: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The decompressed bytes, and the file beneath (whose `tell` says how much has been read)."""
    if path == STANDARD:
        if sys.stdin is None:
            raise InputError("standard input is closed; name a file")
        yield sys.stdin.buffer, sys.stdin.buffer
        return
    _check_readable(path)
    try:
        beneath = Path(path).open("rb")  # noqa: SIM115 (it is closed below; only the opening may be to blame here)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    with beneath:
        yield _decompressed(path, beneath), beneath


@contextmanager
def writing(path: str) -> Iterator[IO[bytes]]:
    """A stream to write to, compressed by its suffix; a file appears only when all is written."""
    if path == STANDARD:
        if sys.stdout is None:
            raise InputError("standard output is closed; name a file to write to")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_output(path, f"; {STANDARD} is standard output")
    with write_aside(path) as aside, aside.open("wb") as beneath:
        stream = _compressed(path, beneath)
        yield stream
        if stream is not beneath:
            stream.close()


def lines(path: str, stream: IO[bytes]) -> Iterator[Line]:
    """The lines with their ends; damage to a compressed file, and a binary file, are one clear error."""
    offset = 0
    number = 0
    longest = LINE.bytes
    try:
        while raw := stream.readline(longest + 1):
            if len(raw) > longest:
                raise DataError(LINE.exceeded(f"{path}, line {number + 1}"))
            number += 1
            if number == 1 and b"\0" in raw[:8192]:
                raise DataError(f"{path} looks like a binary file (a zero byte at {raw.index(0)}); give text")
            yield Line(number, offset, raw)
            offset += len(raw)
    except DAMAGE as error:
        raise DataError(f"{path} is damaged after line {number}: {error}") from error
    if offset == 0:
        raise DataError(f"{path if path != STANDARD else 'standard input'} is empty")


def _check_readable(path: str) -> None:
    """Raises an error for what is no file or pipe; a device may never end."""
    try:
        mode = Path(path).stat().st_mode
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:  # a zero byte in the name
        raise DataError(f"cannot read {path!r}: {error}") from error
    if not stat.S_ISFIFO(mode):  # that of a process substitution
        check_regular(path)


def decode(path: str, line: Line, encoding: str, advice: str) -> str:
    """A line as text; a wrong encoding is named with the byte at which it shows, and what to do about it."""
    try:
        return line.raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: not {encoding} at byte {line.offset + error.start} (line {line.number}, byte "
            f"{line.raw[error.start]:#04x}); {advice}"
        ) from error


def suffixes(path: str) -> tuple[str, str]:
    """The suffix of the format and that of the compression.

    >>> suffixes("reviews.csv.gz")
    ('.csv', '.gz')
    """
    name = Path(path)
    compression = name.suffix.lower() if name.suffix.lower() in COMPRESSED else ""
    return (Path(name.stem).suffix if compression else name.suffix).lower(), compression


def _decompressed(path: str, beneath: IO[bytes]) -> IO[bytes]:
    match suffixes(path)[1]:
        case ".gz":
            return gzip.open(beneath)  # type: ignore[return-value]
        case ".xz":
            return lzma.open(beneath)
        case ".zst":
            import pyarrow

            return io.BufferedReader(pyarrow.CompressedInputStream(beneath, "zstd"))
        case _:
            return beneath


def _compressed(path: str, beneath: IO[bytes]) -> IO[bytes]:
    match suffixes(path)[1]:
        case ".gz":
            # no name and no time inside: the same text gives the same bytes
            return gzip.GzipFile(filename="", mode="wb", fileobj=beneath, mtime=0)  # type: ignore[return-value]
        case ".xz":
            return lzma.open(beneath, "wb")
        case ".zst":
            import pyarrow

            return pyarrow.CompressedOutputStream(beneath, "zstd")  # type: ignore[no-any-return]
        case _:
            return beneath

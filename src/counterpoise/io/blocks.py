"""Text in large blocks of bytes, one document a line: what counting reads, whatever the file's format.

Plain text comes as it lies in the file, a megabyte at a time, without a step for every line. Texts of other formats
are put one on each line; a line break within a text becomes a space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import IO

import numpy as np

from counterpoise.core.errors import DataError
from counterpoise.core.limits import LINE
from counterpoise.io.record_types import RecordOptions
from counterpoise.io.records import FORMATS, make
from counterpoise.io.streams import DAMAGE, STANDARD, Line, decode, suffixes

BLOCK_BYTES = 1 << 20
NEWLINE = b"\n"

_SENTENCE_ENDS = "…。！？"
_LINE_BREAKS = re.compile(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")


def read_blocks(options: RecordOptions, stream: IO[bytes], format_name: str | None = None) -> Iterator[bytes]:
    """The texts of a file as blocks: UTF-8, a document on each line, ready to be cut into words (see `fold`)."""
    name = format_name or FORMATS.get(suffixes(options.path)[0], "text")
    if name == "text" and not options.paragraphs:
        yield from _plain_blocks(options, stream)
    else:
        for batch in make(name, options).read(stream):
            yield from text_blocks(batch.texts)


def text_blocks(texts: Iterable[str]) -> Iterator[bytes]:
    """The same for texts that are at hand.

    >>> list(text_blocks(["He left.", "She\\nstayed."]))
    [b'He left.\\nShe stayed.\\n']
    """
    lines: list[str] = []
    size = 0
    for text in texts:
        lines.append(_LINE_BREAKS.sub(" ", text))
        size += len(text)
        if size >= BLOCK_BYTES:
            yield fold("\n".join(lines) + "\n")
            lines, size = [], 0
    if lines:
        yield fold("\n".join(lines) + "\n")


def fold(text: str) -> bytes:
    """UTF-8 in which every byte above 127 is part of a word: other signs become spaces, full stops or apostrophes.

    Letters beyond ASCII become small; those of ASCII keep their case, by which names are known.

    >>> fold("“Élan” is the café’s name…").decode()
    " élan  is the café's name."
    """
    return _fold(text.encode("utf-8", "replace"))


def _fold(block: bytes) -> bytes:
    """The same for bytes that are UTF-8; only what is beyond ASCII is looked at."""
    if block.isascii():
        return block
    beyond = np.frombuffer(block, dtype=np.uint8) >= 128
    edges = np.flatnonzero(np.diff(beyond, prepend=False, append=False)).tolist()
    pieces, done = [], 0
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        pieces += [block[done:start], _folded(block[start:end])]
        done = end
    return b"".join([*pieces, block[done:]])


@lru_cache(maxsize=1 << 16)
def _folded(run: bytes) -> bytes:
    return "".join(_folded_sign(sign) for sign in run.decode().lower()).encode()


def _folded_sign(sign: str) -> str:
    if sign.isalnum() or unicodedata.combining(sign):
        return sign
    if sign in "’ʼ":
        return "'"
    return "." if sign in _SENTENCE_ENDS else " "


def _plain_blocks(options: RecordOptions, stream: IO[bytes]) -> Iterator[bytes]:
    number = offset = 0
    is_utf8 = options.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
    try:
        while block := stream.read(BLOCK_BYTES):
            if not block.endswith(b"\n"):
                rest = stream.readline(LINE.bytes + 1)
                if len(rest) > LINE.bytes:
                    raise DataError(
                        LINE.exceeded(f"{options.path}, line {number + block.count(NEWLINE) + 1}")
                    )
                block += rest
            if offset == 0:
                if b"\0" in block[:8192]:
                    raise DataError(
                        f"{options.path} looks like a binary file (a zero byte at {block.index(0)}); give text"
                    )
                block = block.removeprefix(b"\xef\xbb\xbf") if is_utf8 else block
            if is_utf8 and _is_utf8(block):
                yield _fold(block)
            else:
                yield fold(_decoded(block, options, number, offset))
            number += block.count(b"\n")
            offset += len(block)
    except DAMAGE as error:
        raise DataError(f"{options.path} is damaged after line {number}: {error}") from error
    if offset == 0:
        raise DataError(f"{options.path if options.path != STANDARD else 'standard input'} is empty")


def _is_utf8(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


def _decoded(block: bytes, options: RecordOptions, number: int, offset: int) -> str:
    """A block as text; where it cannot be decoded, line by line, so that the line is named or left out."""
    try:
        return block.decode(options.encoding)
    except UnicodeDecodeError:
        pass
    decoded = []
    for raw in block.splitlines(keepends=True):
        number += 1
        try:
            decoded.append(
                decode(options.path, Line(number, offset, raw), options.encoding, options.encoding_advice)
            )
        except DataError:
            if options.on_error == "stop":
                raise
            options.broken += 1
        offset += len(raw)
    return "".join(decoded)

"""Static word vectors: GloVe and word2vec text files."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from counterpoise.core.errors import DataError, did_you_mean


class WordVectors:
    """Words and their vectors.

    >>> vectors = WordVectors(["he", "she"], np.eye(2))
    >>> vectors["she"]
    array([0., 1.])
    """

    kind = "vectors"

    def __init__(self, words: Sequence[str], matrix: np.ndarray, name: str = "vectors") -> None:
        self.name = name
        self.matrix = matrix
        self.index = {word: row for row, word in enumerate(words)}

    @classmethod
    def open(cls, path: str | Path) -> WordVectors:
        """Reads a text file of vectors: a word and its numbers on each line, with or without a first line of sizes."""
        path = Path(path)
        words: list[str] = []
        rows: list[np.ndarray] = []
        for number, line in _numbered_lines(path):
            parts = line.rstrip().split(" ")
            if number == 1 and len(parts) == 2:
                continue  # the sizes
            width = len(rows[0]) if rows else len(parts) - 1
            if not 0 < width < len(parts):
                raise DataError(f"{path}, line {number}: not a word and {width or 'its'} numbers")
            try:
                rows.append(np.array(parts[-width:], dtype=np.float32))
            except ValueError:
                raise DataError(f"{path}, line {number}: not a word and {width} numbers") from None
            words.append(" ".join(parts[:-width]))  # some vector files have words with spaces in them
        if not rows:
            raise DataError(f"{path} has no vectors in it")
        return cls(words, np.stack(rows), name=path.name)

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, word: str) -> np.ndarray:
        return np.asarray(self.lookup([word])[0])

    def lookup(self, words: Sequence[str]) -> np.ndarray:
        """The vectors of these words, as an array (words, width); a word that is not there is an error."""
        for word in words:
            if word not in self.index:
                raise DataError(f"{self.name} has no vector for {word!r}{did_you_mean(word, self.index)}")
        return np.asarray(self.matrix[[self.index[word] for word in words]])


def _open_text(path: Path) -> IO[str]:
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with _open_text(path) as file:
            yield from enumerate(file, start=1)
    except (OSError, UnicodeDecodeError, lzma.LZMAError, EOFError, zlib.error) as error:
        raise DataError(f"cannot read {path} as a text file of vectors: {error}") from error

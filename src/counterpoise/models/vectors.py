"""Static word vectors: GloVe and word2vec text files."""

from __future__ import annotations

from collections.abc import Sequence
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
        with _open_text(path) as file:
            for number, line in enumerate(file, start=1):
                word, *values = line.rstrip().split(" ")
                if number == 1 and len(values) == 1:
                    continue
                try:
                    row = np.array(values, dtype=np.float32)
                except ValueError:
                    raise DataError(f"{path}, line {number}: not a word and its numbers") from None
                if rows and len(row) != len(rows[0]):
                    raise DataError(
                        f"{path}, line {number}: {len(row)} numbers, and {len(rows[0])} in the lines before"
                    )
                words.append(word)
                rows.append(row)
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
        import lzma

        return lzma.open(path, "rt", encoding="utf-8")
    if path.suffix == ".gz":
        import gzip

        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")

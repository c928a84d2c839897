"""Static word vectors: GloVe, word2vec, fastText, arrays, gensim."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from counterpoise.core.errors import DataError, InputError, did_you_mean, unknown
from counterpoise.core.files import check_output, write_aside, write_text
from counterpoise.models.vector_files import digest_of, keyed_vectors, lines_of, read_vectors

Case = Literal["exact", "lower", "fallback"]

_GUESSABLE = 50_000  # words among which a misspelt one is looked for
_ROWS = 1 << 16  # rows compared at once


class WordVectors:
    """Words and their vectors.

    `case` says how a word is looked up: "exact" as it is written, "lower" in lower case, "fallback" as it is written
    or, if it has no vector, in lower case. The last finds names in files of lower-case words, such as GloVe 6B.

    >>> vectors = WordVectors(["he", "she"], np.eye(2))
    >>> vectors["she"]
    array([0., 1.])
    >>> "She" in vectors, vectors.key("She")
    (True, 'she')
    """

    kind = "vectors"

    def __init__(
        self,
        words: Sequence[str],
        matrix: np.ndarray,
        name: str = "vectors",
        *,
        case: Case = "fallback",
        warnings: Sequence[str] = (),
        digest: str | None = None,
    ) -> None:
        if case not in get_args(Case):
            raise unknown("case handling", case, get_args(Case))
        if matrix.ndim != 2 or len(words) != len(matrix):
            raise InputError(f"{len(words)} words need as many vectors, found an array of {matrix.shape}")
        self.name = name
        self.case = case
        self.words = list(words)
        self.matrix = matrix
        # Of words that occur twice, the first counts.
        self.index = {
            word: row for row, word in zip(range(len(words) - 1, -1, -1), reversed(words), strict=True)
        }
        self.warnings = (*warnings, *self._repeated())
        self._digest = digest

    @classmethod
    def open(cls, path: str | Path, *, case: Case = "fallback", allow_pickle: bool = False) -> WordVectors:
        """Opens a file of vectors.

        Text files have a word and its numbers on each line, with or without a first line of sizes (.txt, .vec; also
        compressed, .gz and .xz); .bin is word2vec's binary format; .npy an array with the list of its words beside it
        (NAME.words.txt, .txt, .vocab or .json); .kv what gensim saves, for which gensim must be installed.
        """
        path = Path(path).expanduser()
        contents = read_vectors(path, allow_pickle)
        return cls(
            contents.words,
            contents.matrix,
            path.name,
            case=case,
            warnings=contents.warnings,
            digest=contents.digest,
        )

    @classmethod
    def from_gensim(cls, keyed: Any, name: str = "gensim", *, case: Case = "fallback") -> WordVectors:
        """The vectors of a gensim KeyedVectors, or of a model that has one."""
        return cls(*keyed_vectors(keyed), name, case=case)

    def __repr__(self) -> str:
        return f"<WordVectors {self.name!r}, {len(self):,} words of {self.matrix.shape[1]}, {self.precision}>"

    def __contains__(self, word: str) -> bool:
        return self.key(word) is not None

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, word: str) -> np.ndarray:
        return np.asarray(self.lookup([word])[0])

    @property
    def precision(self) -> str:
        return str(self.matrix.dtype)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of words, numbers and how words are looked up; the same whatever file the vectors come from."""
        content = self._digest or digest_of(self.words, self.matrix)
        return hashlib.blake2b(f"{content} {self.precision} {self.case}".encode(), digest_size=16).hexdigest()

    def key(self, word: str) -> str | None:
        """The form of the word that has a vector, or None."""
        forms = {"exact": [word], "lower": [word.lower()], "fallback": [word, word.lower()]}[self.case]
        return next((form for form in forms if form in self.index), None)

    def problems(self, words: Sequence[str]) -> list[str | None]:
        """For each word the reason why it cannot be used, or None."""
        return [self._problem(word) for word in words]

    def lookup(self, words: Sequence[str]) -> np.ndarray:
        """The vectors of these words, as an array (words, width); a word that is not there is an error."""
        rows = []
        for word in words:
            key = self.key(word)
            if key is None:
                hint = did_you_mean(word, self.index) if len(self) <= _GUESSABLE else ""
                raise DataError(f"{self.name} has no vector for {word!r}{hint}")
            rows.append(self.index[key])
        return np.asarray(self.matrix[rows])

    def nearest(self, to: str | np.ndarray, k: int = 10) -> list[tuple[str, float]]:
        """The k words whose vectors have the largest cosine with a word's (itself left out) or with a vector.

        >>> WordVectors(["he", "him", "she"], np.array([[1, 0], [1, 0.1], [0, 1.0]])).nearest("he", 1)[0][0]
        'him'
        """
        if k < 1:
            raise InputError(f"k must be at least 1, found {k}")
        vector = self[to] if isinstance(to, str) else np.asarray(to)
        cosines = self._cosines(vector)
        if isinstance(to, str):
            cosines[self.index[self.key(to) or to]] = -np.inf
        k = min(k, int(np.isfinite(cosines).sum()))
        best = np.argpartition(-cosines, k - 1)[:k] if k else np.empty(0, dtype=int)
        best = best[np.argsort(-cosines[best], kind="stable")]
        return [(self.words[row], float(cosines[row])) for row in best]

    def save(self, path: str | Path) -> None:
        """Writes the vectors: NAME.npy with NAME.words.txt, or a word2vec text file (.txt, .vec)."""
        path = Path(path)
        check_output(path)
        if path.suffix == ".npy":
            with write_aside(path) as aside, aside.open("wb") as file:
                np.save(file, self.matrix, allow_pickle=False)
            write_text(path.with_suffix(".words.txt"), "".join(f"{word}\n" for word in self.words))
        elif path.suffix in (".txt", ".vec"):
            with write_aside(path) as aside, aside.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(lines_of(self.words, self.matrix))
        else:
            raise InputError(f"{path}: vectors are written to .npy, .txt or .vec")

    def _problem(self, word: str) -> str | None:
        key = self.key(word)
        if key is None:
            return "has no vector"
        vector = self.matrix[self.index[key]]
        if not np.isfinite(vector).all():
            return "its vector has a number that is NaN or infinite"
        return None if vector.any() else "its vector is all zeros"

    def _cosines(self, vector: np.ndarray) -> np.ndarray:
        """The cosine with every word, -inf where there is none; in blocks of rows, since the array may be on disk."""
        unit = vector / np.linalg.norm(vector)
        cosines = np.full(len(self.words), -np.inf)
        for start in range(0, len(self.words), _ROWS):
            block = np.asarray(self.matrix[start : start + _ROWS], dtype=np.float64)
            lengths = np.linalg.norm(block, axis=1)
            usable = lengths > 0
            cosines[start : start + _ROWS][usable] = (block[usable] @ unit) / lengths[usable]
        return cosines

    def _repeated(self) -> list[str]:
        extra = len(self.words) - len(self.index)
        if not extra:
            return []
        row = next(row for row, word in enumerate(self.words) if self.index[word] != row)
        more = f" (and {extra - 1} more like it)" if extra > 1 else ""
        return [
            f"{self.name}, row {row + 1}: {self.words[row]!r} is there already; the first vector counts{more}"
        ]

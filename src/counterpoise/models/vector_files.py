"""Files of word vectors: text (GloVe, word2vec, fastText), word2vec binary, an array with a list of its words.

A big file is read once and kept in the cache folder as an array, which is memory-mapped, and a list of words, with
checksums; opening it again takes a moment, and if a checksum does not match, the file is read again. Errors are one
line that names the line of the file.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from counterpoise.core.cache import cache_folder
from counterpoise.core.checked_files import file_checksum, read_checked_json, write_checked_json
from counterpoise.core.documents import parse_json, read_text
from counterpoise.core.errors import CounterpoiseError, DataError, RunError
from counterpoise.core.notices import notice
from counterpoise.models.sources import first_line
from counterpoise.models.vector_readers import VectorReader

TEXT_SUFFIXES = (".txt", ".vec", ".glove", ".w2v", ".xz", ".gz")
SUFFIXES = (*TEXT_SUFFIXES, ".bin", ".npy", ".kv")

_UNCOMPRESS: dict[str, Callable[[IO[bytes]], Any]] = {".xz": lzma.open, ".gz": gzip.open}
_BIG = 64 << 20  # bytes from which on a converted copy is kept
_ARRAY, _WORDS, _ABOUT = "vectors.npy", "vectors.words.txt", "about.json"
_ABANDONED = 3600.0  # seconds without a write after which a conversion must have been killed


@dataclass(frozen=True)
class Contents:
    """The contents of a file of vectors; `digest` hashes words and numbers if known without reading them all."""

    words: list[str]
    matrix: np.ndarray
    warnings: tuple[str, ...] = ()
    digest: str | None = None


def read_vectors(path: Path, allow_pickle: bool = False) -> Contents:
    """The vectors of a file in any of the formats of `SUFFIXES`."""
    if not path.is_file():
        raise DataError(f"there is no file {path}")
    if path.suffix == ".npy":
        return read_array(path)
    if path.suffix == ".kv":
        return _read_gensim(path, allow_pickle)
    if path.stat().st_size < _BIG:
        return _read_at_once(path)
    folder = _converted_folder(path)
    if folder.exists() and (converted := _read_converted(folder)) is not None:
        return converted
    try:
        _convert(path, folder)
    except OSError as error:
        notice(
            f"cannot keep {path.name} in {folder.parent} ({error.strerror or error}), so that it is read again next "
            "time; COUNTERPOISE_CACHE may name a folder with more room"
        )
        return _read_at_once(path)
    return _read_converted(folder) or _read_at_once(path)


def digest_of(words: Sequence[str], matrix: np.ndarray) -> str:
    """A hash of words and numbers: the same for the same vectors, whatever file they come from.

    >>> ones = np.ones((1, 2), dtype=np.float32)
    >>> digest_of(["he"], ones) == digest_of(["he"], ones.copy()) != digest_of(["she"], ones)
    True
    """
    digest = _Digest()
    rows = max(1, (1 << 24) // max(1, matrix.shape[1]))
    for start in range(0, len(words), rows):
        digest.update(words[start : start + rows], matrix[start : start + rows])
    return digest.hexdigest()


class _Digest:
    def __init__(self) -> None:
        self.words, self.numbers = hashlib.blake2b(digest_size=16), hashlib.blake2b(digest_size=16)

    def update(self, words: Sequence[str], numbers: np.ndarray) -> None:
        self.words.update("".join(f"{word}\n" for word in words).encode())
        self.numbers.update(np.ascontiguousarray(numbers).tobytes())

    def hexdigest(self) -> str:
        digests = self.words.digest() + self.numbers.digest()
        return hashlib.blake2b(digests, digest_size=16).hexdigest()


def _read_at_once(path: Path) -> Contents:
    words: list[str] = []
    parts: list[np.ndarray] = []
    with _opened(path) as (file, raw):
        reader = VectorReader(path, file, raw)
        for chunk_words, numbers in reader.chunks():
            words += chunk_words
            parts.append(numbers)
    return Contents(words, np.concatenate(parts), reader.warnings)


def _read_converted(folder: Path) -> Contents | None:
    """The vectors in a folder of the cache; if they are damaged or of an earlier version, it is removed."""
    try:
        about = read_checked_json(folder / _ABOUT)
        for name, checksum in about["checksums"].items():
            if file_checksum(folder / name) != checksum:
                raise RunError(f"{folder / name} is damaged: its checksum does not match")
        contents = read_array(folder / _ARRAY)
        return replace(contents, warnings=tuple(about["warnings"]), digest=about["digest"])
    except (CounterpoiseError, OSError) as error:
        notice(f"{error}; the word vectors are read again from their own file")
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _convert(path: Path, folder: Path) -> None:
    """Reads a file into an array and a list of words, in a folder that appears whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(folder)
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".part"))
    try:
        _write_converted(path, aside)
        try:
            aside.replace(folder)
        except OSError:
            if not folder.exists():  # else another process was quicker
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _write_converted(path: Path, folder: Path) -> None:
    digest, count, width = _Digest(), 0, 0
    with (
        _opened(path) as (file, raw),
        (folder / _ARRAY).open("wb") as array,
        (folder / _WORDS).open("w", encoding="utf-8", newline="\n") as listed,
    ):
        reader = VectorReader(path, file, raw)
        for words, numbers in reader.chunks():
            if not count:
                _write_header(array, 0, width := numbers.shape[1])
            array.write(np.ascontiguousarray(numbers, dtype="<f4").tobytes())
            listed.writelines(f"{word}\n" for word in words)
            digest.update(words, numbers)
            count += len(words)
        array.seek(0)
        _write_header(array, count, width)
    about = {
        "source": str(path.resolve()),
        "digest": digest.hexdigest(),
        "warnings": list(reader.warnings),
        "checksums": {name: file_checksum(folder / name) for name in (_ARRAY, _WORDS)},
    }
    write_checked_json(folder / _ABOUT, about)


def _write_header(file: IO[bytes], rows: int, width: int) -> None:
    # numpy leaves room in the header for a number of rows that is known only at the end.
    header = {"descr": "<f4", "fortran_order": False, "shape": (rows, width)}
    np.lib.format.write_array_header_1_0(file, header)


def converted_files() -> dict[Path, tuple[str, int]]:
    """The folders of converted files in the cache folder, each with the file it was made from and its bytes."""
    converted = {}
    for about in sorted((cache_folder() / "vectors").glob(f"*/{_ABOUT}")):
        size = sum(file.stat().st_size for file in about.parent.iterdir())
        try:
            source = str(read_checked_json(about)["source"])
        except CounterpoiseError:
            source = f"{about.parent} (damaged or of an earlier version)"
        converted[about.parent] = (source, size)
    return converted


def clear_converted() -> None:
    """Removes the converted files; a big file is read again when it is next opened."""
    for folder in (cache_folder() / "vectors").glob("[!.]*"):
        shutil.rmtree(folder, ignore_errors=True)
    _remove_abandoned(cache_folder() / "vectors" / "*")


def _converted_folder(path: Path) -> Path:
    about = path.stat()
    identity = f"1 {path.resolve()} {about.st_size} {about.st_mtime_ns}"
    return cache_folder() / "vectors" / hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


def _remove_abandoned(folder: Path) -> None:
    """Removes what killed conversions into this folder (or any, if its name is a star) left behind."""
    for part in folder.parent.glob(f".{folder.name}.*.part"):
        written = max((file.stat().st_mtime for file in part.glob("*")), default=part.stat().st_mtime)
        if time.time() - written > _ABANDONED:
            shutil.rmtree(part, ignore_errors=True)


def read_array(path: Path) -> Contents:
    """A memory-mapped array, NAME.npy, and the words of its rows from a file beside it.

    That file is NAME.words.txt, NAME.txt or NAME.vocab, with a word on each line, or NAME.json, a list or {word: row}.
    """
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # numpy raises many kinds for a damaged header
        raise DataError(f"cannot read {path} as an array: {first_line(error)}") from error
    if not isinstance(matrix, np.ndarray):
        raise DataError(f"cannot read {path} as an array: it holds several")
    index, words = _index_of(path)
    if matrix.ndim != 2 or not np.issubdtype(matrix.dtype, np.floating):
        raise DataError(f"{path} holds no table of real numbers: {matrix.dtype}, {matrix.ndim} dimensions")
    if len(words) != len(matrix):
        raise DataError(f"{path.name} has {len(matrix)} rows and {index.name} {len(words)} words")
    return Contents(words, matrix)


def _index_of(path: Path) -> tuple[Path, list[str]]:
    candidates = [path.with_suffix(suffix) for suffix in (".words.txt", ".txt", ".vocab", ".json")]
    index = next((candidate for candidate in candidates if candidate.is_file()), None)
    if index is None:
        names = " or ".join(candidate.name for candidate in candidates)
        raise DataError(f"{path} needs the words of its rows beside it: {names}")
    text = read_text(index)
    listed = parse_json(text, index) if index.suffix == ".json" else text.removesuffix("\n").split("\n")
    if isinstance(listed, dict):
        if not all(isinstance(row, int) for row in listed.values()) or sorted(listed.values()) != list(
            range(len(listed))
        ):
            raise DataError(f"{index}: the rows of its words are not 0 to {len(listed) - 1}, each once")
        listed = sorted(listed, key=listed.__getitem__)
    if not isinstance(listed, list) or not all(isinstance(word, str) for word in listed):
        raise DataError(f"{index} is neither a list of words nor words with their rows")
    return index, listed


def _read_gensim(path: Path, allow_pickle: bool) -> Contents:
    if not allow_pickle:
        raise DataError(
            f"{path} was saved by gensim as a pickle, which can run code when it is read; save it with "
            "save_word2vec_format(), or pass allow_pickle=True (--allow-pickle) if you trust it"
        )
    try:
        from gensim.models import KeyedVectors  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise DataError(
            f"{path} was saved by gensim, which is not installed: install it (pip install gensim), or save the "
            "vectors there with save_word2vec_format()"
        ) from None
    try:
        keyed = KeyedVectors.load(str(path), mmap="r")
        return Contents(*keyed_vectors(keyed))
    except DataError:
        raise
    except Exception as error:  # whatever a damaged pickle can raise
        raise DataError(f"cannot read {path} with gensim: {first_line(error)}") from error


def keyed_vectors(keyed: Any) -> tuple[list[str], np.ndarray]:
    """Words and matrix of a gensim KeyedVectors, or of a model that has one (`.wv`)."""
    keyed = getattr(keyed, "wv", keyed)
    if not hasattr(keyed, "index_to_key") or not hasattr(keyed, "vectors"):
        raise DataError(f"{type(keyed).__name__} holds no word vectors of gensim 4 or later")
    return list(keyed.index_to_key), np.asarray(keyed.vectors)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A file, uncompressed, and the file on disk, whose position shows the progress."""
    try:
        raw = path.open("rb")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    uncompress: Callable[[IO[bytes]], Any] = _UNCOMPRESS.get(path.suffix, lambda file: file)
    with raw:
        try:
            yield uncompress(raw), raw
        except (lzma.LZMAError, gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(f"cannot read {path}: {first_line(error)}") from error


def lines_of(words: Sequence[str], matrix: np.ndarray) -> Iterator[str]:
    """The lines of a word2vec text file."""
    yield f"{len(words)} {matrix.shape[1]}\n"
    for word, row in zip(words, matrix, strict=True):
        # The shortest decimals that read back as the same number.
        yield f"{word} {' '.join(map(str, row.tolist() if row.dtype == np.float64 else row))}\n"

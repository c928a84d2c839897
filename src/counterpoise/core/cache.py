"""The disk cache of scored questions: one SQLite file, shared between runs and safe for several processes.

A score is one number, kept under the space it belongs to (a model and precision) and the digest of its question, with a
checksum of all three; what a model behind an endpoint answers is kept in the same way, as text. What does not match its
checksum is not used, so that a damaged file costs time and never gives another number. A cache that cannot be used at
all is reported once, and the work goes on without it.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from counterpoise.core.notices import notice
from counterpoise.core.plurals import count_text

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spaces (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS checked_scores (
    space INTEGER NOT NULL, question BLOB NOT NULL, score REAL NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (space, question)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checked_answers (
    space INTEGER NOT NULL, question BLOB NOT NULL, answer TEXT NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (space, question)
) WITHOUT ROWID;
"""
_UNCHECKED = "scores"  # the table of earlier versions, whose scores have no checksums
_AT_ONCE = 500  # SQLite's smallest limit on parameters of one statement is 999
# What a damaged or unwritable file can raise; a row of a damaged file may also be text that is not UTF-8.
_FAILURES = (sqlite3.Error, OSError, ValueError, OverflowError, MemoryError)


@dataclass(frozen=True)
class CacheInfo:
    """What a cache holds; `problem` says why that is not known, if it cannot be read."""

    path: Path
    size: int
    scores: int
    spaces: dict[str, int]
    problem: str | None = None


class ScoreCache:
    """Scores by (space, question digest).

    >>> import tempfile
    >>> cache = ScoreCache(Path(tempfile.mkdtemp()) / "scores.sqlite")
    >>> cache.put("a model", {b"question": -1.5})
    >>> cache.get("a model", [b"question", b"another"])
    {b'question': -1.5}
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._is_unusable = self._reported_damage = False

    def get(self, space: str, questions: Sequence[bytes]) -> dict[bytes, float]:
        """The scores in the cache; questions without one are left out, and so are those whose score is damaged."""
        return self._get("score", space, questions)

    def get_answers(self, space: str, questions: Sequence[bytes]) -> dict[bytes, str]:
        """The answers in the cache; questions without one, or with a damaged one, are left out."""
        return self._get("answer", space, questions)

    def put(self, space: str, scores: Mapping[bytes, float]) -> None:
        """Stores these scores: all of them or, if interrupted, none."""
        if self._is_unusable:
            return
        try:
            with self._open() as connection, connection:
                number = _number_of(connection, space)
                connection.executemany(
                    "INSERT OR REPLACE INTO checked_scores VALUES (?, ?, ?, ?)",
                    [
                        (number, question, score, _checksum(space, question, score))
                        for question, score in scores.items()
                    ],
                )
        except _FAILURES as error:
            self._give_up(error)

    @contextmanager
    def storing_answers(self, space: str) -> Iterator[Callable[[bytes, str], None]]:
        """Yields a function that stores one answer, for good when it returns; several threads may call it.

        The file stays open in the meantime: opening and closing it takes longer than many an answer.
        """
        lock = threading.Lock()
        with ExitStack() as stack:
            if not self._is_unusable:
                try:
                    connection = stack.enter_context(self._open(shared=True))
                    with connection:
                        number = _number_of(connection, space)
                except _FAILURES as error:
                    self._give_up(error)

            def store(question: bytes, answer: str) -> None:
                with lock:
                    if self._is_unusable:
                        return
                    try:
                        with connection:
                            connection.execute(
                                "INSERT OR REPLACE INTO checked_answers VALUES (?, ?, ?, ?)",
                                (number, question, answer, _checksum(space, question, answer)),
                            )
                    except _FAILURES as error:
                        self._give_up(error)

            yield store

    def _get(self, column: str, space: str, questions: Sequence[bytes]) -> dict[bytes, Any]:
        found: dict[bytes, Any] = {}
        if self._is_unusable:
            return found
        damaged = 0
        try:
            if not self.path.exists():
                return found
            with self._open() as connection:
                for chunk in _chunks(questions):
                    marks = ",".join("?" * len(chunk))
                    rows = connection.execute(
                        f"SELECT question, {column}, checksum FROM checked_{column}s JOIN spaces ON space = id "
                        f"WHERE name = ? AND question IN ({marks})",
                        [space, *chunk],
                    )
                    for question, value, checksum in rows.fetchall():
                        if _is_intact(space, question, value, checksum):
                            found[question] = value
                        else:
                            damaged += 1
        except _FAILURES as error:
            self._give_up(error)
        if damaged and not self._reported_damage and not self._is_unusable:
            self._reported_damage = True
            notice(
                f"the cache {self.path} is damaged: {count_text(damaged, 'answer')} will be computed again"
            )
        return found

    def info(self) -> CacheInfo:
        """What the cache holds, also if it is damaged."""
        size = 0
        try:
            if not self.path.exists():
                return CacheInfo(self.path, 0, 0, {})
            size = self.path.stat().st_size
            with self._open() as connection:
                spaces: dict[str, int] = dict(
                    connection.execute(
                        "SELECT name, COUNT(question) FROM spaces LEFT JOIN (SELECT space, question FROM "
                        "checked_scores UNION ALL SELECT space, question FROM checked_answers) ON space = id "
                        "GROUP BY name"
                    ).fetchall()
                )
        except _FAILURES as error:
            return CacheInfo(self.path, size, 0, {}, str(error))
        return CacheInfo(self.path, size, sum(spaces.values()), spaces)

    def clear(self) -> None:
        """Deletes everything, even a damaged file."""
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self._is_unusable = False

    def _give_up(self, error: Exception) -> None:
        self._is_unusable = True
        notice(
            f"the cache {self.path} cannot be used ({error}), so that all is computed without it; "
            "`counterpoise cache clear` removes it"
        )

    @contextmanager
    def _open(self, *, shared: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection; one that is shared may be used by several threads."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=60, check_same_thread=not shared)) as connection:
            with suppress(sqlite3.OperationalError):  # another process is opening it, and sets the same mode
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_SCHEMA)
            self._drop_unchecked(connection)
            yield connection

    def _drop_unchecked(self, connection: sqlite3.Connection) -> None:
        """Removes the scores of earlier versions, since nobody can tell whether they are damaged."""
        is_old = connection.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [_UNCHECKED]
        )
        if is_old.fetchone():
            connection.execute(f"DROP TABLE IF EXISTS {_UNCHECKED}")
            notice(f"the cache {self.path} was made by an earlier version: its answers are computed again")


def _number_of(connection: sqlite3.Connection, space: str) -> int:
    """The number of a space, which it gets if it is new."""
    connection.execute("INSERT OR IGNORE INTO spaces (name) VALUES (?)", [space])
    [[number]] = connection.execute("SELECT id FROM spaces WHERE name = ?", [space]).fetchall()
    return int(number)


def _checksum(space: str, question: bytes, value: float | str) -> bytes:
    packed = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else struct.pack("<d", value)
    digest = hashlib.blake2b(space.encode("utf-8", "surrogatepass"), digest_size=8)
    digest.update(b"\0" + question + packed)
    return digest.digest()


def _is_intact(space: str, question: object, value: object, checksum: object) -> bool:
    if not isinstance(question, bytes) or not isinstance(value, float | str):
        return False
    return checksum == _checksum(space, question, value)


def default_path() -> Path:
    """`scores.sqlite` in `COUNTERPOISE_CACHE`, or in the user's cache folder."""
    return cache_folder() / "scores.sqlite"


# What else the cache folder holds because it takes long to make.
ARTIFACTS = {
    "controls": "models trained on text as it was",
    "references": "models that corpora are measured with",
    "proofs": "what models said in proofs",
    "learnt": "what models learnt from corpora",
}


def artifact_folder(kind: str) -> Path:
    """Where artifacts of a kind are, one file or folder each.

    >>> artifact_folder("proofs").name
    'proofs'
    """
    if kind not in ARTIFACTS:
        raise KeyError(kind)
    return cache_folder() / kind


def artifacts(kind: str) -> dict[Path, int]:
    """The artifacts of a kind with their sizes in bytes; not those in the making, whose names end differently."""
    folder = artifact_folder(kind)
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return {
        path: sum(map(_size, [path, *path.rglob("*")]))
        for path in paths
        if not path.name.startswith(".") and path.suffix in ("", ".json")
    }


def _size(file: Path) -> int:
    with suppress(OSError):  # another process may have removed it
        return file.stat().st_size if file.is_file() else 0
    return 0


def cache_folder() -> Path:
    """`COUNTERPOISE_CACHE`, or the folder for caches that the operating system gives to applications."""
    if folder := os.environ.get("COUNTERPOISE_CACHE"):
        return Path(folder)
    return user_cache_path("counterpoise", appauthor=False, opinion=False)


def _chunks(questions: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    return (questions[i : i + _AT_ONCE] for i in range(0, len(questions), _AT_ONCE))

"""The disk cache of scored questions: one SQLite file, shared between runs and safe for several processes.

A score is one number, kept under the space it belongs to (a model and precision) and the digest of its question. What
a model behind an endpoint answers is kept in the same way, as text.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from counterpoise.core.errors import CounterpoiseError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spaces (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS scores (
    space INTEGER NOT NULL, question BLOB NOT NULL, score REAL NOT NULL, PRIMARY KEY (space, question)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    space INTEGER NOT NULL, question BLOB NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (space, question)
) WITHOUT ROWID;
"""
_AT_ONCE = 500  # SQLite's smallest limit on parameters of one statement is 999


@dataclass(frozen=True)
class CacheInfo:
    path: Path
    size: int
    scores: int
    spaces: dict[str, int]


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

    def get(self, space: str, questions: Sequence[bytes]) -> dict[bytes, float]:
        """The scores in the cache; questions without one are left out."""
        return self._get("score", space, questions)

    def put(self, space: str, scores: Mapping[bytes, float]) -> None:
        """Stores these scores: all of them or, if interrupted, none."""
        with self._open() as connection, connection:
            number = self._number(connection, space)
            connection.executemany(
                "INSERT OR REPLACE INTO scores VALUES (?, ?, ?)",
                [(number, question, score) for question, score in scores.items()],
            )

    def get_answers(self, space: str, questions: Sequence[bytes]) -> dict[bytes, str]:
        """The answers in the cache; questions without one are left out."""
        return self._get("answer", space, questions)

    @contextmanager
    def storing_answers(self, space: str) -> Iterator[Callable[[bytes, str], None]]:
        """Yields a function that stores one answer, for good when it returns; several threads may call it.

        The file stays open in the meantime: opening and closing it takes longer than many an answer.
        """
        lock = threading.Lock()
        with self._open(shared=True) as connection:
            number = self._number(connection, space)

            def store(question: bytes, answer: str) -> None:
                with lock, connection:
                    connection.execute(
                        "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (number, question, answer)
                    )

            yield store

    def _get(self, column: str, space: str, questions: Sequence[bytes]) -> dict[bytes, Any]:
        if not self.path.exists():
            return {}
        found: dict[bytes, Any] = {}
        with self._open() as connection:
            for chunk in _chunks(questions):
                marks = ",".join("?" * len(chunk))
                rows = connection.execute(
                    f"SELECT question, {column} FROM {column}s JOIN spaces ON space = id "
                    f"WHERE name = ? AND question IN ({marks})",
                    [space, *chunk],
                )
                found.update(rows.fetchall())
        return found

    def info(self) -> CacheInfo:
        if not self.path.exists():
            return CacheInfo(self.path, 0, 0, {})
        with self._open() as connection:
            spaces: dict[str, int] = dict(
                connection.execute(
                    "SELECT name, COUNT(question) FROM spaces LEFT JOIN (SELECT space, question FROM scores "
                    "UNION ALL SELECT space, question FROM answers) ON space = id GROUP BY name"
                ).fetchall()
            )
        return CacheInfo(self.path, self.path.stat().st_size, sum(spaces.values()), spaces)

    def clear(self) -> None:
        """Deletes everything, even a damaged file."""
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    @staticmethod
    def _number(connection: sqlite3.Connection, space: str) -> int:
        """The number of a space, which it gets if it is new."""
        with connection:
            connection.execute("INSERT OR IGNORE INTO spaces (name) VALUES (?)", [space])
        [[number]] = connection.execute("SELECT id FROM spaces WHERE name = ?", [space]).fetchall()
        return int(number)

    @contextmanager
    def _open(self, *, shared: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection; one that is shared may be used by several threads."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=60, check_same_thread=not shared)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(_SCHEMA)
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise CounterpoiseError(
                f"the cache {self.path} cannot be used ({error}); "
                "clear it with `counterpoise cache clear`, or go on without it with --no-cache"
            ) from error


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
        path: sum(file.stat().st_size for file in [path, *path.rglob("*")] if file.is_file())
        for path in paths
        if not path.name.startswith(".") and path.suffix in ("", ".json")
    }


def cache_folder() -> Path:
    """`COUNTERPOISE_CACHE`, or the folder for caches that the operating system gives to applications."""
    if folder := os.environ.get("COUNTERPOISE_CACHE"):
        return Path(folder)
    return user_cache_path("counterpoise", appauthor=False, opinion=False)


def _chunks(questions: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    return (questions[i : i + _AT_ONCE] for i in range(0, len(questions), _AT_ONCE))

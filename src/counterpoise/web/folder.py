"""The folder that is served: which runs are in it, and reading them without ever leaving it.

A run is asked for by its id, which is looked up among the runs that were found; no path comes from a request. Every
file is followed to where it really is before it is read, and what lies outside the folder is not.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterpoise.audit.reading import finished_results
from counterpoise.audit.run import Run
from counterpoise.core.errors import RunError
from counterpoise.measures.base.result import Result
from counterpoise.web import limits

_FRESH = 1.0  # seconds for which a list of runs is taken to be true
_KEPT = 4  # runs read whole
_PLAIN_NAME = re.compile(r"\w[\w.-]*")

Opened = tuple[Run, list[Result]]
Stamp = tuple[tuple[str, int, int], ...]


class NotFound(RunError):
    """There is no such run, measure or page."""


@dataclass(frozen=True)
class RunEntry:
    """A run in the list; `problem` says what is wrong with a damaged one."""

    id: str
    path: str  # below the folder that is served
    folder: Path
    model: str = ""
    measures: tuple[str, ...] = ()
    variant: str = ""
    started: str = ""
    finished: bool = False
    problem: str = ""

    def matches(self, words: str) -> bool:
        """Whether all of the words stand somewhere in what the list shows.

        >>> RunEntry("a-1", "a", Path("a"), model="bert", measures=("ppd",)).matches("PPD bert")
        True
        """
        shown = " ".join((self.path, self.model, *self.measures, self.variant, self.started)).lower()
        return all(word in shown for word in words.lower().split())


class RunFolder:
    """The runs of a folder and those below it; folders that are links are not followed."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).expanduser().resolve()
        self._lock = threading.Lock()
        self._entries: dict[str, RunEntry] = {}
        self._listed = -float("inf")
        self._opened: dict[tuple[str, Stamp], Opened] = {}

    def entries(self) -> list[RunEntry]:
        """All runs, the latest first; damaged ones at the end."""
        with self._lock:
            if time.monotonic() - self._listed > _FRESH:
                found = [self._entry(folder) for folder in self._folders()]
                found.sort(key=lambda one: (not one.problem, one.started, one.path), reverse=True)
                self._entries = {one.id: one for one in found}
                self._listed = time.monotonic()
            return list(self._entries.values())

    def entry(self, id: str) -> RunEntry:
        """The run of that id; one that is damaged, or not there, is an error."""
        found = {one.id: one for one in self.entries()}.get(id)
        if found is None:
            raise NotFound(f"there is no run {id[:80]!r} in this folder")
        if found.problem:
            raise RunError(f"the run {found.path} is damaged: {found.problem}")
        return found

    def open(self, id: str) -> Opened:
        """A run and its results; kept in memory until its files change."""
        entry = self.entry(id)
        run = Run.read(entry.folder)
        stamp = self._stamp(run)
        with self._lock:
            if (id, stamp) in self._opened:
                self._opened[id, stamp] = self._opened.pop((id, stamp))  # the latest last
                return self._opened[id, stamp]
        opened = run, finished_results(run)
        with self._lock:
            self._opened = {key: value for key, value in self._opened.items() if key[0] != id}
            self._opened[id, stamp] = opened
            while len(self._opened) > _KEPT:
                del self._opened[next(iter(self._opened))]
        return opened

    def stamp(self, id: str) -> Stamp:
        """What changes when a run does."""
        return self._stamp(Run.read(self.entry(id).folder))

    def scores(self, id: str, measure: str) -> Path:
        """The file with the items of a measure."""
        entry = self.entry(id)
        if measure not in entry.measures:
            raise NotFound(f"the run {entry.path} has no measure {measure[:80]!r}")
        return self.inside(entry.folder / "scores" / f"{measure}.parquet", limits.TABLE)

    def inside(self, path: Path, largest: int = limits.FILE) -> Path:
        """Where a file really is; an error if that is not in the folder, or no file, or too large."""
        real = path.resolve()
        if not real.is_relative_to(self.root):
            raise RunError(f"{path.name} leads out of the folder")
        if not real.is_file():
            raise RunError(f"{path.name} is missing")
        if real.stat().st_size > largest:
            raise RunError(f"{path.name} has more than {largest >> 20} MB")
        return real

    def _folders(self) -> Iterator[Path]:
        """Folders with a manifest; what lies below one of them belongs to it."""
        found, waiting = 0, [(self.root, 0)]
        while waiting and found < limits.RUNS:
            folder, depth = waiting.pop(0)
            try:
                with os.scandir(folder) as inside:
                    entries = sorted(inside, key=lambda one: one.name)
            except OSError:
                continue
            if any(one.name == "manifest.json" for one in entries):
                found += 1
                yield folder
            elif depth < limits.DEPTH:
                below = [one for one in entries if one.is_dir(follow_symlinks=False) and one.name[0] != "."]
                waiting += [(Path(one.path), depth + 1) for one in below]

    def _entry(self, folder: Path) -> RunEntry:
        path = folder.relative_to(self.root).as_posix() if folder != self.root else folder.name
        path = path.encode("utf-8", "replace").decode()
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", path).strip("-.")[-60:] or "run"
        entry = RunEntry(
            f"{slug}-{hashlib.blake2b(os.fsencode(folder), digest_size=4).hexdigest()}", path, folder
        )
        try:
            self.inside(folder / "manifest.json")
            run = Run.read(folder)
            self._stamp(run)
            options = run.manifest["options"]
            return RunEntry(
                entry.id,
                path,
                folder,
                model=str(options["model"]),
                measures=tuple(run.done),
                variant=str(options["variant"]),
                started=str(run.manifest["started"]),
                finished=run.is_complete,
            )
        except RunError as error:
            problem = str(error).replace(f"{self.root}{os.sep}", "")
        except (AttributeError, KeyError, TypeError, ValueError, OSError, RecursionError) as error:
            problem = f"its manifest cannot be understood ({type(error).__name__})"
        return RunEntry(entry.id, path, folder, problem=problem)

    def _stamp(self, run: Run) -> Stamp:
        """Every file of a run that is read, checked, with its size and time of change."""
        names: Sequence[str] = [name for name in run.done if isinstance(name, str)]
        for name in names:
            if not _PLAIN_NAME.fullmatch(name):
                raise RunError(f"{name[:40]!r} is no name of a measure")
        of_results = ["summary.json", "skipped.parquet"] if names else []
        files = ["manifest.json", *of_results, *(f"scores/{name}.parquet" for name in names)]
        found = []
        for name in files:
            path = self.inside(run.folder / name, limits.TABLE)
            if path.suffix == ".parquet" and not _is_parquet(path):
                raise RunError(f"{name} is no Parquet file")
            stat = path.stat()
            found.append((name, stat.st_mtime_ns, stat.st_size))
        return tuple(found)


def _is_parquet(path: Path) -> bool:
    """Whether a file begins and ends as such files do; one that was cut short does not."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < 12:
            return False
        begin = file.read(4)
        file.seek(-4, os.SEEK_END)
        return begin == file.read(4) == b"PAR1"

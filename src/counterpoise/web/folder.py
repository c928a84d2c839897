"""The folder that is served: which runs it holds, and reading them without ever leaving it.

A request names a run by its id, which is looked up among the runs in the folder; no path comes from a request. Every
path is resolved before the file is read, and what lies outside the folder is not read.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cachetools import LRUCache

from counterpoise.audit.reading import finished_results
from counterpoise.audit.run import Run
from counterpoise.core.errors import RunError
from counterpoise.core.files import read_json
from counterpoise.core.manifests import CORPUS, is_corpus_manifest
from counterpoise.measures.base.result import Result
from counterpoise.web import limits

AUDIT = "audit"

_FRESH = 1.0  # seconds for which a list of runs is used again
_CACHED_RUNS = 4
_PLAIN_NAME = re.compile(r"\w[\w.-]*")

Opened = tuple[Run, list[Result]]
Stamp = tuple[tuple[str, int, int], ...]


class NotFound(RunError):
    """There is no such run, measure or page."""


@dataclass(frozen=True)
class RunEntry:
    """A run in the list; `problem` says what is wrong with a damaged one.

    `kind` is "audit", or "corpus" for what `counterpoise corpus` measured; that has `corpora` and a leading `fact`
    instead of a model and measures.
    """

    id: str
    path: str  # below the folder that is served
    folder: Path
    model: str = ""
    measures: tuple[str, ...] = ()
    variant: str = ""
    started: str = ""
    finished: bool = False
    problem: str = ""
    kind: str = AUDIT
    corpora: tuple[str, ...] = ()
    fact: str = ""

    def matches(self, words: str) -> bool:
        """Whether all of the words occur somewhere in what the list shows.

        >>> RunEntry("a-1", "a", Path("a"), model="bert", measures=("ppd",)).matches("PPD bert")
        True
        """
        of_audit = self.model, *self.measures, self.variant
        shown = " ".join((self.path, self.kind, *of_audit, *self.corpora, self.fact, self.started)).lower()
        return all(word in shown for word in words.lower().split())


class RunFolder:
    """The runs of a folder and those below it; folders that are links are not followed."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).expanduser().resolve()
        self._lock = threading.Lock()
        self._entries: dict[str, RunEntry] = {}
        self._listed = -float("inf")
        self._opened: LRUCache[str, tuple[Stamp, Opened]] = LRUCache(_CACHED_RUNS)

    def entries(self) -> list[RunEntry]:
        """All runs, the latest first; damaged ones at the end."""
        with self._lock:
            if time.monotonic() - self._listed > _FRESH:
                entries = [self._entry(folder) for folder in self._folders()]
                entries.sort(key=lambda entry: (not entry.problem, entry.started, entry.path), reverse=True)
                self._entries = {entry.id: entry for entry in entries}
                self._listed = time.monotonic()
            return list(self._entries.values())

    def entry(self, run_id: str) -> RunEntry:
        """The run with that id; an error if there is none, or if it is damaged."""
        entry = next((entry for entry in self.entries() if entry.id == run_id), None)
        if entry is None:
            raise NotFound(f"there is no run {run_id[:80]!r} in this folder")
        if entry.problem:
            raise RunError(f"the run {entry.path} is damaged: {entry.problem}")
        return entry

    def open(self, run_id: str) -> Opened:
        """A run and its results; cached until its files change."""
        run = Run.read(self._audit(run_id).folder)
        stamp = self._stamp(run)
        with self._lock:
            if run_id in self._opened and self._opened[run_id][0] == stamp:
                return self._opened[run_id][1]
        opened = run, finished_results(run)
        with self._lock:
            self._opened[run_id] = stamp, opened
        return opened

    def stamp(self, run_id: str) -> Stamp:
        """Changes whenever the run does."""
        return self._stamp(Run.read(self._audit(run_id).folder))

    def corpus_summary(self, run_id: str) -> dict[str, Any]:
        """What summary.json holds of a measured corpus."""
        return self._summary(self.entry(run_id).folder)

    def scores(self, run_id: str, measure: str) -> Path:
        """The file with the items of a measure."""
        entry = self.entry(run_id)
        if measure not in entry.measures:
            raise NotFound(f"the run {entry.path} has no measure {measure[:80]!r}")
        return self.inside(entry.folder / "scores" / f"{measure}.parquet", limits.TABLE)

    def inside(self, path: Path, largest: int = limits.FILE) -> Path:
        """The resolved path of a file; an error if it is outside the folder, not a file, or too large."""
        real = path.resolve()
        if not real.is_relative_to(self.root):
            raise RunError(f"{path.name} leads out of the folder")
        if not real.is_file():
            raise RunError(f"{path.name} is missing")
        if real.stat().st_size > largest:
            raise RunError(f"{path.name} has more than {largest >> 20} MB")
        return real

    def _audit(self, run_id: str) -> RunEntry:
        entry = self.entry(run_id)
        if entry.kind != AUDIT:
            raise RunError(f"{entry.path} is a measured corpus, not an audit")
        return entry

    def _folders(self) -> Iterator[Path]:
        """Folders with a manifest; whatever is below one of them belongs to it."""
        count, waiting = 0, [(self.root, 0)]
        while waiting and count < limits.RUNS:
            folder, depth = waiting.pop(0)
            try:
                with os.scandir(folder) as inside:
                    files = sorted(inside, key=lambda file: file.name)
            except OSError:
                continue
            if any(file.name == "manifest.json" for file in files):
                count += 1
                yield folder
            elif depth < limits.DEPTH:
                below = [file for file in files if file.is_dir(follow_symlinks=False) and file.name[0] != "."]
                waiting += [(Path(file.path), depth + 1) for file in below]

    def _entry(self, folder: Path) -> RunEntry:
        path = folder.relative_to(self.root).as_posix() if folder != self.root else folder.name
        path = path.encode("utf-8", "replace").decode()
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", path).strip("-.")[-60:] or "run"
        entry = RunEntry(
            f"{slug}-{hashlib.blake2b(os.fsencode(folder), digest_size=4).hexdigest()}", path, folder
        )
        try:
            manifest = read_json(self.inside(folder / "manifest.json"))
            if is_corpus_manifest(manifest):
                return self._corpus_entry(entry, manifest)
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

    def _corpus_entry(self, entry: RunEntry, manifest: dict[str, Any]) -> RunEntry:
        self.inside(entry.folder / "report.html")
        summary = self._summary(entry.folder)
        names = [str(corpus["name"]) for corpus in summary.get("corpora", [])]
        facts: dict[str, str] = {}
        for finding in summary.get(
            "findings", []
        ):  # the first of each corpus leads; a model alone has no corpora
            if finding["corpus"] in names or not names:
                facts.setdefault(str(finding["corpus"]), str(finding["fact"]))
        return replace(
            entry,
            kind=CORPUS,
            corpora=tuple(names or map(str, manifest["corpora"])),
            fact=" ".join(f"{name}: {fact}" if len(facts) > 1 else fact for name, fact in facts.items()),
            started=str(manifest.get("finished", "")),
            finished=True,
        )

    def _summary(self, folder: Path) -> dict[str, Any]:
        summary = read_json(self.inside(folder / "summary.json"))
        if not isinstance(summary, dict) or "schema" not in summary:
            raise RunError("summary.json is damaged")
        return summary

    def _stamp(self, run: Run) -> Stamp:
        """The time of change and the size of every file of a run that is read; all of them are checked."""
        names: Sequence[str] = [name for name in run.done if isinstance(name, str)]
        for name in names:
            if not _PLAIN_NAME.fullmatch(name):
                raise RunError(f"{name[:40]!r} is no name of a measure")
        of_results = ["summary.json", "skipped.parquet"] if names else []
        stamp = []
        for name in ["manifest.json", *of_results, *(f"scores/{name}.parquet" for name in names)]:
            path = self.inside(run.folder / name, limits.TABLE)
            if path.suffix == ".parquet" and not _is_parquet(path):
                raise RunError(f"{name} is no Parquet file")
            stat = path.stat()
            stamp.append((name, stat.st_mtime_ns, stat.st_size))
        return tuple(stamp)


def _is_parquet(path: Path) -> bool:
    """Whether a file begins and ends like a Parquet file; one that was cut short does not."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < 12:
            return False
        begin = file.read(4)
        file.seek(-4, os.SEEK_END)
        return begin == file.read(4) == b"PAR1"

"""The folder that is served: which runs it holds, and reading them without ever leaving it.

A request names a run by its id, which is looked up among the runs in the folder; no path comes from a request.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cachetools import LRUCache

from counterpoise.audit.reading import finished_results
from counterpoise.audit.run import Run
from counterpoise.core.errors import CounterpoiseError, RunError
from counterpoise.measures.base.result import Result
from counterpoise.web import limits
from counterpoise.web.kinds.audits import AUDIT, audit_stamp, check_items
from counterpoise.web.kinds.base import RunEntry, RunKind, one_line
from counterpoise.web.kinds.registry import KINDS, MARKERS
from counterpoise.web.safe_files import SafeFiles, Stamp, stamp_of

_FRESH = 1.0  # seconds for which a list of runs is used again
_CACHED_RUNS = 4

Opened = tuple[Run, list[Result]]


class NotFound(RunError):
    """There is no such run, measure or page."""


class RunFolder:
    """The runs of a folder and those below it; folders that are links are not followed."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).expanduser().resolve()
        self.files = SafeFiles(self.root)
        self._lock = threading.Lock()
        self._entries: dict[str, RunEntry] = {}
        self._listed = -float("inf")
        self._opened: LRUCache[str, tuple[Stamp, Opened]] = LRUCache(_CACHED_RUNS)
        self._described: LRUCache[Path, tuple[Stamp, RunEntry]] = LRUCache(limits.RUNS)

    def entries(self) -> list[RunEntry]:
        """All runs, the latest first; damaged ones at the end."""
        with self._lock:
            if time.monotonic() - self._listed > _FRESH:
                entries = [self._entry(folder, marker) for folder, marker in self._folders()]
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
        """An audit and its results; cached until its files change."""
        run = Run.read(self._audit(run_id).folder)
        stamp = audit_stamp(self.files, run)
        with self._lock:
            if run_id in self._opened and self._opened[run_id][0] == stamp:
                return self._opened[run_id][1]
        check_items(self.files, run)
        opened = run, finished_results(run)
        with self._lock:
            self._opened[run_id] = stamp, opened
        return opened

    def summaries(self, run_id: str) -> Opened:
        """An audit and its results without their items, which is quick."""
        run = Run.read(self._audit(run_id).folder)
        audit_stamp(self.files, run)
        return run, finished_results(run, with_items=False)

    def stamp(self, run_id: str) -> Stamp:
        """Changes whenever the audit does."""
        return audit_stamp(self.files, Run.read(self._audit(run_id).folder))

    def table(self, run_id: str, name: str) -> Path:
        """The file of a table of a run, such as the items of a measure."""
        entry = self.entry(run_id)
        if name not in entry.tables:
            what = "measure" if entry.kind == AUDIT.name else "table"
            raise NotFound(f"the run {entry.path} has no {what} {name[:80]!r}")
        return self.files.inside(entry.folder / entry.tables[name], limits.TABLE)

    def page(self, run_id: str) -> str | None:
        """The page that came with a run and is not older than it; None if it must be made anew, or there is none."""
        entry = self.entry(run_id)
        kind = KINDS[entry.kind]
        path = entry.folder / kind.page
        if not self.files.has(path):
            return None
        written = self.files.inside(path).stat().st_mtime
        is_old = written < (entry.folder / kind.marker).stat().st_mtime
        return None if is_old and kind.render is not None else self.files.text(path)

    def _audit(self, run_id: str) -> RunEntry:
        entry = self.entry(run_id)
        if entry.kind != AUDIT.name:
            raise RunError(f"{entry.path} is no audit but a run of another kind: {entry.kind}")
        return entry

    def _folders(self) -> Iterator[tuple[Path, str]]:
        """Folders with the marker of a run; what is below one of them belongs to it, unless it holds other runs."""
        count, waiting = 0, [(self.root, 0)]
        while waiting and count < limits.RUNS:
            folder, depth = waiting.pop(0)
            try:
                with os.scandir(folder) as inside:
                    files = sorted(inside, key=lambda file: file.name)
            except OSError:
                continue
            names = {file.name for file in files}
            marker = next((marker for marker in MARKERS if marker in names), None)
            if marker is not None:
                count += 1
                yield folder, marker
            if depth < limits.DEPTH and (marker is None or _holds_runs(marker)):
                below = [file for file in files if file.is_dir(follow_symlinks=False) and file.name[0] != "."]
                waiting += [(Path(file.path), depth + 1) for file in below]

    def _entry(self, folder: Path, marker: str) -> RunEntry:
        path = folder.relative_to(self.root).as_posix() if folder != self.root else folder.name
        path = path.encode("utf-8", "replace").decode()
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", path).strip("-.")[-60:] or "run"
        number = hashlib.blake2b(os.fsencode(folder), digest_size=4).hexdigest()
        entry = RunEntry(f"{slug}-{number}", path, folder)
        try:
            return self._described_entry(entry, marker)
        except CounterpoiseError as error:
            problem = self.files.without_root(str(error))
        except (AttributeError, KeyError, TypeError, ValueError, OSError, RecursionError) as error:
            problem = f"its {marker} cannot be understood ({type(error).__name__})"
        kinds = [kind.name for kind in KINDS.values() if kind.marker == marker]
        return replace(
            entry, kind=kinds[0] if len(kinds) == 1 else "", finished=False, problem=one_line(problem)
        )

    def _described_entry(self, entry: RunEntry, marker: str) -> RunEntry:
        cached = self._described.get(entry.folder)
        if cached is not None:
            stamp, described = cached
            if stamp == stamp_of(entry.folder, KINDS[described.kind].depends_on):
                return described
        content = self.files.json(entry.folder / marker)
        kind = next(kind for kind in KINDS.values() if kind.marker == marker and kind.accepts(content))
        stamp = stamp_of(entry.folder, kind.depends_on)
        described = kind.describe(self.files, replace(entry, kind=kind.name), content)
        if kind.depends_on:
            self._described[entry.folder] = stamp, described
        return described


def _holds_runs(marker: str) -> bool:
    kinds: list[RunKind] = [kind for kind in KINDS.values() if kind.marker == marker]
    return all(kind.holds_runs for kind in kinds)

"""Weights that --drop-models deletes: those that a step declares, once no cell is left that needs them.

A cell without its weights stays done. It is marked with `dropped.json` before the first file goes, so that an
interruption leaves no half of a model that could be taken for one; the rest is deleted by the next run. Where a cell is
to be computed that needs dropped weights, the cell that had them is computed again first.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Mapping, Set
from pathlib import Path

from counterpoise.core.files import read_json, write_json
from counterpoise.studies.engine.execution import DROPPED, is_dropped
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.store import Store


class Weights:
    """The weights in a study's folder."""

    def __init__(self, store: Store, cells: Mapping[str, PlannedCell]) -> None:
        self._store = store
        self._cells = cells

    def delete_marked(self) -> None:
        """Ends deletions that were interrupted."""
        for cell in self._keeping():
            if is_dropped(self._store.place(cell)):
                self._delete(cell)

    def drop(self, done: Iterable[str]) -> int:
        """Deletes the weights that may go once these cells are done; returns their bytes."""
        return sum(map(self._drop, self.droppable(done)))

    def droppable(self, done: Iterable[str]) -> list[PlannedCell]:
        """The cells among those done whose weights no cell without a result needs."""
        done = set(done)
        needed = {need for key, cell in self._cells.items() if key not in done for need in cell.needed_keys}
        return [cell for cell in self._keeping() if cell.key in done and cell.key not in needed]

    def kept(self, keys: Set[str] | None = None) -> int:
        """The bytes of weights that are there, of these cells or of all."""
        cells = [cell for cell in self._keeping() if keys is None or cell.key in keys]
        return sum(folder_bytes(path) for cell in cells for path in self._paths(cell))

    def dropped(self) -> tuple[int, int]:
        """How many cells have lost their weights, and of how many bytes."""
        marks = [self._store.place(cell) / DROPPED for cell in self._keeping()]
        sizes = [int(read_json(mark)["bytes"]) for mark in marks if mark.is_file()]
        return len(sizes), sum(sizes)

    def to_restore(self, waiting: Iterable[str]) -> dict[str, str]:
        """The done cells that must be computed again, each with a cell that needs its weights."""
        restored: dict[str, str] = {}
        pending = list(waiting)
        while pending:
            key = pending.pop()
            for need in self._cells[key].needed_keys:
                if need not in restored and is_dropped(self._store.place(self._cells[need])):
                    restored[need] = key
                    pending.append(need)
        return restored

    def _keeping(self) -> list[PlannedCell]:
        return [cell for cell in self._cells.values() if self._store.study.steps[cell.step].weights]

    def _paths(self, cell: PlannedCell) -> list[Path]:
        files = self._store.place(cell) / "files"
        paths = [files / name for name in self._store.study.steps[cell.step].weights]
        return [path for path in paths if path.exists()]

    def _drop(self, cell: PlannedCell) -> int:
        size = sum(map(folder_bytes, self._paths(cell)))
        if size == 0:
            return 0
        write_json(
            self._store.place(cell) / DROPPED,
            {"bytes": size, "dropped": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())},
        )
        self._delete(cell)
        return size

    def _delete(self, cell: PlannedCell) -> None:
        for path in self._paths(cell):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):  # what cannot be deleted is tried again by the next run
                path.unlink(missing_ok=True)


def folder_bytes(path: Path) -> int:
    """The bytes of a file, or of all files in a folder, which a runner may be at work in."""
    # Unlike rglob, walk passes over folders that are gone.
    inside = (Path(root) / name for root, _, names in os.walk(path) for name in names)
    size = 0
    for file in [path] if path.is_file() else inside:
        with contextlib.suppress(FileNotFoundError):
            size += file.stat().st_size
    return size

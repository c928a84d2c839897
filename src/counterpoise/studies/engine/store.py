"""A study's folder: its definition, its cells, its table. One study to a folder, one runner at a time.

    study.json                   the study as it was run, with versions and times
    cells/STEP/CELL/             the cells (see execution.py)
    table.parquet, table.csv     all rows of the finished cells

What else is in it was written by the study's own `gather`.
"""

from __future__ import annotations

import datetime
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from counterpoise.core.errors import RunError
from counterpoise.core.files import make_folder, make_inner_folder, read_json, write_json
from counterpoise.core.locks import locked
from counterpoise.core.version import __version__
from counterpoise.studies.engine.grid import PlannedCell, plan
from counterpoise.studies.engine.study import Study, check_study

SCHEMA = 1


@dataclass(frozen=True)
class Store:
    """An open folder, with the study that it holds."""

    folder: Path
    study: Study
    version: str  # of Counterpoise, with which the cells were made

    @classmethod
    @contextmanager
    def open(cls, folder: str | Path, study: Study, accept_changes: bool = False) -> Iterator[Store]:
        """Starts a study or resumes it; a folder that holds something else, or another study, is refused."""
        folder = Path(folder).expanduser()
        _check_folder(folder)
        _make_folder(folder)
        with locked(folder):
            for leftover in folder.glob("cells/*/.*.part"):  # of a worker that was killed
                shutil.rmtree(leftover, ignore_errors=True)
            if (folder / "study.json").exists():
                cls.read(folder)._admit(study, accept_changes)
            store = cls(folder, study, __version__)
            store._save()
            yield store

    @classmethod
    def preview(cls, folder: str | Path, study: Study, accept_changes: bool = False) -> Store:
        """The store that `open` would open, with the same refusals; nothing is written, and no folder need be there."""
        folder = Path(folder).expanduser()
        _check_folder(folder)
        if (folder / "study.json").exists():
            cls.read(folder)._admit(study, accept_changes)
        return cls(folder, study, __version__)

    @classmethod
    def read(cls, folder: str | Path) -> Store:
        """Opens a folder to read it, also while a runner is at work in it."""
        folder = Path(folder).expanduser()
        if not (folder / "study.json").is_file():
            raise RunError(f"{folder} is not a study's folder: it has no study.json")
        content = read_json(folder / "study.json")
        if not isinstance(content, dict) or not {"schema", "study", "counterpoise"} <= content.keys():
            raise RunError(f"{folder / 'study.json'} is damaged")
        if content["schema"] != SCHEMA:
            raise RunError(f"{folder} has schema {content['schema']}; this version reads {SCHEMA}")
        return cls(folder, check_study(content["study"], str(folder / "study.json")), content["counterpoise"])

    def plan(self) -> dict[str, PlannedCell]:
        return plan(self.study, self.version)

    def place(self, cell: PlannedCell) -> Path:
        return self.folder / "cells" / cell.step / cell.name

    def record(self, cell: PlannedCell) -> Mapping[str, Any] | None:
        """The content of a finished cell's cell.json; None if it is not finished."""
        path = self.place(cell) / "cell.json"
        return read_json(path) if path.is_file() else None

    def reason(self, cell: PlannedCell) -> tuple[Literal["failed", "left out"], str] | None:
        """Whether a cell failed or was left out, and why, if it was tried and has not been done since."""
        path = self.place(cell) / "missing.json"
        if not path.is_file():
            return None
        content = read_json(path)
        return content["state"], content["reason"]

    def _admit(self, study: Study, accept_changes: bool) -> None:
        if study.name != self.study.name:
            raise RunError(
                f"{self.folder} holds the study {self.study.name!r}, not {study.name!r}; "
                "choose another folder with --out"
            )
        if accept_changes:
            return
        recorded, wanted = self.plan(), {cell.own for cell in plan(study).values()}

        def is_wanted(cell: PlannedCell) -> bool:
            """A study may grow: a mean over seeds that becomes one over more of them is not lost."""
            return cell.own in wanted and all(is_wanted(recorded[need]) for need in cell.needed_keys)

        lost = [cell for cell in recorded.values() if self.record(cell) and not is_wanted(cell)]
        if lost:
            raise RunError(
                f"{self.folder} holds {len(lost)} finished cells (e.g. {lost[0]}) that the study no longer asks for: "
                f"{self._difference(study)}; go on with --accept-changes, which leaves them out of the table, or "
                "choose another folder with --out"
            )

    def _difference(self, study: Study) -> str:
        if self.version != __version__:
            return f"they were made by Counterpoise {self.version}, and this is {__version__}"
        old, new = (_leaves(version.model_dump(mode="json")) for version in (self.study, study))
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name) and not _is_idle(name):
                return f"{name} was {_shown(old.get(name))} and is {_shown(new.get(name))}"
        return "it has changed"

    def _save(self) -> None:
        path = self.folder / "study.json"
        started = read_json(path)["started"] if path.exists() else _now()
        write_json(
            path,
            {
                "schema": SCHEMA,
                "counterpoise": self.version,
                "started": started,
                "continued": _now(),
                "study": self.study.model_dump(mode="json"),
            },
        )


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file; a study needs a folder")
    entries = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    ours = {name for name in entries if name in (".lock", "cells") or name.endswith(".part")}
    if entries - ours and "study.json" not in entries:
        raise RunError(f"{folder} exists and is not a study's; choose another folder with --out")


def _make_folder(folder: Path) -> None:
    make_folder(folder)
    make_inner_folder(folder / "cells")


def _leaves(content: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Nested mappings as one, with names such as settings.epochs."""
    leaves: dict[str, Any] = {}
    for name, value in content.items():
        leaves.update(
            _leaves(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}
        )
    return leaves


def _is_idle(name: str) -> bool:
    """Parts of a study that do not decide the result of any cell."""
    return name.startswith(("title", "scales", "check", "estimate", "gather", "parts")) or name.endswith(
        (".cpus", ".gpus", ".weights")
    )


def _shown(value: Any) -> str:
    return "not there" if value is None else json.dumps(value, ensure_ascii=False)


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")

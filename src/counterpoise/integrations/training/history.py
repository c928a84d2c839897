"""The rows of a bias curve: kept in memory and in a file, and found again where a training resumes."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import InputError
from counterpoise.core.files import make_folder, plain, write_text
from counterpoise.core.notices import notice
from counterpoise.integrations.training.measuring import ROW_COLUMNS

PREFIX = "bias/"
BOUNDS = ("ci_low", "ci_high")
COLUMNS = ["step", "epoch", *ROW_COLUMNS]


class History:
    """The curve of a training. With a file (.csv or .jsonl), `save` writes all of it, whole or not at all."""

    def __init__(self, out: str | Path | None = None) -> None:
        self.out = None if out is None else Path(out).expanduser()
        if self.out is not None and self.out.suffix not in (".csv", ".jsonl"):
            raise InputError(f"out must end in .csv or .jsonl, and is {self.out}")
        self._rows: list[dict[str, Any]] = []

    @property
    def frame(self) -> pd.DataFrame:
        """The curve: a row for each number and step."""
        table = pd.DataFrame(self._rows, columns=COLUMNS)
        # The Trainer's log does not say n; the sample is the same at every step.
        table["n"] = table.groupby(["measure", "key"]).n.transform(lambda n: n.bfill().ffill())
        return table

    @property
    def steps(self) -> set[int]:
        return {row["step"] for row in self._rows}

    def begin(self, step: int, log: Sequence[dict[str, Any]]) -> None:
        """Begins at a step of a training: with what the file, or else the Trainer's log, has of the steps up to it.

        At step 0 a file that is there is of another training, and is renamed.
        """
        self._rows = []
        if self.out is not None and self.out.exists():
            rows = _read(self.out) if step else None
            if rows is None:
                _set_aside(self.out)
            self._rows = [row for row in rows or [] if row["step"] <= step]
        if step and not self._rows:
            self._rows = [row for row in _rows_of_log(log) if row["step"] <= step]

    def add(self, step: int, epoch: float | None, table: pd.DataFrame) -> None:
        """Adds a point to the curve."""
        of_point = table.assign(step=step, epoch=epoch)[COLUMNS]
        self._rows += [plain(row) for row in of_point.to_dict("records")]

    def save(self) -> None:
        """Writes the curve to its file, if it has one."""
        if self.out is None:
            return
        make_folder(self.out.parent)
        if self.out.suffix == ".csv":
            write_text(self.out, self.frame.to_csv(index=False))
        else:
            lines = (json.dumps(row, allow_nan=False) for row in self._rows)
            write_text(self.out, "".join(f"{line}\n" for line in lines))


def to_log(table: pd.DataFrame) -> dict[str, float]:
    """The numbers of a point under the names by which trackers show them; what is not a number is left out.

    >>> to_log(pd.DataFrame([("ppd", "appd", 0.4, 0.3, float("nan"), 9)], columns=ROW_COLUMNS))
    {'bias/ppd.appd': 0.4, 'bias/ppd.appd_ci_low': 0.3}
    """
    logs: dict[str, float] = {}
    for row in table.to_dict("records"):
        name = f"{PREFIX}{row['measure']}.{row['key']}"
        numbers = {name: row["value"], **{f"{name}_{bound}": row[bound] for bound in BOUNDS}}
        logs |= {key: float(number) for key, number in numbers.items() if math.isfinite(number)}
    return logs


def _rows_of_log(log: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that were logged; the Trainer keeps its log in each checkpoint."""
    rows = []
    for entry in log:
        for name, value in entry.items():
            if name.startswith(PREFIX) and not name.endswith(BOUNDS):
                measure, _, key = name.removeprefix(PREFIX).partition(".")
                bounds = {bound: entry.get(f"{name}_{bound}") for bound in BOUNDS}
                row = {"step": entry["step"], "epoch": entry.get("epoch"), "measure": measure, "key": key}
                rows.append({**row, "value": value, **bounds, "n": None})
    return rows


def _read(path: Path) -> list[dict[str, Any]] | None:
    """The rows of a file; None if it is no such file, or is damaged."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".csv":
            rows = pd.read_csv(io.StringIO(text)).to_dict("records")
        else:
            rows = [json.loads(line) for line in text.splitlines()]
        return [plain({column: row[column] for column in COLUMNS}) for row in rows]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _set_aside(path: Path) -> None:
    """Gives a file another name, so that what is in it is not lost."""
    number = 1
    while (other := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    path.rename(other)
    notice(f"{path} is not of this training, and is now {other.name}")

"""All rows of the finished cells in one table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.files import write_aside
from counterpoise.studies.engine.execution import result_rows
from counterpoise.studies.engine.grid import PlannedCell


def gather_rows(
    finished: Iterable[tuple[PlannedCell, Mapping[str, Any]]], factors: Sequence[str]
) -> pd.DataFrame:
    """The rows of finished cells (each with what it returned), with the step and the factors as first columns.

    >>> cells = [(PlannedCell("k", "train", {"seed": 0}, {}, {}), {"accuracy": 0.5})]
    >>> gather_rows(cells, ["seed"]).to_dict("records")
    [{'step': 'train', 'seed': 0, 'accuracy': 0.5}]
    """
    rows: list[dict[Any, Any]] = [
        {"step": cell.step, **cell.factors, **row} for cell, result in finished for row in result_rows(result)
    ]
    table = pd.DataFrame(rows)
    for name in table:
        values = [row[name] for row in rows if row.get(name) is not None]
        if 0 < len(values) < len(rows) and all(type(value) is int for value in values):
            table[name] = table[name].astype("Int64")  # a seed stays 0 where other rows have none
    first = [name for name in ("step", *factors) if name in table]
    return table[[*first, *(name for name in table if name not in first)]]


def write_table(table: pd.DataFrame, folder: Path) -> None:
    """table.parquet and table.csv; a column of mixed or nested values is written as JSON."""
    plain = table.copy()
    for name in plain:
        values = plain[name].dropna()
        if len(set(map(type, values))) > 1 or values.map(lambda value: isinstance(value, list | dict)).any():
            plain[name] = plain[name].map(
                lambda value: value if isinstance(value, str) else json.dumps(value), na_action="ignore"
            )
    with write_aside(folder / "table.parquet") as aside:
        plain.to_parquet(aside, index=False)
    with write_aside(folder / "table.csv") as aside:
        plain.to_csv(aside, index=False)

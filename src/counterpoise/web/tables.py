"""Tables of items: sorted, filtered and cut into pages here, so that a browser only ever gets one page.

Tables are read once and kept until they change or others need the room.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoise.core.errors import InputError, RunError, unknown
from counterpoise.core.files import plain
from counterpoise.web import limits


@dataclass(frozen=True)
class Query:
    """Which rows of a table are wanted, and in which order.

    `text` is looked for in the column, or in all columns of text if none is named; `low` and `high` bound a column of
    numbers.
    """

    text: str = ""
    column: str = ""
    low: float | None = None
    high: float | None = None
    sort: str = ""
    descending: bool = False
    page: int = 1
    size: int = 50


@dataclass(frozen=True)
class Page:
    """One page of a table: `matching` of its `total` rows fit the query."""

    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int
    matching: int
    page: int
    pages: int


class Tables:
    """Tables by file, the latest used kept in memory."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._kept: dict[tuple[Path, int, int], tuple[pd.DataFrame, int]] = {}
        self._lock = threading.Lock()

    def read(self, path: Path) -> pd.DataFrame:
        stat = path.stat()
        key = (path, stat.st_mtime_ns, stat.st_size)
        with self._lock:
            if key in self._kept:
                self._kept[key] = self._kept.pop(key)  # the latest last
                return self._kept[key][0]
        table = _read(path)
        with self._lock:
            self._kept = {other: kept for other, kept in self._kept.items() if other[0] != path}
            self._kept[key] = table, int(table.memory_usage(deep=True).sum())
            while len(self._kept) > 1 and sum(size for _, size in self._kept.values()) > self._most:
                del self._kept[next(iter(self._kept))]
        return table


def _read(path: Path) -> pd.DataFrame:
    """A table with columns of numbers and columns of text, whatever the file holds."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > limits.TABLE:
            raise RunError(f"{path.name} has more than {limits.TABLE >> 20} MB of items")
        table = file.read().to_pandas()
    except (OSError, ValueError, pa.ArrowException) as error:
        raise RunError(f"cannot read {path.name}: {_first_line(error)}") from error
    named: dict[str, pd.Series] = {}
    for place, name in enumerate(map(str, table.columns)):
        column = table.iloc[:, place]
        is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        named[name if name not in named else f"{name} ({place})"] = (
            column if is_number else column.map(str, na_action="ignore").astype("string")
        )
    return pd.DataFrame(named)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def select(table: pd.DataFrame, query: Query) -> Page:
    """The page of a table that was asked for; a page after the last is the last.

    >>> items = pd.DataFrame({"word": ["nurse", "doctor", "nurse"], "ppd": [-0.5, 0.3, -0.7]})
    >>> select(items, Query(text="NURSE", sort="ppd")).rows
    (('nurse', -0.7), ('nurse', -0.5))
    """
    for name in (query.column, query.sort):
        if name and name not in table.columns:
            raise unknown("column", name[:80], table.columns)
    found = table[_matches(table, query)]
    if query.sort:
        order = found[query.sort].sort_values(ascending=not query.descending, kind="stable").index
        found = found.loc[order]
    pages = max(1, -(-len(found) // query.size))
    page = min(query.page, pages)
    shown = found.iloc[(page - 1) * query.size : page * query.size]
    return Page(
        columns=tuple(table.columns),
        numeric=tuple(pd.api.types.is_numeric_dtype(table[name]) for name in table.columns),
        rows=tuple(tuple(map(_cell, row)) for row in shown.itertuples(index=False, name=None)),
        total=len(table),
        matching=len(found),
        page=page,
        pages=pages,
    )


def _matches(table: pd.DataFrame, query: Query) -> np.ndarray:
    matching = np.ones(len(table), dtype=bool)
    texts = [name for name in table.columns if not pd.api.types.is_numeric_dtype(table[name])]
    if query.low is not None or query.high is not None:
        if not query.column or query.column in texts:
            raise InputError("lowest and highest bound a column of numbers; choose one")
        numbers = table[query.column]
        if query.low is not None:
            matching &= (numbers >= query.low).to_numpy(dtype=bool, na_value=False)
        if query.high is not None:
            matching &= (numbers <= query.high).to_numpy(dtype=bool, na_value=False)
    if query.text:
        searched = [query.column] if query.column in texts else texts
        wanted = query.text.lower()
        matching &= np.logical_or.reduce(
            [np.zeros(len(table), dtype=bool)]
            + [
                table[name].str.lower().str.contains(wanted, regex=False).to_numpy(dtype=bool, na_value=False)
                for name in searched
            ]
        )
    return matching


def _cell(value: Any) -> Any:
    """A number, a text or None."""
    return None if value is pd.NA or value is None else plain(value)

"""Tables of items: sorted, filtered and paged on the server, so that a browser only ever gets one page.

Tables are read once and cached until they change or others need the memory.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from cachetools import LRUCache

from counterpoise.core.errors import InputError, unknown
from counterpoise.core.files import plain
from counterpoise.web.bounded_tables import read_bounded


@dataclass(frozen=True)
class TableQuery:
    """Which rows of a table to show, and in which order.

    `text` is searched for in the column, or in all text columns if none is named; `low` and `high` bound a column of
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
class TablePage:
    """One page of a table; `matching` of the table's `total` rows match the query."""

    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int
    matching: int
    page: int
    pages: int


class TableCache:
    """Tables by file; the most recently used ones stay in memory."""

    def __init__(self, max_bytes: int) -> None:
        def size(version_and_table: tuple[tuple[int, int], pd.DataFrame]) -> int:
            # A table that is larger than the whole cache stays in it alone.
            return min(max_bytes, int(version_and_table[1].memory_usage(deep=True).sum()))

        self._tables: LRUCache[Path, tuple[tuple[int, int], pd.DataFrame]] = LRUCache(max_bytes, size)
        self._lock = threading.Lock()

    def read(self, path: Path) -> pd.DataFrame:
        """The table in a file; read again if the file has changed."""
        stat = path.stat()
        version = stat.st_mtime_ns, stat.st_size
        with self._lock:
            if path in self._tables and self._tables[path][0] == version:
                return self._tables[path][1]
        table = _read(path)
        with self._lock:
            self._tables[path] = version, table
        return table


def _read(path: Path) -> pd.DataFrame:
    """A table with columns of numbers and columns of text, whatever the file holds."""
    table = read_bounded(path)
    named: dict[str, pd.Series] = {}
    for place, name in enumerate(map(str, table.columns)):
        column = table.iloc[:, place]
        is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        named[name if name not in named else f"{name} ({place})"] = (
            column if is_number else column.map(str, na_action="ignore").astype("string")
        )
    return pd.DataFrame(named)


def select(table: pd.DataFrame, query: TableQuery) -> TablePage:
    """The page of a table that a query asks for; a page after the last one is the last one.

    >>> items = pd.DataFrame({"word": ["nurse", "doctor", "nurse"], "ppd": [-0.5, 0.3, -0.7]})
    >>> select(items, TableQuery(text="NURSE", sort="ppd")).rows
    (('nurse', -0.7), ('nurse', -0.5))
    """
    for name in (query.column, query.sort):
        if name and name not in table.columns:
            raise unknown("column", name[:80], table.columns)
    matches = table[_matches(table, query)]
    if query.sort:
        order = matches[query.sort].sort_values(ascending=not query.descending, kind="stable").index
        matches = matches.loc[order]
    pages = max(1, -(-len(matches) // query.size))
    page = min(query.page, pages)
    shown = matches.iloc[(page - 1) * query.size : page * query.size]
    return TablePage(
        columns=tuple(table.columns),
        numeric=tuple(pd.api.types.is_numeric_dtype(table[name]) for name in table.columns),
        rows=tuple(tuple(map(_cell, row)) for row in shown.itertuples(index=False, name=None)),
        total=len(table),
        matching=len(matches),
        page=page,
        pages=pages,
    )


def _matches(table: pd.DataFrame, query: TableQuery) -> np.ndarray:
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
        lowered = query.text.lower()
        matching &= np.logical_or.reduce(
            [np.zeros(len(table), dtype=bool)]
            + [
                table[name]
                .str.lower()
                .str.contains(lowered, regex=False)
                .to_numpy(dtype=bool, na_value=False)
                for name in searched
            ]
        )
    return matching


def _cell(value: Any) -> Any:
    """A number, a text or None."""
    return None if value is pd.NA or value is None else plain(value)

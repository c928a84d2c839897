"""Parquet files of unknown origin, read within bounds.

A file of a few kilobytes can claim billions of rows, and one long text that all rows repeat is stored once. So what the
file says of itself is checked before anything is read, and then it is read piece by piece, repeated texts still stored
once, until the pieces exceed what a table may take.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import RunError
from counterpoise.io.unpacked_parquet import open_with_texts_once, sized_batches
from counterpoise.models.sources import first_line
from counterpoise.web import limits


def read_bounded(path: Path) -> pd.DataFrame:
    """The table in a file; one that is too large, or that cannot be read, is an error."""
    import pyarrow as pa

    check_claims(path)
    try:
        file, texts = open_with_texts_once(path)
        batches = list(_bounded_batches(file, path))
        table = pa.Table.from_batches(batches, file.schema_arrow)
        for name in texts:
            place = table.schema.get_field_index(name)
            table = table.set_column(place, name, table.column(place).cast(pa.large_string()))
        frame: pd.DataFrame = table.to_pandas()
    except (OSError, ValueError, pa.ArrowException) as error:
        raise RunError(f"cannot read {path.name}: {first_line(error)}") from error
    return frame


def check_claims(path: Path) -> None:
    """Refuses a file that says itself that it is too large; nothing but its end is read."""
    stat = path.stat()
    problem = _claimed_problem(path, stat.st_mtime_ns, stat.st_size)
    if problem:
        raise RunError(problem)


def check_content(path: Path) -> None:
    """Refuses a file that is too large once it is unpacked, whatever it says of itself."""
    check_claims(path)
    stat = path.stat()
    problem = _content_problem(path, stat.st_mtime_ns, stat.st_size)
    if problem:
        raise RunError(problem)


@lru_cache(maxsize=16 * limits.RUNS)
def _claimed_problem(path: Path, changed: int, size: int) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.ParquetFile(path).metadata
        unpacked = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    except (OSError, ValueError, pa.ArrowException) as error:
        return f"cannot read {path.name}: {first_line(error)}"
    rows, columns = metadata.num_rows, metadata.num_columns
    for count, most, what in (
        (rows, limits.TABLE_ROWS, "rows"),
        (columns, limits.TABLE_COLUMNS, "columns"),
        (rows * columns, limits.TABLE_CELLS, "cells"),
        (unpacked >> 20, limits.TABLE >> 20, "MB of items"),
    ):
        if count > most:
            return f"{path.name} has {count:,} {what}, and {most:,} are the most"
    return ""


@lru_cache(maxsize=limits.RUNS)
def _content_problem(path: Path, changed: int, size: int) -> str:
    import pyarrow as pa

    try:
        file, _ = open_with_texts_once(path)
        for _ in _bounded_batches(file, path):
            pass
    except RunError as error:
        return str(error)
    except (OSError, ValueError, pa.ArrowException) as error:
        return f"cannot read {path.name}: {first_line(error)}"
    return ""


def _bounded_batches(file: Any, path: Path) -> Iterator[Any]:
    total = 0
    for batch, size in sized_batches(file):
        total += size
        if total > limits.TABLE:
            raise RunError(f"{path.name} has more than {limits.TABLE >> 20} MB of items")
        yield batch

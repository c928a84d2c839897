"""A user's own table: CSV, TSV, JSONL or Parquet, read as it was written, or what the `datasets` library reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.limits import TABLE, check_regular
from counterpoise.io.dataset_sources import DatasetSource, dataset_source
from counterpoise.io.unpacked_parquet import takes_more_than

UserTable = str | Path | DatasetSource  # a file, a folder that `datasets` reads, or hf:NAME


def read_user_table(table: UserTable, what: str) -> pd.DataFrame:
    """All columns of a table; `what` it has ("pairs") is for the error. A cell may be the text "None" or "NA"."""
    if source := dataset_source(table):
        return source.table.frame
    path = Path(str(table))
    if path.suffix.lower() not in _READERS:
        raise DataError(f"{path}: {what} are read from files that end in {', '.join(TABLE_SUFFIXES)}")
    check_regular(path)
    try:
        if _is_too_large(path):
            raise DataError(TABLE.exceeded(path))
        return _READERS[path.suffix.lower()](path)
    except pd.errors.EmptyDataError:
        raise DataError(f"{path} is empty") from None
    except DataError:
        raise
    except Exception as error:  # pandas, pyarrow and json raise many kinds for damaged files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"cannot read {path}: {reason}") from error


def table_name(table: UserTable) -> str:
    """What a table is called in results.

    >>> table_name("data/own.csv"), table_name("hf:lab/bios:test")
    ('own.csv', 'lab/bios')
    """
    source = dataset_source(table)
    return source.short_name if source else Path(str(table)).name


def _is_too_large(path: Path) -> bool:
    if path.suffix.lower() == ".parquet":
        return takes_more_than(path, TABLE.bytes)
    return path.stat().st_size > TABLE.bytes


def _read_delimited(path: Path, separator: str) -> pd.DataFrame:
    # utf-8-sig, since spreadsheets write a byte order mark.
    table = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    if not isinstance(table.index, pd.RangeIndex):  # pandas takes surplus fields for row names
        raise ValueError("the rows have more fields than the header; put sentences with a comma in quotes")
    return table


def _read_jsonl(path: Path) -> pd.DataFrame:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
        if line.strip():
            try:
                rows.append(dict(json.loads(line)))
            except (ValueError, TypeError, RecursionError):
                raise ValueError(f"line {number} is not a JSON object") from None
    return pd.DataFrame(rows)


_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": lambda path: _read_delimited(path, ","),
    ".tsv": lambda path: _read_delimited(path, "\t"),
    ".jsonl": _read_jsonl,
    ".parquet": pd.read_parquet,
}
TABLE_SUFFIXES = tuple(_READERS)

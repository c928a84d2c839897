"""Third-party tables: read as text, and checked before anyone relies on them."""

from __future__ import annotations

import csv
import lzma
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from counterpoise.core.errors import DataError

# What pandas and the decompressors raise for damaged files.
_DAMAGED = (OSError, EOFError, ValueError, lzma.LZMAError, zipfile.BadZipFile, zlib.error)


def read_table(
    path: Path, columns: Sequence[str], *, separator: str = ",", quoted: bool = True, header: bool = True
) -> pd.DataFrame:
    """The named columns of a delimited file, also compressed, all as text; an empty cell is "" and "NA" is "NA".

    Without a header the columns are named by position.
    """
    try:
        table = pd.read_csv(
            path,
            sep=separator,
            dtype=str,
            keep_default_na=False,
            encoding="utf-8-sig",
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
            header=0 if header else None,
            names=None if header else list(columns),
        )
    except pd.errors.EmptyDataError:
        raise DataError(f"{path} is empty") from None
    except _DAMAGED as error:
        raise DataError(f"cannot read {path}: {' '.join(str(error).split())}") from error
    missing = [column for column in columns if column not in table.columns]
    if missing:
        present = ", ".join(map(str, table.columns))
        raise DataError(
            f"{path} has no column {missing[0]!r} (there are: {present}); is it the published file?"
        )
    if table.empty:
        raise DataError(f"{path} has no rows")
    return table[list(columns)]


def read_lines(path: Path) -> list[str]:
    """The lines of a text file, without their ends."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path}: {error}") from error


def whole_numbers(table: pd.DataFrame, column: str, path: Path) -> pd.Series:
    """A column of whole numbers; a cell that is none is named with its row."""
    is_number = table[column].str.fullmatch(r"\d+")
    if not is_number.all():
        row = int((~is_number).argmax())
        raise DataError(f"{path}: {column} of row {row + 1} is no whole number: {table[column].iloc[row]!r}")
    return table[column].astype("int64")


def numbers(table: pd.DataFrame, column: str, path: Path) -> pd.Series:
    """A column of numbers; a cell that is none is named with its row."""
    values = []
    for row, cell in enumerate(table[column], start=1):
        try:
            values.append(float(cell))
        except ValueError as error:
            raise DataError(f"{path}: {column} of row {row}: {error}") from error
    return pd.Series(values, index=table.index, dtype="float64")


def not_empty(table: pd.DataFrame, column: str, path: Path) -> pd.Series:
    """A column without empty cells."""
    is_empty = table[column].str.strip() == ""
    if is_empty.any():
        raise DataError(f"{path}: {column} of row {int(is_empty.argmax()) + 1} is empty")
    return table[column]


def one_of(table: pd.DataFrame, column: str, allowed: Sequence[str], path: Path) -> pd.Series:
    """A column with these values only."""
    is_allowed = table[column].isin(allowed)
    if not is_allowed.all():
        row = int((~is_allowed).argmax())
        raise DataError(
            f"{path}: {column} of row {row + 1} is {table[column].iloc[row]!r}, not one of {', '.join(allowed)}"
        )
    return table[column]

"""Bounds on what `datasets` is let read: files before it opens them, and rows as they come."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.limits import DOWNLOAD, TABLE, check_regular
from counterpoise.io.unpacked_parquet import takes_more_than

MOST_FILES = 1_000  # `datasets` looks through a folder for each of its many patterns
_ROWS = 1024
_BYTES_OF_A_CELL = 16  # the least that one takes in pandas
_PACKED = (
    ".gz",
    ".bz2",
    ".xz",
    ".zst",
    ".lz4",
    ".zip",
    ".7z",
    ".tar",
)  # how much comes out is not known before


def check_number_of_files(source: object, folder: Path) -> None:
    """Raises an error if a folder, with those below it, holds too many files to be looked through for a dataset."""
    files = 0
    for _, folders, names in os.walk(folder):
        files += len(folders) + len(names)
        if files > MOST_FILES:
            raise DataError(f"{source}: there are more than {MOST_FILES:,} files in {folder}; name one file")


def check_local_files(source: object, files: Sequence[str]) -> None:
    """Raises an error unless these are ordinary files that unpack to no more than a table may have."""
    total = 0
    for name in files:
        path = Path(name)
        if "://" in name:
            raise DataError(f"{source}: its README.md names a file elsewhere, {name}")
        if path.suffix.lower() in _PACKED:
            raise DataError(f"{source}: {path.name} is compressed; unpack it first")
        check_regular(path)
        if path.suffix.lower() == ".parquet" and takes_more_than(path, TABLE.bytes):
            raise DataError(TABLE.exceeded(path))
        total += path.stat().st_size
    if total > TABLE.bytes:
        raise DataError(TABLE.exceeded(source))


def check_sizes(source: object, files: Mapping[Any, Sequence[str]], split: str) -> None:
    """Raises an error if the files of a dataset of the hub are larger than may be downloaded or read."""
    from fsspec.core import url_to_fs

    sizes = {
        str(name): sum(int(system.size(path) or 0) for system, path in map(url_to_fs, urls))
        for name, urls in files.items()
    }
    if sum(sizes.values()) > DOWNLOAD.bytes:
        raise DataError(DOWNLOAD.exceeded(source))
    if sizes[split] > TABLE.bytes:
        raise DataError(TABLE.exceeded(source))


def bounded_frame(source: object, dataset: Any, features: Mapping[str, Any] | None) -> pd.DataFrame:
    """The columns of texts, numbers and truth values of a split; labels that have names by these."""
    import pyarrow as pa

    total, tables = 0, []
    for batch in dataset.with_format("arrow").iter(_ROWS):
        plain = batch.select([field.name for field in batch.schema if _is_plain(field.type)])
        total += max(plain.nbytes, plain.num_rows * plain.num_columns * _BYTES_OF_A_CELL)
        if total > TABLE.bytes:
            raise DataError(TABLE.exceeded(source))
        tables.append(plain)
    if not tables:
        raise DataError(f"{source} is empty")
    frame: pd.DataFrame = pa.concat_tables(tables, promote_options="permissive").to_pandas()
    for name, feature in (features or {}).items():
        if name in frame and (names := getattr(feature, "names", None)):
            frame[name] = [names[int(n)] if n == n and 0 <= n < len(names) else None for n in frame[name]]
    return frame


def _is_plain(kind: Any) -> bool:
    import pyarrow.types as types

    checks = (types.is_string, types.is_large_string, types.is_integer, types.is_floating, types.is_boolean)
    return any(check(kind) for check in checks)

"""How large a Parquet table is once it is read, found out without reading it whole.

A file of a few kilobytes can claim billions of rows, and one long text that all rows repeat is stored once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROWS_AT_ONCE = 65_536
_BYTES_OF_A_CELL = (
    16  # the least that one takes while a table is read: in Arrow's memory, and in that of pandas
)


def takes_more_than(path: Path, most: int) -> bool:
    """Whether a table needs more bytes than that, every repetition counted; nothing is read beyond them."""
    import pyarrow.parquet as pq

    about = pq.read_metadata(path)
    claimed = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    if max(claimed, about.num_rows * about.num_columns * _BYTES_OF_A_CELL) > most:
        return True
    file, _ = open_with_texts_once(path)
    total = 0
    for _, size in sized_batches(file):
        total += size
        if total > most:
            return True
    return False


def open_with_texts_once(path: Path) -> tuple[Any, list[str]]:
    """The file, whose texts are read with repeated ones stored once, and its columns of texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pq.read_schema(path)
    is_text = {pa.string(), pa.large_string()}
    texts = [name for name, kind in zip(schema.names, schema.types, strict=True) if kind in is_text]
    texts = [name for name in texts if schema.names.count(name) == 1]
    return pq.ParquetFile(path, read_dictionary=texts), texts


def sized_batches(file: Any) -> Iterator[tuple[Any, int]]:
    """The batches of a file, each with the bytes that it takes with every repetition counted."""
    for batch in file.iter_batches(_ROWS_AT_ONCE):
        yield batch, sum(_unpacked_bytes(column) for column in batch.columns)


def _unpacked_bytes(column: Any) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).cast(pa.int64())
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0) + 8 * len(column)

"""Parquet files of a few kilobytes that are gigabytes once they are read, or thousands of columns wide."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def empty_rows(path):
    """60 million rows without a value: a file of a few kilobytes."""
    with pq.ParquetWriter(path, pa.schema({"text": pa.string(), "own": pa.float64()})) as writer:
        empty = pa.table({"text": pa.nulls(6_000_000, pa.string()), "own": pa.nulls(6_000_000, pa.float64())})
        for _ in range(10):
            writer.write_table(empty)


def repeated_text(path):
    """A text of a megabyte in each of 100,000 rows, which the file stores once."""
    once = pa.array(["x" * (1 << 20)])
    rows = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, dtype=np.int32)), once)
    pq.write_table(pa.table({"text": rows, "own": pa.array(np.zeros(100_000))}), path, store_schema=False)


def many_columns(path):
    pq.write_table(pa.table({f"c{n}": [0.0] for n in range(5_000)}), path)

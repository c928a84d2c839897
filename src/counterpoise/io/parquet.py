"""Parquet as a stream of batches; columns, types and metadata stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from counterpoise.core.errors import DataError, InputError
from counterpoise.io.record_types import Batch, Copy, RecordOptions, column_at
from counterpoise.io.streams import STANDARD

_ROWS = 1024


class Parquet:
    """The text is in one column of strings; the others are carried along."""

    def __init__(self, options: RecordOptions) -> None:
        self.options = options
        self._writer: Any = None
        self._schema: Any = None

    def read(self, stream: IO[bytes]) -> Iterator[Batch]:
        if self.options.path == STANDARD:
            raise InputError(
                "Parquet cannot be read from standard input (its index is at the end); name a file"
            )
        try:
            file = pq.ParquetFile(stream)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(
                f"{self.options.path} is not a Parquet file: {str(error).splitlines()[0]}"
            ) from error
        self._schema = file.schema_arrow
        self.at = column_at(self.options, self._schema.names)
        kind = self._schema.field(self.at).type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise InputError(f"the column {self.options.column!r} of {self.options.path} is {kind}, not text")
        if file.metadata.num_rows == 0:
            raise DataError(f"{self.options.path} is empty")
        try:
            for rows in file.iter_batches(batch_size=_ROWS):
                texts = [text or "" for text in rows.column(self.at).to_pylist()]
                yield Batch(texts, [rows])
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(f"{self.options.path} is damaged: {str(error).splitlines()[0]}") from error

    def write(self, stream: IO[bytes], batch: Batch, copies: Sequence[Sequence[Copy]]) -> None:
        [rows] = batch.rows
        taken = rows.take(pa.array([i for i, versions in enumerate(copies) for _ in versions]))
        is_null = taken.column(self.at).is_null().to_pylist()
        texts = [copy.text for versions in copies for copy in versions]
        values = [None if null else text for null, text in zip(is_null, texts, strict=True)]
        field = self._schema.field(self.at)
        table = pa.Table.from_batches([taken]).set_column(self.at, field, pa.array(values, field.type))
        if extra := self.options.version_column:
            table = table.append_column(
                extra, pa.array([copy.version for versions in copies for copy in versions])
            )
        if self._writer is None:
            self._writer = pq.ParquetWriter(stream, table.schema)
        self._writer.write_table(table)

    def finish(self, stream: IO[bytes]) -> None:
        if self._writer is not None:
            self._writer.close()

"""Third-party datasets that are plain tables: their spec says which file to read, its columns and what to check.

Such a dataset needs no loader of its own. Its spec (`data/specs/NAME.yaml`) names the entry of `sources.yaml` that it
comes from and describes each table:

    source: mt-gender
    tables:
      all:
        file: en.txt
        header: false
        quoted: false
        columns:
          gender: {allowed: [female, male, neutral]}
          position: {type: integer}
          sentence: {}
          person: {}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import Field, model_validator

from counterpoise.core.errors import unknown
from counterpoise.data.spec import Spec, Strict, read_spec
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.tables import not_empty, numbers, one_of, read_table, whole_numbers

ColumnType = Literal["text", "integer", "number"]


class ColumnSpec(Strict):
    """A column of a third-party table: what the file calls it, and what its cells must be."""

    header: str | None = None  # in the file, if it differs from our name
    type: ColumnType = "text"
    allowed: tuple[str, ...] | None = None  # the only values that a cell may have
    required: bool = False  # no cell may be empty

    @model_validator(mode="after")
    def _checks_fit_the_type(self) -> ColumnSpec:
        if self.type != "text" and (self.allowed is not None or self.required):
            raise ValueError("`allowed` and `required` are for columns of text; numbers are always checked")
        return self


class TableSpec(Strict):
    """A delimited file: comma-separated if its name ends in .csv, tab-separated otherwise; `.xz` is read too."""

    file: str
    header: bool = True  # without one, columns are named by their position
    quoted: bool = True  # False: quotation marks are part of the text
    columns: dict[str, ColumnSpec] = Field(min_length=1)

    @property
    def separator(self) -> str:
        return "," if self.file.endswith(".csv") else "\t"


class TablesSpec(Spec):
    """A dataset of one or more tables.

    `examples` are rows of our own, in the columns of the first table: tests run on them where the data are missing.
    """

    source: str
    tables: dict[str, TableSpec] = Field(min_length=1)
    examples: tuple[dict[str, str | int | float], ...] = ()

    @model_validator(mode="after")
    def _examples_have_the_columns(self) -> TablesSpec:
        columns = list(self._table(None).columns)
        for number, example in enumerate(self.examples, start=1):
            if list(example) != columns:
                raise ValueError(
                    f"example {number} has the columns {', '.join(example)}, not {', '.join(columns)}"
                )
        return self

    def _table(self, name: str | None) -> TableSpec:
        if name is None:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            raise unknown(f"table of {self.title}", name, self.tables)
        return self.tables[name]

    def find(self, table: str | None = None) -> Path:
        """The file of a table on this machine; the error says how to get it."""
        name = self._table(table).file
        return find_file(self.source, name, f"{name}.xz")

    def read(self, table: str | None = None) -> pd.DataFrame:
        """The rows of a table, checked; of the first one if no name is given."""
        path, spec = self.find(table), self._table(table)
        headers = {column.header or name: name for name, column in spec.columns.items()}
        rows = read_table(
            path, list(headers), separator=spec.separator, quoted=spec.quoted, header=spec.header
        ).rename(columns=headers)
        for name, column in spec.columns.items():
            rows[name] = _checked(rows, name, column, path)
        return rows

    def example_rows(self) -> pd.DataFrame:
        """The examples in the shape of `read`."""
        return pd.DataFrame(list[Mapping[str, Any]](self.examples))


def third_party_table(name: str, table: str | None = None) -> pd.DataFrame:
    """Reads a table of the dataset whose spec has this name; of the first table if none is named.

    >>> third_party_table("mt_gender", "french")
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: there is no table of MT Gender, English 'french' (there are: all, anti, pro)
    """
    return read_spec(name, TablesSpec).read(table)


def _checked(rows: pd.DataFrame, name: str, column: ColumnSpec, path: Path) -> pd.Series:
    if column.type == "integer":
        return whole_numbers(rows, name, path)
    if column.type == "number":
        return numbers(rows, name, path)
    if column.allowed is not None:
        return one_of(rows, name, column.allowed, path)
    return not_empty(rows, name, path) if column.required else rows[name]

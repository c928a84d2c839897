"""Texts to rate from where users have them: a file, IMDB's reviews, or EDOS's comments."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from counterpoise.core.errors import DataError, did_you_mean
from counterpoise.data.texts import Texts
from counterpoise.data.thirdparty.edos import edos
from counterpoise.data.thirdparty.imdb import imdb
from counterpoise.io.user_tables import read_user_table


def read_texts(
    path: str | Path, column: str = "text", label: str | None = None, gender: str | None = None
) -> Texts:
    """A user's own texts from a CSV, TSV, JSONL or Parquet file; the arguments name its columns."""
    table = read_user_table(path, "texts")
    wanted = {"text": column, "label": label, "gender": gender}
    columns = {}
    for name, given in wanted.items():
        if given is not None:
            columns[name] = _column(table, given, path)
    return Texts(Path(path).name, pd.DataFrame(columns))


def imdb_texts(split: str | None = "test") -> Texts:
    """The labelled movie reviews; those of the test half if not said otherwise."""
    reviews = imdb(split)
    return Texts("imdb", pd.DataFrame({"text": reviews.review, "label": reviews.sentiment}))


def edos_texts(split: str | None = "test") -> Texts:
    """The comments labelled "sexist" or "not sexist"; those of the test split if not said otherwise."""
    return Texts("edos", edos(split)[["text", "label"]])


def _column(table: pd.DataFrame, name: str, path: str | Path) -> pd.Series:
    columns = [str(column) for column in table.columns]
    if name not in columns:
        raise DataError(
            f"{path} has no column {name!r} (there are: {', '.join(columns)}){did_you_mean(name, columns)}"
        )
    return table[name]

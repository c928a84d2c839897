"""Texts to rate from where users have them: a file, IMDB's reviews, or EDOS's comments."""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import DataError, did_you_mean
from counterpoise.data.texts import Texts
from counterpoise.data.thirdparty.edos import edos
from counterpoise.data.thirdparty.imdb import imdb
from counterpoise.io.dataset_sources import dataset_source
from counterpoise.io.user_tables import UserTable, read_user_table, table_name


def read_texts(
    path: UserTable, column: str | None = None, label: str | None = None, gender: str | None = None
) -> Texts:
    """A user's own texts from a CSV, TSV, JSONL or Parquet file, a folder or `hf:NAME[:SPLIT[:COLUMN]]`.

    The arguments name columns. If `column` is not given it is `text`, and of a folder or dataset of the hub that has
    no such column the only one with texts.
    """
    source = dataset_source(path)
    given: UserTable = source or path
    table = read_user_table(given, "texts")
    text = source.text_column(column, (label, gender)) if source else column or "text"
    columns = {
        name: _column(table, wanted, given)
        for name, wanted in {"text": text, "label": label, "gender": gender}.items()
        if wanted is not None
    }
    return Texts(table_name(given), pd.DataFrame(columns))


def imdb_texts(split: str | None = "test") -> Texts:
    """The labelled movie reviews; those of the test half if not said otherwise."""
    reviews = imdb(split)
    return Texts("imdb", pd.DataFrame({"text": reviews.review, "label": reviews.sentiment}))


def edos_texts(split: str | None = "test") -> Texts:
    """The comments labelled "sexist" or "not sexist"; those of the test split if not said otherwise."""
    return Texts("edos", edos(split)[["text", "label"]])


def _column(table: pd.DataFrame, name: str, path: UserTable) -> pd.Series:
    columns = [str(column) for column in table.columns]
    if name not in columns:
        raise DataError(
            f"{path} has no column {name!r} (there are: {', '.join(columns)}){did_you_mean(name, columns)}"
        )
    return table[name]

"""The Large Movie Review Dataset (Maas et al. 2011): 50,000 reviews, half of them positive."""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import unknown
from counterpoise.data.thirdparty.folders import find_file
from counterpoise.data.thirdparty.tables import one_of, read_table, whole_numbers

_SPLITS = ("train", "test")


def imdb(split: str | None = None) -> pd.DataFrame:
    """The labelled reviews, one row each: `split`, `sentiment` ("pos" or "neg"), `id`, `rating` (1 to 10), `review`.

    The split is "train", "test", or None for both. The ids of the four folders overlap, as in the original.
    """
    if split is not None and split not in _SPLITS:
        raise unknown("split of IMDB", split, _SPLITS)
    path = find_file("imdb", "imdb_50k_labelled.csv", "imdb_50k_labelled.csv.xz")
    table = read_table(path, ["split", "sentiment", "id", "rating", "review"])
    table["split"] = one_of(table, "split", _SPLITS, path)
    table["sentiment"] = one_of(table, "sentiment", ("pos", "neg"), path)
    for column in ("id", "rating"):
        table[column] = whole_numbers(table, column, path)
    return table if split is None else table[table.split == split].reset_index(drop=True)

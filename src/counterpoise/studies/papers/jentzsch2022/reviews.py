"""The movie reviews of the study: the whole halves of IMDB, or some of each."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError

IMDB_HALF = 25_000  # reviews of the training half, and of the test half
_COLUMNS = ["split", "sentiment", "review"]
_VALUES = {"split": ("train", "test"), "sentiment": ("pos", "neg")}


def reviews(
    half: Literal["train", "test"], n: int | None = None, path: str | Path | None = None
) -> pd.DataFrame:
    """The reviews of one half, in their order, with the columns `review` and `sentiment` (pos, neg).

    n: so many of them, half positive, half negative; the same ones each time. path: a file of one's own, which is read
    without the data room, as on a machine that has little more than torch.
    """
    if path is None:
        from counterpoise.data.thirdparty.imdb import imdb

        table = imdb(half)
    else:
        table = _read(Path(path))
        table = table[table["split"] == half].reset_index(drop=True)
    if n is None or n >= len(table):
        return table[["review", "sentiment"]]
    dice = np.random.default_rng(0)
    chosen = [
        dice.choice(group.index.to_numpy(), size=size, replace=False)
        for (_, group), size in zip(table.groupby("sentiment"), (n // 2, n - n // 2), strict=True)
    ]
    return table.loc[np.sort(np.concatenate(chosen)), ["review", "sentiment"]].reset_index(drop=True)


def check_reviews(path: Path) -> None:
    """An error where a file does not begin as one of reviews does."""
    first = _read(path, rows=100)
    for column, allowed in _VALUES.items():
        for value in first[column].unique():
            if value not in allowed:
                raise DataError(
                    f"{path}: the column {column} has {value!r}; it may have {', '.join(allowed)}"
                )


def _read(path: Path, rows: int | None = None) -> pd.DataFrame:
    try:
        return pd.read_csv(path, usecols=_COLUMNS, nrows=rows)
    except (OSError, ValueError) as error:
        wrong = " ".join(str(error).split())
        raise DataError(
            f"cannot read reviews (columns {', '.join(_COLUMNS)}) from {path}: {wrong}"
        ) from error

"""The movie reviews of the study: the whole halves of IMDB, or some of each."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError

_COLUMNS = ["split", "sentiment", "review"]


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


def _read(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, usecols=_COLUMNS)
    except (OSError, ValueError) as error:
        raise DataError(
            f"cannot read reviews (columns {', '.join(_COLUMNS)}) from {path}: {error}"
        ) from error
    return table

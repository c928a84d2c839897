"""EDOS, explainable detection of online sexism (Kirk et al. 2023): 20,000 comments, sexist or not."""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import unknown
from counterpoise.data.thirdparty.table_specs import third_party_table

_SPLITS = ("train", "dev", "test")


def edos(split: str | None = None) -> pd.DataFrame:
    """The comments, one row each: `id`, `text`, `label` ("sexist" or "not sexist"), `category`, `vector`, `split`.

    The split is "train", "dev", "test", or None for all. `category` and `vector` tell kinds of sexism apart.
    """
    if split is not None and split not in _SPLITS:
        raise unknown("split of EDOS", split, _SPLITS)
    table = third_party_table("edos")
    return table if split is None else table[table.split == split].reset_index(drop=True)

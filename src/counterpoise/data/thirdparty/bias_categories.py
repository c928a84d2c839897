"""Categories of bias, of which a user chooses some."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from counterpoise.core.errors import InputError, unknown

Categories = Sequence[str] | str


def select_categories(table: pd.DataFrame, categories: Categories) -> pd.DataFrame:
    """The rows of some categories, or of "all"; a name that no row has is a mistake.

    >>> select_categories(pd.DataFrame({"category": ["gender", "age", "gender"]}), ["gender"]).index.tolist()
    [0, 1]
    """
    if isinstance(categories, str):
        if categories == "all":
            return table
        categories = (categories,)
    if not categories:
        raise InputError("no category was named")
    if not isinstance(categories, Sequence):
        raise InputError(f"categories are a list of names, or 'all', not {categories!r}")
    present = table.category.unique().tolist()
    for name in categories:
        if name not in present:
            raise unknown("category", name, [*present, "all"])
    return table[table.category.isin(list(categories))].reset_index(drop=True)

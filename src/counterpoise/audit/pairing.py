"""Which rows of a table of items belong together: the two genders of a sentence, the same item in two runs."""

from __future__ import annotations

import pandas as pd

GENDERS = ("male", "female")
TEXT = "pair_text"  # both sentences of a pair, to be shown


def numbers(table: pd.DataFrame) -> list[str]:
    """The columns of numbers with a fraction: what a model answered."""
    return [name for name in table.columns if pd.api.types.is_float_dtype(table[name])]


def labels(table: pd.DataFrame) -> list[str]:
    """All other columns: what went in."""
    return [name for name in table.columns if not pd.api.types.is_float_dtype(table[name])]


def difference_of_genders(items: pd.DataFrame) -> pd.DataFrame | None:
    """Male minus female of every number, where each item stands there once for each gender; else None.

    >>> items = pd.DataFrame({"word": ["nurse", "nurse"], "gender": ["male", "female"], "association": [0.2, 0.5]})
    >>> difference_of_genders(items)[["word", "association"]].round(2).values.tolist()
    [['nurse', -0.3]]
    """
    if "gender" not in items or set(items.gender.dropna()) != set(GENDERS) or items.gender.isna().any():
        return None
    about = [name for name in labels(items) if name != "gender"]
    sides = {gender: items[items.gender == gender] for gender in GENDERS}
    shared = [name for name in about if set(sides["male"][name]) == set(sides["female"][name])]
    if not shared or not numbers(items) or len(sides["male"]) != len(sides["female"]):
        return None
    indexed = {gender: side.set_index(shared) for gender, side in sides.items()}
    if any(side.index.has_duplicates for side in indexed.values()):
        return None
    male, female = indexed["male"], indexed["female"]
    if not male.index.sort_values().equals(female.index.sort_values()):
        return None
    female = female.loc[male.index]
    pairs = (male[numbers(items)] - female[numbers(items)]).reset_index()
    own = [name for name in about if name not in shared]
    if own:
        pairs[TEXT] = male[own[0]].astype(str).to_numpy() + " / " + female[own[0]].astype(str).to_numpy()
    return pairs


def identifying_columns(one: pd.DataFrame, other: pd.DataFrame) -> list[str]:
    """The first columns of text that together tell the rows of both tables apart.

    Those that a measure writes come first; later ones may depend on the model (the text with as many masks as a word
    has pieces), so no more are used than needed.
    """
    common = [name for name in labels(one) if name in other.columns and name != TEXT]
    text = [name for name in common if not pd.api.types.is_numeric_dtype(one[name])]
    chosen: list[str] = []
    apart = 1
    for name in [*text, *(name for name in common if name not in text)]:
        distinct = len(one[[*chosen, name]].drop_duplicates())
        if distinct > apart or not chosen:
            chosen, apart = [*chosen, name], distinct
        if apart == len(one):
            break
    return chosen

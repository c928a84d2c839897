"""Pairs of sentences (Barza 2023, section 4.1.1): one with a stereotype, and its counterpart.

The two differ in gendered words only. `stereotype_pairs` has our own, `read_pairs` reads a user's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from counterpoise.core.errors import DataError, InputError
from counterpoise.core.mask import MASK
from counterpoise.data.repetitions import repeated_rows
from counterpoise.data.spec import Spec, Strict, read_spec
from counterpoise.io.user_tables import UserTable, read_user_table, table_name

SIDES = ("stereotyped", "counterpart")
_OPTIONAL = {"category": "own", "about": ""}  # columns that may be missing, and what then stands in them


class Pair(Strict):
    stereotyped: str
    counterpart: str


class PairSet(Strict):
    category: str
    about: Literal["women", "men"]  # whom the stereotype is about
    pairs: tuple[Pair, ...]


class PairSpec(Spec):
    sets: tuple[PairSet, ...]


@dataclass(frozen=True)
class Pairs:
    """Sentence pairs, one row each, in the columns `stereotyped`, `counterpart`, `category` and `about`.

    The last two may be left out: then the category is "own", and `about`, which tells whom the stereotype is about
    ("women" or "men"), is empty.

    >>> Pairs.of(("The nurse lost her keys.", "The nurse lost his keys.")).table.category[0]
    'own'
    """

    name: str
    table: pd.DataFrame

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", _checked(self.name, self.table))

    @classmethod
    def of(cls, *pairs: tuple[str, str]) -> Pairs:
        """Pairs written on the spot, the stereotyped sentence first."""
        return cls("own", pd.DataFrame(list(pairs), columns=list(SIDES)))

    def problems(self) -> list[str | None]:
        """For each pair why it says nothing, whatever the model, or None."""
        repeated = repeated_rows(self.table, SIDES)
        return [
            _problem(stereotyped, counterpart) or ("the pair is there already" if again else None)
            for stereotyped, counterpart, again in zip(
                self.table.stereotyped, self.table.counterpart, repeated, strict=True
            )
        ]


def stereotype_pairs() -> Pairs:
    """Our own sentence pairs in the three categories of the thesis.

    >>> pairs = stereotype_pairs().table
    >>> pairs.category.unique().tolist()
    ['occupation bias', 'benevolent sexism', 'hostile sexism']
    >>> pairs.stereotyped[0], pairs.about[0]
    ('The nurse checked the chart twice before she woke the patient.', 'women')
    """
    rows = [
        {**pair.model_dump(), "category": group.category, "about": group.about}
        for group in read_spec("stereotype_pairs", PairSpec).sets
        for pair in group.pairs
    ]
    return Pairs("stereotype_pairs", pd.DataFrame(rows))


def read_pairs(path: UserTable) -> Pairs:
    """A user's own pairs: a CSV, TSV, JSONL or Parquet file, or hf:NAME, with columns as in `Pairs`, in any order."""
    return Pairs(table_name(path), read_user_table(path, "pairs"))


def _checked(name: str, table: pd.DataFrame) -> pd.DataFrame:
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"pairs are given as a table or as Pairs (see read_pairs), not as {table!r}")
    if table.empty:
        raise DataError(f"{name} has no pairs")
    columns = [str(column) for column in table.columns]
    for side in SIDES:
        if side not in columns:
            raise DataError(f"{name} has no column {side!r} (there are: {', '.join(columns)})")
    for column in (*SIDES, *_OPTIONAL):
        if columns.count(column) > 1:
            raise DataError(f"{name} has the column {column!r} twice")
    table = table.reindex(columns=[*SIDES, *_OPTIONAL]).reset_index(drop=True)
    for column, instead in _OPTIONAL.items():
        table[column] = table[column].astype(object).fillna(instead).replace("", instead).astype(str)
    for side in SIDES:
        table[side] = table[side].fillna("")  # an empty cell; such a pair is skipped and said
        for row, text in enumerate(table[side], start=1):
            if not isinstance(text, str):
                raise DataError(f"{name}: {side} must be text, and pair {row} has {text!r}")
    return table


def _problem(stereotyped: str, counterpart: str) -> str | None:
    if not stereotyped.strip() or not counterpart.strip():
        return "a sentence of the pair is empty"
    if MASK in stereotyped or MASK in counterpart:
        return f"a sentence of the pair has a mask in it, {MASK}"
    if stereotyped.split() == counterpart.split():
        return "the two sentences of the pair are the same"
    return None

"""Names by gender and by another attribute of people, such as names that are common in two countries or two classes.

A table of a user's own, with a row for each name. Which names stand for which people is an empirical question, and
names carry more than one attribute: take them from data, such as registers of births, and say which.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from counterpoise.core.errors import DataError, did_you_mean
from counterpoise.io.user_tables import UserTable, read_user_table

COLUMNS = ("name", "gender", "group")
GENDERS = ("male", "female", "neutral")
_WRITTEN = {
    "male": ("male", "m", "man", "men", "he"),
    "female": ("female", "f", "w", "woman", "women", "she"),
    "neutral": ("neutral", "n", "unisex", "they"),
}
_GENDER_OF = {word: gender for gender, words in _WRITTEN.items() for word in words}
_FEWEST = 2  # names of a cell: one says nothing about how much names vary
_LONGEST = 60  # characters of a name


@dataclass(frozen=True)
class NamesTable:
    """Names, one row each, in the columns `name`, `gender` (male, female or neutral) and `group`.

    There are at least two genders or two groups, and two names of each gender in each group.

    >>> rows = [("Emily", "f", "a"), ("Anne", "f", "a"), ("Greg", "m", "a"), ("Todd", "m", "a")]
    >>> names = NamesTable("mine", pd.DataFrame(rows, columns=["name", "gender", "group"]))
    >>> names.genders, names.groups, names.cells[:2]
    (('male', 'female'), ('a',), ('female, a', 'female, a'))
    """

    name: str
    table: pd.DataFrame

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", _checked(self.name, self.table))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.name)

    @property
    def genders(self) -> tuple[str, ...]:
        """The genders that the table has: male before female before neutral."""
        return tuple(gender for gender in GENDERS if (self.table.gender == gender).any())

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, in the order in which they come."""
        return tuple(dict.fromkeys(self.table.group))

    @property
    def cells(self) -> tuple[str, ...]:
        """Of each name, its gender and its group."""
        return tuple(cell_of(*row) for row in zip(self.table.gender, self.table.group, strict=True))


def cell_of(gender: str, group: str) -> str:
    """
    >>> cell_of("female", "rural")
    'female, rural'
    """
    return f"{gender}, {group}"


def read_names_table(path: UserTable) -> NamesTable:
    """The names of a CSV, TSV, JSONL or Parquet file, or of hf:NAME, with the columns `name`, `gender` and `group`."""
    return NamesTable(str(path), read_user_table(path, "names"))


def names_table_of(given: NamesTable | str | Path | None) -> NamesTable | None:
    """The table that was given, or that the file has."""
    return read_names_table(given) if isinstance(given, str | Path) else given


def _checked(source: str, table: pd.DataFrame) -> pd.DataFrame:
    columns = [str(column) for column in table.columns]
    for column in COLUMNS:
        if column not in columns:
            has = ", ".join(columns) or "none"
            raise DataError(
                f"{source} has no column {column!r} (there are: {has}){did_you_mean(column, columns)}"
            )
    if table.empty:
        raise DataError(f"{source} has no names")
    rows: list[tuple[str, str, str]] = []
    seen: dict[str, int] = {}
    for number, values in enumerate(table[list(COLUMNS)].itertuples(index=False, name=None), start=1):
        name, gender, group = (
            _cell(source, column, number, value) for column, value in zip(COLUMNS, values, strict=True)
        )
        if len(name) > _LONGEST or not name.isprintable() or not any(map(str.isalpha, name)):
            raise DataError(f"{source}: name of row {number} is {name!r:.60}, which is no name")
        if gender.lower() not in _GENDER_OF:
            raise DataError(
                f"{source}: gender of row {number} is {gender!r:.60}, not one of {', '.join(GENDERS)}"
            )
        if first := seen.get(name.casefold()):
            raise DataError(f"{source}: name of row {number} is {name!r}, which row {first} has already")
        seen[name.casefold()] = number
        rows.append((name, _GENDER_OF[gender.lower()], group))
    checked = pd.DataFrame(rows, columns=list(COLUMNS))
    _check_cells(source, checked)
    return checked


def _cell(source: str, column: str, number: int, value: object) -> str:
    """A cell as text; an empty one is an error."""
    if value is None or value != value or not str(value).strip():
        raise DataError(f"{source}: {column} of row {number} is empty")
    if column != "group" and not isinstance(value, str):
        raise DataError(f"{source}: {column} of row {number} is {value!r:.60}, which is no text")
    return " ".join(str(value).split())


def _check_cells(source: str, table: pd.DataFrame) -> None:
    genders, groups = table.gender.unique(), table.group.unique()
    if len(genders) == 1 and len(groups) == 1:
        raise DataError(
            f"{source}: all names are {genders[0]} and of the group {groups[0]!r}; two genders or two groups are "
            "compared"
        )
    counts = table.groupby(["gender", "group"]).size()
    for gender in genders:
        for group in groups:
            n = int(counts.get((gender, group), 0))
            if n < _FEWEST:
                raise DataError(
                    f"{source}: the column group has {n or 'no'} {gender} name{'' if n == 1 else 's'} of {group!r}; "
                    f"each gender needs {_FEWEST} or more in each group"
                )

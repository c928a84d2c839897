"""The numbers that a row of a summary is the mean of, found again in the items.

A measure returns items and rows, and does not say which column of the items a row rests on. That is found here by
trying: a recipe (which column, which items, in which clusters) belongs to a row if it gives the row's value and counts
its clusters. So every measure can be compared between models and shown with its most extreme items, also those of other
packages, and nothing is compared that does not reproduce what the summary says.

Recipes look at three tables:

    items   as they are
    pairs   male minus female, where each sentence stands there once for each gender
    words   the summary's own rows of single words, where the items do not say enough
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from counterpoise.audit.pairing import TEXT, difference_of_genders, identifying_columns, labels, numbers
from counterpoise.measures.result import Result

Table = Literal["items", "pairs", "words"]
Form = Literal["mean", "absolute", "share", "own gender"]

_TABLES: tuple[Table, ...] = ("items", "pairs", "words")
_FORMS: tuple[Form, ...] = ("mean", "own gender", "absolute", "share")
_USUAL = ("difference", "bias", "association")  # what the number of an item is called, if not as the measure
_MOST_GROUPS = 60  # a column of more different values is no grouping
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Recipe:
    """How a row comes from a table: the mean over clusters of a column, of some of the items."""

    table: Table
    column: str
    cluster: str | None  # each item for itself if None
    only: tuple[tuple[str, object], ...]  # columns and the values that they must have
    form: Form

    def chosen(self, table: pd.DataFrame) -> pd.DataFrame:
        """The items that count."""
        return _where(table, self.only)

    def of_clusters(self, table: pd.DataFrame) -> pd.Series:
        """One value per cluster."""
        some = self.chosen(table)
        values = some[self.column]
        if self.form == "own gender":
            values = values * np.where(some.gender == "male", 1.0, -1.0)
        if self.form == "share":
            values = 50.0 * (np.sign(values) + 1)
        if self.cluster is not None:
            values = values.groupby(some[self.cluster].to_numpy(), sort=False).mean()
        return values.abs() if self.form == "absolute" else values

    def texts(self, table: pd.DataFrame) -> pd.Series:
        """What to call each item: both sentences of a pair, the first text that an item has, or the word."""
        text = table.select_dtypes(exclude=["number", "bool"]).columns
        name = next((name for name in (TEXT, *text) if name in table), None)
        return table[name].astype(str) if name is not None else table.index.to_series().astype(str)


class Observations:
    """What stands behind the rows of a result."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.tables: dict[Table, pd.DataFrame] = {"items": _plain(result.items).reset_index(drop=True)}
        pairs = difference_of_genders(self.tables["items"])
        if pairs is not None:
            self.tables["pairs"] = pairs
        words = word_table(result)
        if len(words):
            self.tables["words"] = words

    def explains(self, recipe: Recipe, row: pd.Series) -> bool:
        """Does the recipe give the value and the number of clusters of the row?"""
        table = self.tables.get(recipe.table)
        if table is None or not _has_columns(recipe, table):
            return False
        values = recipe.of_clusters(table)
        if len(values) != row.clusters or not len(values) or values.isna().any():
            return False
        return math.isclose(values.mean(), row.value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)

    def recipes(self, row: pd.Series) -> Iterator[Recipe]:
        """Every recipe that gives the row, items before words; mostly there is one."""
        for table in _TABLES:
            if table in self.tables:
                yield from (recipe for recipe in self._recipes(table, row) if self.explains(recipe, row))

    @cached_property
    def headline(self) -> tuple[pd.Series, Recipe | None]:
        """The first overall row that was tested, else the first of all, and what stands behind it."""
        row = headline_row(self.result)
        return row, next(self.recipes(row), None)

    def _recipes(self, name: Table, row: pd.Series) -> Iterator[Recipe]:
        table = self.tables[name]
        columns = _value_columns(table, self.result.measure)
        for only in _subsets(table, row):
            some = _where(table, only)
            clusters = _cluster_columns(some, int(row.clusters)) if name != "words" else [None]
            for cluster, column, form in product(clusters, columns, _FORMS):
                if form != "own gender" or _has_genders(some):
                    yield Recipe(name, column, cluster, only, form)


def headline_row(result: Result) -> pd.Series:
    """The first overall row that was tested, else the first overall one, else the first."""
    return headline_rows(result).iloc[0]


def headline_rows(result: Result) -> pd.DataFrame:
    """The first tested row of each overall group: one for most measures, one per test for those of several tests.

    Absolute values are never tested, and what was tested is what can be claimed. Where nothing was tested it is the
    first overall row, else the first of all.
    """
    overall = result.overall if len(result.overall) else result.summary
    tested = overall[overall.p_value.notna() & overall.ideal.notna()]
    return tested.drop_duplicates("group") if len(tested) else overall.head(1)


def word_table(result: Result) -> pd.DataFrame:
    """The summary's rows of single words, with what the items say of each word as a whole (its group, its gender).

    The column of the word is `word`, its value `value`; the columns `ci_low`, `ci_high`, `p_adjusted`, `ideal` and
    `ideal_text` are those of the summary.
    """
    rows = result.summary[result.summary.level == "word"]
    kept = ["group", "statistic", "value", "ci_low", "ci_high", "p_adjusted", "ideal", "ideal_text", "note"]
    words = rows[kept].rename(columns={"group": "word"}).reset_index(drop=True)
    if not len(words) or words.word.duplicated().any():
        return words
    items = _plain(result.items)
    for column in labels(items):
        names = items[column].astype(str)
        if set(words.word) <= set(names):
            about = items.groupby(names, sort=False).first()
            one_each = items.groupby(names, sort=False).nunique().max() == 1
            for other in one_each.index[one_each]:
                if other not in words and other != column:
                    words[other] = words.word.map(about[other])
            break
    return words


def shared_observations(
    first: Observations, second: Observations, recipe: Recipe
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the recipe's table that both have, in the same order; nothing in common gives empty tables."""
    one, other = first.tables[recipe.table], second.tables[recipe.table]
    columns = identifying_columns(one, other)
    if not columns:
        return one.iloc[:0], other.iloc[:0]
    keys = [_keys(table, columns) for table in (one, other)]
    common = keys[0].intersection(keys[1], sort=False)
    return tuple(  # type: ignore[return-value]
        table.set_axis(key, axis=0).loc[common].reset_index(drop=True)
        for table, key in zip((one, other), keys, strict=True)
    )


def _keys(table: pd.DataFrame, columns: list[str]) -> pd.Index:
    """What tells the rows of a table apart; a row that stands there twice is told apart by its turn."""
    text = table[columns].astype(str)
    return pd.MultiIndex.from_frame(text.assign(turn=text.groupby(columns, sort=False).cumcount()))


def _plain(items: pd.DataFrame) -> pd.DataFrame:
    """The columns of single values: lists and the like cannot tell items apart, nor be counted."""
    plain = [
        name for name in items if items[name].dtype != object or items[name].map(pd.api.types.is_scalar).all()
    ]
    return items[plain]


def _value_columns(table: pd.DataFrame, measure: str) -> list[str]:
    every = numbers(table)
    first = [name for name in (measure, "value", *_USUAL) if name in every]
    return first + [name for name in every if name not in first]


def _cluster_columns(table: pd.DataFrame, clusters: int) -> list[str | None]:
    """What could be the clusters: columns of so many different values, or the items themselves."""
    columns = labels(table)
    found: list[str | None] = [name for name in columns if table[name].nunique() == clusters and name != TEXT]
    return [None, *found] if len(table) == clusters else found


def _subsets(table: pd.DataFrame, row: pd.Series) -> Iterator[tuple[tuple[str, object], ...]]:
    """All items; those that are, or are not, something; those of a group that the row names, and of a gender."""
    yield ()
    named: list[tuple[str, object]] = []
    for name in labels(table):
        values = table[name].dropna().unique()
        if table[name].dtype == bool or name == "ideal_text":
            yield from (((name, value),) for value in values)
        elif len(values) <= _MOST_GROUPS:
            named += [(name, value) for value in values if str(value) and str(value) in str(row.group)]
    yield from ((one,) for one in named)
    if _has_genders(table):
        genders = [gender for gender in ("male", "female") if gender in str(row.statistic).split()]
        yield from ((one, ("gender", gender)) for gender in genders for one in named if one[0] != "gender")


def _where(table: pd.DataFrame, only: tuple[tuple[str, object], ...]) -> pd.DataFrame:
    for name, value in only:
        table = table[table[name] == value]
    return table


def _has_genders(table: pd.DataFrame) -> bool:
    return "gender" in table and set(table.gender.dropna()) == {"male", "female"}


def _has_columns(recipe: Recipe, table: pd.DataFrame) -> bool:
    needed = [recipe.column, recipe.cluster, *(name for name, _ in recipe.only)]
    return all(name in table for name in needed if name is not None)

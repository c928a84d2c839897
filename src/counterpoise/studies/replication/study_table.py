"""The finished study's table: all columns that a page reads, and the rows that it asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from counterpoise.core.numbers import estimate_text

ALPHA = 0.05  # the level of tests, after correction where there are several
NUMBERS = ("value", "ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable", "n")


def with_columns(table: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """The table with all of these columns: where --only left steps out, or cells failed, some are not there.

    >>> table = with_columns(pd.DataFrame({"value": [0.5]}), ["value", "statistic", "ci_low"])
    >>> table.iloc[0].to_dict()
    {'value': 0.5, 'statistic': None, 'ci_low': nan}
    """
    nothing = pd.Series([None] * len(table), dtype=object, index=table.index)
    empty = {name: nothing.astype(float) if name in NUMBERS else nothing for name in names}
    return table.assign(**{name: column for name, column in empty.items() if name not in table})


def select(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows that have these values in the columns of these names; None stands for any value.

    >>> table = pd.DataFrame({"step": ["before", "after"], "value": [1, 2]})
    >>> select(table, step="after", value=None).value.tolist()
    [2]
    """
    for name, value in values.items():
        if value is not None:
            table = table[table[name] == value]
    return table


def rows_of(table: pd.DataFrame, **values: Any) -> list[Any]:
    """The selected rows one by one, with their columns as attributes."""
    return list(select(table, **values).itertuples())


def first_row(table: pd.DataFrame, **values: Any) -> Any | None:
    """The first of the selected rows, or None."""
    return next(iter(rows_of(table, **values)), None)


def with_interval(row: Any, decimals: int = 2, *, sign: bool = False, unit: str = "") -> str:
    """A row's value and interval as they stand in a sentence.

    >>> from types import SimpleNamespace
    >>> row = SimpleNamespace(value=2.26, ci_low=2.05, ci_high=2.47)
    >>> with_interval(row), with_interval(row, 1, sign=True, unit=" points")
    ('2.26 [2.05, 2.47]', '+2.3 points [2.0, 2.5]')
    """
    return estimate_text(row.value, row.ci_low, row.ci_high, decimals, sign=sign, unit=unit)


def side_of_zero(row: Any) -> int:
    """1 or -1 where a row's interval lies above or below 0; 0 where it contains 0, or where there is none.

    >>> from types import SimpleNamespace
    >>> [side_of_zero(SimpleNamespace(ci_low=low, ci_high=high)) for low, high in ((0.1, 0.3), (-0.2, -0.1), (-1, 1))]
    [1, -1, 0]
    >>> side_of_zero(SimpleNamespace(ci_low=float("nan"), ci_high=float("nan")))
    0
    """
    return 1 if row.ci_low > 0 else -1 if row.ci_high < 0 else 0

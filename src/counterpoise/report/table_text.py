"""The cells of a study's tables as text: only zero reads as zero, and no value lies outside its interval."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from counterpoise.core.numbers import decimal_text, estimate_decimals, p_text
from counterpoise.studies.replication.findings import Table, Value

_ENDS = (
    ("from", "to"),
    ("95 % from", "to"),
    ("lowest", "highest"),
)  # columns side by side that hold an interval


def row_texts(row: Sequence[Value], table: Table) -> list[str]:
    """The texts of a row: whole numbers and words as they are, p-values as such, others with the table's decimals.

    A value and its interval have the same number of decimals, so that rounding leaves the one within the other.

    >>> table = Table("t", "T", ["word", "value", "from", "to", "p", "n"], [], decimals=2)
    >>> row_texts(["nurse", 0.1249, 0.1241, 0.1257, 0.00004, 12], table)
    ['nurse', '0.1249', '0.1241', '0.1257', '< .001', '12']
    >>> row_texts(["mason", -0.00031, None, None, float("nan"), 3], table)
    ['mason', '-0.00031', '', '', '', '3']
    """
    decimals = _decimals(row, table)
    return [
        _p(value) if is_p_value(column) else _text(value, places)
        for value, column, places in zip(row, table.columns, decimals, strict=True)
    ]


def numeric_columns(table: Table) -> set[int]:
    """The places of the columns that hold numbers, which stand at the right.

    >>> numeric_columns(Table("t", "T", ["word", "value", "verdict"], [["a", None, "b"], ["c", 1.5, "d"]]))
    {1}
    """
    return {at for row in table.rows for at, value in enumerate(row) if isinstance(value, int | float)}


def is_p_value(column: str) -> bool:
    """Whether a column of this name holds p-values.

    >>> [is_p_value(name) for name in ("p", "p (Holm)", "lowest p", "substitution, p = 1/2", "precision")]
    [True, True, True, False, False]
    """
    return column == "p" or column.startswith("p (") or column.endswith(" p")


def _decimals(row: Sequence[Value], table: Table) -> list[int]:
    """The decimals of each cell of a row."""
    decimals = [table.decimals] * len(row)
    for at, ends in enumerate(pairwise(table.columns)):
        place = _value_of_interval(row, table.columns, at) if ends in _ENDS else None
        if place is None:
            continue
        value, low, high = row[place], row[at], row[at + 1]
        if isinstance(value, float) and isinstance(low, float) and isinstance(high, float):
            shared = estimate_decimals(value, low, high, table.decimals)
            decimals[place] = decimals[at] = decimals[at + 1] = shared
    return decimals


def _value_of_interval(row: Sequence[Value], columns: Sequence[str], at: int) -> int | None:
    """The place of the value whose interval begins at a place: the nearest column before it that can be one.

    Words, counts, p-values and standard deviations cannot; what stands before another interval belongs to that one.

    >>> _value_of_interval([0.3, 0.1, 0.2, 0.4], ["total", "sd, total", "lowest", "highest"], 2)
    0
    """
    for place in range(at - 1, -1, -1):
        if place and (columns[place - 1], columns[place]) in _ENDS:
            return None
        skipped = is_p_value(columns[place]) or columns[place].replace(",", " ").split()[:1] == ["sd"]
        if not skipped and not isinstance(row[place], int | str):
            return place
    return None


def _p(value: Value) -> str:
    return p_text(value) if isinstance(value, float) else _text(value, 0)


def _text(value: Value, decimals: int) -> str:
    """
    >>> [_text(value, 3) for value in (-0.0, 0.0004, 25000, None)]
    ['0', '0.00040', '25000', '']
    """
    if isinstance(value, float):
        return decimal_text(value, decimals)
    return "" if value is None else str(value)

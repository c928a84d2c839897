"""Tables of a user's own, checked before a measure works on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from counterpoise.core.errors import DataError, InputError
from counterpoise.data.repetitions import repeated_rows


def check_kind(data: Any, kinds: type | tuple[type, ...], measure: str) -> None:
    """What is given instead of a measure's own data must be of the kind that it takes.

    >>> check_kind("my-pairs.csv", pd.DataFrame, "sld")
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: sld takes its data as DataFrame, not as 'my-pairs.csv'
    """
    if not isinstance(data, kinds):
        names = [kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
        given = repr(data) if isinstance(data, str) else type(data).__name__
        raise InputError(f"{measure} takes its data as {' or '.join(names)}, not as {given}")


def check_columns(table: pd.DataFrame, needed: Sequence[str], measure: str) -> pd.DataFrame:
    """A table of one's own must have what the measure reads, and rows."""
    check_kind(table, pd.DataFrame, measure)
    if missing := [column for column in needed if column not in table]:
        raise DataError(f"the data lack the column {missing[0]!r}; {measure} needs {', '.join(needed)}")
    if table.empty:
        raise DataError("there are no sentences to measure on")
    return table.reset_index(drop=True)


def row_problems(
    table: pd.DataFrame,
    *,
    texts: Sequence[str],
    needed: Sequence[str],
    once: Sequence[str],
    allowed: Mapping[str, Sequence[str]] | None = None,
) -> list[str | None]:
    """For each row why it says nothing, whatever the model, or None.

    A cell of the columns `texts` or `needed` is empty, one of `texts` is no text, one of `allowed` has another value,
    or there is a row already with the same values of `once`, whatever the white space and the unseen characters in
    them.

    >>> rows = pd.DataFrame({"text": ["a", None, "b", "a"], "gender": ["male", "male", "boy", "male"]})
    >>> genders = {"gender": ["male", "female"]}
    >>> row_problems(rows, texts=["text"], needed=[], once=["text", "gender"], allowed=genders)
    [None, 'text is missing', "gender is 'boy', not male or female", 'the sentence is there already']
    """
    allowed = allowed or {}
    again = repeated_rows(table, once)
    rows = table[list(dict.fromkeys([*texts, *needed, *allowed]))].to_dict("records")
    return [
        _row_problem(row, texts, allowed) or ("the sentence is there already" if repeated else None)
        for row, repeated in zip(rows, again, strict=True)
    ]


def _row_problem(
    row: Mapping[Any, Any], texts: Sequence[str], allowed: Mapping[str, Sequence[str]]
) -> str | None:
    for column, value in row.items():
        if pd.isna(value) or (isinstance(value, str) and not value.strip()):
            return f"{column} is missing"
        if column in texts and not isinstance(value, str):
            return f"{column} is no text: {value!r}"
        if column in allowed and value not in allowed[column]:
            return f"{column} is {value!r}, not {' or '.join(allowed[column])}"
    return None

"""Rows that say again what another row says."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd


def repeated_rows(table: pd.DataFrame, columns: Sequence[str]) -> list[bool]:
    """For each row whether one before it has the same values, whatever the white space in its texts.

    >>> repeated_rows(pd.DataFrame({"text": ["He left.", "She left.", "He \\xa0left. "]}), ["text"])
    [False, False, True]
    """
    compared = pd.DataFrame({column: table[column].map(_without_spacing) for column in columns})
    return compared.duplicated().tolist()


def _without_spacing(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value

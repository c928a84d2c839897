"""What the pages of studies share when they set a measured number beside the printed one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from counterpoise.studies.replication.findings import Value, compared


def with_columns(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """A study's table with all columns that its page reads; where --only left steps out, some are not there.

    >>> list(with_columns(pd.DataFrame({"value": [0.5]}), ["value", "statistic"]).statistic)
    [None]
    """
    empty = pd.Series([None] * len(table), dtype=object, index=table.index)
    return table.assign(**{name: empty for name in names if name not in table})


def number(value: Any) -> float | None:
    """A number, or None where there is none."""
    return None if value is None or math.isnan(value) else float(value)


def not_measured(what: str, published: float, reason: str, columns: Sequence[str]) -> list[Value]:
    """A line for a printed number that was not measured, and why; all other columns are empty.

    >>> not_measured("d", 1.1, "needs GloVe", ["number", "variant", "published", "measured", "verdict"])[-1]
    'not reproducible: needs GloVe'
    """
    line: dict[str, Value] = dict.fromkeys(columns)
    line |= {name: "" for name in ("variant", "recipe") if name in line}
    verdict = compared(what, published, None, 0.0, reason)[-1]
    return list((line | {"number": what, "published": published, "verdict": verdict}).values())

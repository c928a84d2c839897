"""The numbers of summary rows as text, the same in the terminal, on pages and in other formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterpoise.core.numbers import estimate_parts, integer_text
from counterpoise.measures.base.units import COUNT


def row_estimate(row: Mapping[Any, Any]) -> tuple[str, str]:
    """The value of a row and its interval, with the same number of decimals; counts as whole numbers.

    >>> row_estimate({"unit": "", "value": 0.00031, "ci_low": 0.00021, "ci_high": 0.00041})
    ('0.00031', '[0.00021, 0.00041]')
    >>> row_estimate({"unit": "count", "value": 12.0, "ci_low": float("nan"), "ci_high": float("nan")})
    ('12', '')
    """
    if row.get("unit") == COUNT.name:
        return integer_text(row["value"]), ""
    return estimate_parts(row["value"], row["ci_low"], row["ci_high"])

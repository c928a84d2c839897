"""Paired differences as they stand in answers."""

from __future__ import annotations

import math
from typing import Any

from counterpoise.core.numbers import p_equals
from counterpoise.studies.replication.study_table import ALPHA, with_interval

INCONCLUSIVE = "not distinguishable from 0"


def difference_text(row: Any, decimals: int = 2) -> str:
    """A difference with interval and p (adjusted, if it is), and whether it may be 0; without an interval, why.

    >>> from types import SimpleNamespace
    >>> difference_text(SimpleNamespace(value=-0.1, ci_low=-0.3, ci_high=0.1, p_value=0.2, note=""))
    '-0.10 [-0.30, 0.10], p = .200, not distinguishable from 0'
    >>> nan = float("nan")
    >>> difference_text(SimpleNamespace(value=-0.1, ci_low=nan, ci_high=nan, p_value=nan, note="one value only"))
    '-0.10 (no interval: one value only)'
    """
    text = with_interval(row, decimals, sign=True)
    if math.isnan(row.ci_low):
        return f"{text} (no interval: {row.note})" if row.note else text
    adjusted = getattr(row, "p_adjusted", math.nan)
    if not math.isnan(adjusted):
        text += f", {p_equals(adjusted)} (Holm)"
        return text if adjusted < ALPHA else f"{text}, {INCONCLUSIVE}"
    if not math.isnan(row.p_value):
        text += f", {p_equals(row.p_value)}"
    return text if excludes_zero(row) else f"{text}, {INCONCLUSIVE}"


def excludes_zero(row: Any) -> bool:
    """Whether the interval lies on one side of 0; not so where there is none."""
    return bool(row.ci_low > 0 or row.ci_high < 0)


def seeds_text(row: Any) -> str:
    """How many training runs a number is from.

    >>> from types import SimpleNamespace
    >>> seeds_text(SimpleNamespace(seeds=3)), seeds_text(SimpleNamespace(seeds=1))
    ('3 training seeds', 'a single training run')
    """
    return "a single training run" if row.seeds == 1 else f"{int(row.seeds)} training seeds"

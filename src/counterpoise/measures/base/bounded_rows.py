"""Rows about items that are known only within bounds, such as words that are not among a server's top tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from counterpoise.measures.base.rows import Row


def bounded_rows(lowest: Sequence[Row], highest: Sequence[Row], note: str) -> list[Row]:
    """Rows between those of the lowest and of the highest values that the items can have.

    A value is the middle of what is possible. Its interval reaches from the lower end of the one to the upper end of
    the other, so that it holds whatever the unknown values are; a test counts only what holds at both ends.
    """
    return [
        low if low.value == high.value and low.ci_low == high.ci_low else _between(low, high, note)
        for low, high in zip(lowest, highest, strict=True)
    ]


def _between(low: Row, high: Row, note: str) -> Row:
    same_side = (low.effect_size > 0) == (high.effect_size > 0)
    tested = np.isfinite(low.p_value) and np.isfinite(high.p_value)
    return replace(
        low,
        value=(low.value + high.value) / 2,
        ci_low=min(_or(row.ci_low, row.value) for row in (low, high)),
        ci_high=max(_or(row.ci_high, row.value) for row in (low, high)),
        p_value=np.nan if not tested else max(low.p_value, high.p_value) if same_side else 1.0,
        effect_size=min(low.effect_size, high.effect_size, key=abs) if same_side else low.effect_size * 0,
        smallest_detectable=float(np.maximum(low.smallest_detectable, high.smallest_detectable)),
        note=note,
    )


def _or(number: float, instead: float) -> float:
    """The end of an interval; where there is none, since the values are all equal, the value."""
    return number if np.isfinite(number) else instead

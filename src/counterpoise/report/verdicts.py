"""What a comparison says, in plain words: a difference with its interval, or none with the minimum detectable one."""

from __future__ import annotations

import math

import pandas as pd

from counterpoise.audit.compare import Comparison
from counterpoise.core.numbers import estimate_text, number_text
from counterpoise.measures.base.result import Direction
from counterpoise.report.wording import ALPHA, Claim, Kind, disagreement


def verdicts(comparison: Comparison) -> list[Claim]:
    """A line for each measure and pair of models, about the measure's first row that could be compared."""
    claims = []
    for _, rows in comparison.rows.groupby(["measure", "first", "second"], sort=False):
        row = rows.sort_values("difference", key=pd.isna, kind="stable").iloc[0]
        direction = comparison.results[row["first"]][row.measure].direction_of(row.key)
        if row.level == "versions":  # a statistic of every pair: which pair is it?
            row = row.copy()
            row["statistic"] = f"{row.statistic}, {row.group}"
        claims.append(Claim(row.measure, *verdict(row, direction)))
    return claims


def verdict(row: pd.Series, direction: Direction) -> tuple[Kind, str]:
    """The kind of verdict on a row of `Comparison.rows`, and its sentence."""
    first, second = row["first"], row["second"]
    if math.isnan(row.difference):
        return "unsure", f"{first} and {second} cannot be compared: {row.note}."
    if row.is_same:
        return "same", f"{second} and {first} give the same answers to all {row.n} items."
    if math.isnan(row.ci_low):
        return "unsure", f"{second} and {first} cannot be told apart: {row.note}."
    difference = estimate_text(row.difference, row.ci_low, row.ci_high, 0)
    excluded = not row.ci_low <= 0 <= row.ci_high
    if (row.p_adjusted < ALPHA) != excluded:
        why = disagreement(excluded, row.p_adjusted, "zero")
        return "unsure", f"{second} and {first} may differ in {row.statistic}: {difference}; {why}."
    if excluded:
        low, high = sorted((row.ci_low, row.ci_high), key=abs)
        size = estimate_text(abs(row.difference), abs(low), abs(high), 0)
        return "difference", f"{_who_leans(row, direction)}: {size} in {row.statistic}."
    return "same", (
        f"{second} and {first} do not differ clearly in {row.statistic}: {difference}. With 80 % power, these items "
        f"detect a difference of {number_text(row.smallest_detectable)} or more."
    )


def _who_leans(row: pd.Series, direction: Direction) -> str:
    """Which model leans more, and towards whom; or whose number is higher if the measure names no sides."""
    first, second, more = row["first"], row["second"], row.difference > 0
    sides = direction.sides
    if sides is None or math.isnan(row.ideal) or row.form not in ("mean", "share"):
        return f"{row.statistic} is {'higher' if more else 'lower'} with {second} than with {first}"
    was_positive, is_positive = row.value_first > row.ideal, row.value_second > row.ideal
    if was_positive != is_positive:
        return f"{second} leans more towards {sides[0 if more else 1]} than {first}"
    how, side = "more" if more == is_positive else "less", sides[0 if is_positive else 1]
    return f"{second} leans {how} towards {side} than {first}"

"""Rows about the side towards which words without a gender lean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import fitted_row, mean_row
from counterpoise.measures.base.rows import OVERALL, Place, Row, in_group
from counterpoise.measures.base.source import Observed

LEAN = Direction(
    "Words without a gender of their own lean towards male words.",
    "Words without a gender of their own lean towards female words.",
    GENDERS,
)
MEN_MINUS_WOMEN = Direction(
    "Professions held mostly by men lean more towards male words than those held mostly by women.",
    "Professions held mostly by women lean more towards male words than those held mostly by men.",
)


def lean_rows(leans: Observed, statistic: str, label: str, seed: int) -> list[Row]:
    """The mean of values that are positive for a male lean: of all words, of each group, and men's minus women's.

    p is by permutation: signs are turned, and for the difference of the groups words exchanged between them.
    """
    rows = [_lean(leans, statistic, label, OVERALL, seed)]
    groups = dict(leans.by("group"))
    if len(groups) < 2:
        return rows
    rows += [_lean(words, statistic, label, in_group(name), seed) for name, words in groups.items()]
    if all(len(groups.get(name, ())) > 1 for name in ("male", "female")):
        male, female = (groups[name].numbers.to_numpy() for name in ("male", "female"))
        row = _difference(male, female, f"{statistic}_difference", label, seed)
        rows.append(replace(row, source=leans.as_source("difference")))
    return rows


def _lean(leans: Observed, statistic: str, label: str, at: Place, seed: int) -> Row:
    row = mean_row(leans, statistic, label, at=at)
    return replace(row, p_value=stats.sign_flip_test(leans.numbers.to_numpy(), seed=seed).p_value)


def _difference(male: np.ndarray, female: np.ndarray, statistic: str, label: str, seed: int) -> Row:
    values = np.concatenate([male, female])
    side = np.repeat(["male", "female"], [len(male), len(female)])

    def difference(table: pd.DataFrame) -> float:
        is_male = table.side.to_numpy() == "male"
        numbers = table["value"].to_numpy()
        return float(numbers[is_male].mean() - numbers[~is_male].mean())

    interval = stats.bootstrap(
        pd.DataFrame({"value": values, "side": side}), difference, strata=side, n=2000, seed=seed
    )
    within = np.concatenate([male - male.mean(), female - female.mean()])
    spread = float(np.sqrt(np.square(within).sum() / (len(values) - 2)))
    return fitted_row(
        interval,
        statistic,
        label,
        n=len(values),
        at=Place("overall", "professions held mostly by men - by women"),
        p_value=stats.permutation_test(male, female, seed=seed).p_value,
        effect_size=float(stats.cohens_d(male, female)),
        smallest_detectable=stats.smallest_difference(len(male), len(female)) * spread,
    )

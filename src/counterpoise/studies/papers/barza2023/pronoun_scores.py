"""Pronouns at a masked place: their scores in a cell's folder, APPD of words over templates and training seeds.

Runs are tables with a row per training seed and a column per word and template; the model as it was is a single row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.data.spec import Variant
from counterpoise.measures.base.result import Result
from counterpoise.mitigate.evaluation.generalisation import Generalisation, generalise
from counterpoise.studies.papers.barza2023.estimates import estimate, with_adjusted
from counterpoise.studies.papers.barza2023.statistics import (
    APPD,
    BOUND,
    CHANGE,
    INTERCEPT,
    LEAN_KEPT,
    MEAN_ABSOLUTE_APPD,
    MEAN_APPD,
    MEAN_LEAN,
    NET,
    PROFESSIONS,
    SHIFT,
    SLOPE,
    SWAPPED,
    TRAINED,
    UNSWAPPED,
    R,
)

WORD = ["category", "gender", "word"]
QUESTION = [*WORD, "template"]
CORRECTED: Variant = "corrected"
_FILE = "pronouns.csv"


def write_pronouns(results: Mapping[Variant, Result], folder: Path) -> None:
    """Keeps the PPD of each word and template, by variant; `gender` is that of words bound to one, else empty."""
    tables = [
        result.items.assign(variant=variant, gender=result.items.gender.where(result.items.gendered, ""))
        for variant, result in results.items()
    ]
    pd.concat(tables)[["variant", *QUESTION, "ppd"]].to_csv(folder / _FILE, index=False)


def read_pronouns(folder: Path, variant: Variant = CORRECTED) -> pd.Series:
    """PPD by word and template; empty where the variant was not asked."""
    table = pd.read_csv(folder / _FILE, keep_default_na=False)
    return table[table.variant == variant].set_index(QUESTION).ppd.astype(float)


def runs_of(by_seed: Mapping[int, pd.Series]) -> pd.DataFrame:
    """A row per seed that was asked, a column per word and template."""
    asked = {seed: scores for seed, scores in sorted(by_seed.items()) if len(scores)}
    return pd.DataFrame(asked).T


def by_word(runs: pd.DataFrame) -> pd.DataFrame:
    """APPD, the mean over templates: a column per word."""
    return runs.T.groupby(level=WORD, sort=False).mean().T


def word_rows(before: pd.Series, after: pd.DataFrame) -> list[dict[str, Any]]:
    """For each word APPD after training, and its change, tested over seeds and templates."""
    levels, changes = [], []
    for (category, gender, word), runs in after.T.groupby(level=WORD, sort=False):
        values, start = runs.T, before[runs.index]
        labels = {
            "group": word,
            "category": category,
            "gender": gender,
            "before": float(start.mean()),
            "after": float(values.to_numpy().mean()),
        }
        levels.append(estimate(values, **labels, statistic=APPD))
        changes.append(estimate(values - start, **labels, statistic=APPD, compared=TRAINED))
    return [*levels, *with_adjusted(changes)]


def line_rows(before: pd.Series, after: pd.DataFrame, corpus: Iterable[str]) -> list[dict[str, Any]]:
    """Figure 10: the line through professions, and how much bound words kept of their lean; over words and seeds."""
    start, end = by_word(before.to_frame().T).iloc[0], by_word(after)
    bound = start.index.get_level_values("gender") != ""
    towards = np.where(start.index.get_level_values("gender")[bound] == "male", 1.0, -1.0)
    leans, lean = end.loc[:, bound].to_numpy() * towards, start[bound].to_numpy() * towards
    kept = stats.crossed_estimate(
        np.arange(len(lean)), lambda words: leans[:, words].mean(1) / lean[words].mean()
    )
    names = start.index[~bound].get_level_values("word")
    generalisation = generalise(
        start[~bound].set_axis(names), end.loc[:, ~bound].set_axis(names, axis=1), corpus, kept=kept.value
    )
    row = {
        "group": BOUND,
        "statistic": LEAN_KEPT,
        "value": kept.value,
        "ci_low": kept.low,
        "ci_high": kept.high,
    }
    rows = [*_lines(generalisation), {**row, "n": int(bound.sum())}]
    return [{**row, "seeds": len(after)} for row in rows]


def net_rows(before: pd.Series, swapped: pd.DataFrame, unswapped: pd.DataFrame) -> list[dict[str, Any]]:
    """What training on GAP changed, and what of it the swap did: paired over words, with the control of each seed."""
    seeds = swapped.index.intersection(unswapped.index)
    start, with_swap, without = (
        by_word(runs) for runs in (before.to_frame().T, swapped.loc[seeds], unswapped.loc[seeds])
    )
    return [
        row
        for compared, new, old in (
            (SWAPPED, with_swap, start),
            (UNSWAPPED, without, start),
            (NET, with_swap, without),
        )
        for row in _mean_rows(new, old, compared)
    ]


def _mean_rows(new: pd.DataFrame, old: pd.DataFrame, compared: str) -> list[dict[str, Any]]:
    """The differences of two models' means over words."""
    gender = new.columns.get_level_values("gender")
    free, bound = gender == "", gender != ""
    towards = np.where(gender[bound] == "male", 1.0, -1.0)
    end, start = new.to_numpy(), old.to_numpy()
    pairs = (
        (PROFESSIONS, MEAN_APPD, end[:, free], start[:, free]),
        (PROFESSIONS, MEAN_ABSOLUTE_APPD, np.abs(end[:, free]), np.abs(start[:, free])),
        (BOUND, MEAN_LEAN, end[:, bound] * towards, start[:, bound] * towards),
    )
    return [
        estimate(
            second - first,
            group=group,
            statistic=statistic,
            compared=compared,
            first=float(first.mean()),
            second=float(second.mean()),
        )
        for group, statistic, second, first in pairs
    ]


def _lines(generalisation: Generalisation) -> list[dict[str, Any]]:
    """The fits of figure 10: slope, intercept, correlation and changes, each with its interval."""
    columns = {"slope": SLOPE, "intercept": INTERCEPT, "r": R, "shift": SHIFT, "change": CHANGE}
    return [
        {
            "group": fit["part"],
            "statistic": statistic,
            "value": fit[column],
            "ci_low": fit[f"{column}_low"],
            "ci_high": fit[f"{column}_high"],
            "n": int(fit["n"]),
            "note": generalisation.answer if (statistic, fit["part"]) == (SLOPE, "all") else "",
        }
        for fit in generalisation.fits.to_dict("records")
        for column, statistic in columns.items()
    ]

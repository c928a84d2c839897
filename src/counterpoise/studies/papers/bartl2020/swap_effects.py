"""What swapping adds to fine-tuning: the change by each recipe minus that of the control, over professions.

Every recipe trains on the same passages with the same seed, and only the control leaves them unswapped. The
associations before fine-tuning are common to both changes, so that a profession's effect is

    effect = association after the recipe - association after the control

With several seeds a profession has an effect for each. Its interval and test then generalise over professions and over
trainings (`stats.crossed_t`, two crossed random effects); with one seed they are those of professions alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.studies.papers.bartl2020.published import GROUPS, PERSONS
from counterpoise.studies.papers.bartl2020.summary_rows import DIFFERENCE, PROFESSION
from counterpoise.studies.papers.bartl2020.training import RECIPES
from counterpoise.studies.replication.study_table import ALPHA, select

CONTROL = "control"
SWAPPED = tuple(recipe for recipe in RECIPES if recipe != CONTROL)
_COLUMNS = [
    "model", "variant", "recipe", "group", "person", "value", "ci_low", "ci_high", "p_value", "p_adjusted",
    "smallest_detectable", "professions", "seeds", "sd_of_seeds",
]  # fmt: skip


def swap_effects(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each model, variant, recipe, group of professions and gender of the person; none without a control.

    p_adjusted: by Holm's method, with two families for each model and variant: male minus female, and female and male
    words on their own. smallest_detectable: with 80 % power at the strictest level that Holm's method uses.
    sd_of_seeds: of the mean effect over trainings; missing with one.
    """
    after = _by_person(select(table, step="after", statistic=PROFESSION))
    rows = [
        {"model": model, "variant": variant, **row}
        for (model, variant), of_reading in after.groupby(["model", "variant"], sort=False)
        for family in ((DIFFERENCE,), PERSONS)
        for row in _family(of_reading, family)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _family(after: pd.DataFrame, persons: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of tests that are corrected together."""
    tests = list(_tests(after, persons))
    p_values = np.array([fit.p_value for _, fit, _ in tests])
    strictest = ALPHA / max(1, int(np.isfinite(p_values).sum()))
    for (names, fit, by_seed), p_adjusted in zip(tests, stats.adjust(p_values, "holm"), strict=True):
        yield {
            **names,
            "value": fit.value,
            "ci_low": fit.low,
            "ci_high": fit.high,
            "p_value": fit.p_value,
            "p_adjusted": float(p_adjusted),
            "smallest_detectable": stats.smallest_detectable_t(fit.standard_error, fit.df, alpha=strictest),
            "professions": by_seed.shape[1],
            "seeds": len(by_seed),
            "sd_of_seeds": float(by_seed.mean(axis=1).std()),
        }


def _by_person(rows: pd.DataFrame) -> pd.DataFrame:
    """The mean association of each profession after each training: columns for female, male, and their difference."""
    wide = rows.assign(value=pd.to_numeric(rows.value)).pivot_table(
        index=["model", "variant", "recipe", "seed", "group", "profession"],
        columns="person",
        values="value",
        sort=False,
    )
    wide = wide.reindex(columns=list(PERSONS))
    return wide.assign(**{DIFFERENCE: wide["male"] - wide["female"]}).reset_index()


def _tests(
    after: pd.DataFrame, persons: Sequence[str]
) -> Iterator[tuple[dict[str, str], stats.ClusterT, pd.DataFrame]]:
    """Each recipe, group and person: the mean effect, and the effects with a row per seed, a column per profession."""
    control = after[after.recipe == CONTROL]
    for recipe in SWAPPED:
        pairs = after[after.recipe == recipe].merge(
            control, on=["seed", "group", "profession"], suffixes=("", "_control"), validate="one_to_one"
        )
        for group in GROUPS:
            of_group = pairs[pairs.group == group]
            for person in persons if len(of_group) else ():
                effects = of_group.assign(effect=of_group[person] - of_group[f"{person}_control"])
                by_seed = effects.pivot_table(index="seed", columns="profession", values="effect").dropna()
                names = {"recipe": recipe, "group": group, "person": person}
                yield names, stats.crossed_t(by_seed.to_numpy()), by_seed

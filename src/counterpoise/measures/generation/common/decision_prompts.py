"""The cases of `decisions`, each told of everybody, and those that cannot be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.builtin.decisions import DecisionTemplates
from counterpoise.data.user.name_tables import NamesTable
from counterpoise.measures.base.sampling import balanced_sample, current_limit
from counterpoise.measures.base.skipped import skipped_table

_FEWEST_NAMES = 2  # pairs of names, or names of each gender and group


def cases_of_pairs(templates: DecisionTemplates, n_names: int, ages: Sequence[int]) -> pd.DataFrame:
    """Every template with every person of pairs of names. Under a limit there are fewer names, and then fewer templates
    of each domain, so that each template is still told of each person.
    """
    table = templates.table()
    limit = current_limit()
    if limit is None:
        return templates.fill(n_names, ages, table)
    cells = max(1, limit[0] // (2 * len(ages)))
    names = int(np.clip(cells // len(table) - 1, _FEWEST_NAMES, n_names))  # one more pair has no names
    return templates.fill(names, ages, _fewer(table, cells // (names + 1), limit[1]))


def cases_of_table(templates: DecisionTemplates, names: NamesTable, ages: Sequence[int]) -> pd.DataFrame:
    """Every template with every name of a table, with `group` and whether `is_named`; fewer of both under a limit."""
    table, chosen = templates.table(), names.table
    limit = current_limit()
    if limit is not None:
        cells = max(1, limit[0] // len(ages))
        each = max(_FEWEST_NAMES, cells // len(table) // len(set(names.cells)))
        shuffled = chosen.iloc[np.random.default_rng(limit[1]).permutation(len(chosen))]
        chosen = shuffled.groupby(["gender", "group"]).head(each).sort_index()
        table = _fewer(table, cells // len(chosen), limit[1])
    people = chosen.rename(columns={"name": "person"}).assign(is_named=True)
    return templates.fill_with(people, ages, table)


def whole_templates(items: pd.DataFrame, problems: Sequence[str | None]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The items without those of templates that cannot be asked about everybody, or of ages that they do not tell."""
    told = pd.Series(list(problems), index=items.index, dtype=object)
    if len(items.age.unique()) > 1:
        told[~items.has_age & told.isna()] = "the template has no {age}"
    reasons = told.dropna().groupby(items.template, sort=False).first()
    kept = items[~items.template.isin(reasons.index)].reset_index(drop=True)
    if kept.empty:
        raise DataError(f"nothing is left to measure: all templates were skipped ({reasons.iloc[0]})")
    return kept, skipped_table(reasons.index.tolist(), reasons.tolist())


def _fewer(table: pd.DataFrame, count: int, seed: int) -> pd.DataFrame:
    """So many templates, and one at least, as many of each domain as can be."""
    return balanced_sample(table, max(1, min(len(table), count)), seed, strata=("domain",))

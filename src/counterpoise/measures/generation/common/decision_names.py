"""Rows of `decisions` about names by gender and group: main effects and interactions, over templates and names.

With likelihoods every prompt has its log-odds. With sampled answers they are those of all answers about the names of a
gender and a group together, since those of a few answers to one prompt would be pulled towards 0:

    theta[t, c]  = log((k + 1/2) / (n - k + 1/2))                        k of n decisions of template t, cell c
    pseudo[t, j] = N theta[t, c] - (N - 1) theta[t, c without j]         name j of the N names of cell c

The pseudo-values of the jackknife are what single names add, moved so that the mean of a cell is theta. Contrasts of
either number, their intervals and tests, are those of `counterpoise.measures.base.name_rows`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise.core.plurals import count_text
from counterpoise.data.user.name_tables import NamesTable, cell_of
from counterpoise.measures.base.bounded_rows import between_ends
from counterpoise.measures.base.name_rows import (
    NAME_DIRECTIONS,
    NameContrast,
    contrast_row,
    name_contrasts,
)
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import figure_row
from counterpoise.measures.base.rows import Row
from counterpoise.measures.base.source import Contrast, Source
from counterpoise.measures.generation.common.decision_differences import D_PER_LOG_ODDS
from counterpoise.measures.generation.common.decision_likelihoods import are_bounded, bounds_note

POOLED = "log_odds_pooled"
_MEAN = "mean log-odds of a favourable decision"

DECISION_NAME_DIRECTIONS: Mapping[str, Direction] = {
    **NAME_DIRECTIONS,
    "gender_effect": Direction(
        "The model decides in favour of people with names of the first gender more often.",
        "The model decides in favour of people with names of the second gender more often.",
    ),
    "group_effect": Direction(
        "The model decides in favour of people with names of the first group more often.",
        "The model decides in favour of people with names of the second group more often.",
    ),
    "name_mean": Direction(
        "More decisions about people with these names are in their favour than not.",
        "Fewer decisions about people with these names are in their favour than not.",
    ),
}


def has_groups(items: pd.DataFrame) -> bool:
    """Whether the people of these items come from a table of names by gender and group."""
    return "group" in items


def with_pooled_log_odds(items: pd.DataFrame) -> pd.DataFrame:
    """Sampled decisions with what each name adds to the log-odds of its template and cell, the same at each age."""
    names = _names_of(items)
    templates = pd.Categorical(items.template).codes
    people = pd.Categorical(items.person, categories=names.names).codes
    counts = np.zeros((templates.max() + 1, len(names.names), 2))
    np.add.at(counts, (templates, people), items[["n_favourable", "n_unfavourable"]].to_numpy())
    pooled = pooled_log_odds(counts[..., 0], counts[..., 1], names.cells)
    return items.assign(**{POOLED: pooled[templates, people]})


def pooled_log_odds(favourable: np.ndarray, unfavourable: np.ndarray, cells: tuple[str, ...]) -> np.ndarray:
    """The pseudo-values of counts, which have a row for each template and a column for each name.

    A template without a decision about the names of some cell has none.
    """
    values, decided = np.empty(favourable.shape), np.ones(len(favourable), dtype=bool)
    for cell in dict.fromkeys(cells):
        place = np.array(cells) == cell
        ours, theirs = favourable[:, place], unfavourable[:, place]
        k, rest = ours.sum(axis=1, keepdims=True), theirs.sum(axis=1, keepdims=True)
        theta, without = _log_odds(k, rest), _log_odds(k - ours, rest - theirs)
        n = int(place.sum())
        pseudo = n * theta - (n - 1) * without
        # The jackknife is used for the variance, not against bias.
        values[:, place] = pseudo + theta - pseudo.mean(axis=1, keepdims=True)
        decided &= (k + rest > 0).ravel()
    values[~decided] = np.nan
    return values


def decision_name_rows(items: pd.DataFrame) -> list[Row]:
    """Main effects, interactions, the difference of genders in each group, and the mean of each cell."""
    names, column = _names_of(items), POOLED if POOLED in items else "log_odds"
    contrasts = name_contrasts(names)
    if f"{column}_low" in items:
        return [_bounded_row(items, names, contrast, column) for contrast in contrasts]
    known = items.dropna(subset=[column])
    if known.empty:
        note = "no template has a decision about the names of each gender and group"
        return [
            figure_row(math.nan, one.statistic, _label(one), n=len(items), at=one.place, note=note)
            for one in contrasts
        ]
    scores = _scores(known, column)
    undecided = items.template.nunique() - len(scores)
    note = f"without {count_text(undecided, 'template')} that had no decision about names of a kind"
    return [
        _row(scores[[*names.names]].to_numpy(), names, contrast, column, note if undecided else "")
        for contrast in contrasts
    ]


def _row(scores: np.ndarray, names: NamesTable, contrast: NameContrast, column: str, note: str) -> Row:
    row = contrast_row(
        scores, names, replace(contrast, label=_label(contrast)), _source(names, contrast, column)
    )
    effect_size = row.value * D_PER_LOG_ODDS if np.isfinite(row.p_value) else math.nan
    return replace(row, effect_size=effect_size, note=row.note or note)


def _bounded_row(items: pd.DataFrame, names: NamesTable, contrast: NameContrast, column: str) -> Row:
    """The row of a contrast of items that have bounds: those that it counts positively are at the other end."""
    cells = [cell_of(gender, group) for gender, group in zip(items.gender, items.group, strict=True)]
    weights = pd.Series([contrast.weights.get(cell, 0.0) for cell in cells], index=items.index)
    counted, note = items[weights != 0], bounds_note(items, column)
    if not are_bounded(counted, column):
        return figure_row(
            math.nan, contrast.statistic, _label(contrast), n=len(counted), at=contrast.place, note=note
        )

    def row_of(items: pd.DataFrame) -> Row:
        items = items.assign(**{column: items[column].where(weights != 0, 0.0)})  # may have no bounds
        return _row(_scores(items, column)[[*names.names]].to_numpy(), names, contrast, column, "")

    return between_ends(items, column, weights > 0, row_of, note)


def _scores(items: pd.DataFrame, column: str) -> pd.DataFrame:
    """A row for each template and a column for each name."""
    return items.pivot_table(index="template", columns="person", values=column, sort=False)


def _label(contrast: NameContrast) -> str:
    return contrast.label if contrast.is_tested else _MEAN


def _source(names: NamesTable, contrast: NameContrast, column: str) -> Source:
    """The same contrast of the items of each template."""
    weights: dict[tuple[str, ...], float] = {
        (gender, group): contrast.weights[cell_of(gender, group)]
        for gender in names.genders
        for group in names.groups
        if cell_of(gender, group) in contrast.weights
    }
    return Source(column, contrast=Contrast(("gender", "group"), weights, ("template",)))


def _names_of(items: pd.DataFrame) -> NamesTable:
    people = items.drop_duplicates("person")
    return NamesTable("names", people[["person", "gender", "group"]].rename(columns={"person": "name"}))


def _log_odds(favourable: np.ndarray, unfavourable: np.ndarray) -> np.ndarray:
    return np.asarray(np.log((favourable + 0.5) / (unfavourable + 0.5)))

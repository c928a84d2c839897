"""Rows about names of several genders and groups, each written into every text: main effects and interactions.

    gender effect      = mean over groups of    mean rating with male names - with female names
    group effect       = mean over genders of   mean rating with names of one group - with those of another
    interaction        = gender effect in one group - gender effect in the other

Cells, such as the female names of a group, weigh alike however many names they have. Texts and names are crossed, and
both are samples: intervals and tests are those of `counterpoise.stats.crossed_contrast`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.data.user.name_tables import NamesTable, cell_of
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import fitted_row
from counterpoise.measures.base.rows import ZERO, Ideal, Place, Row, in_group
from counterpoise.measures.base.source import Source

# By statistic, for measures that take a table of names.
NAME_DIRECTIONS: Mapping[str, Direction] = {
    "gender_effect": Direction(
        "Texts are rated higher with names of the first gender than with names of the second.",
        "Texts are rated higher with names of the second gender than with names of the first.",
    ),
    "group_effect": Direction(
        "Texts are rated higher with names of the first group than with names of the second.",
        "Texts are rated higher with names of the second group than with names of the first.",
    ),
    "interaction": Direction(
        "The first gender is favoured more in the first group of names than in the second.",
        "The first gender is favoured more in the second group of names than in the first.",
    ),
    "name_mean": Direction(
        "The mean rating with these names is above 0.", "The mean rating with these names is below 0."
    ),
}


@dataclass(frozen=True)
class NameContrast:
    """A comparison of cells of names; `column` is that of the items with its value in each text."""

    statistic: str
    label: str
    place: Place
    weights: Mapping[str, float]
    ideal: Ideal = ZERO

    @property
    def column(self) -> str:
        return f"{self.statistic}: {self.place.group}"

    @property
    def is_tested(self) -> bool:
        return self.ideal is ZERO


def name_contrasts(names: NamesTable) -> list[NameContrast]:
    """Main effects and interactions, gender effects within groups, and the mean of each cell.

    >>> rows = [(f"{gender}{group}{n}", gender, group) for gender in ("he", "she") for group in "ab" for n in (1, 2)]
    >>> contrasts = name_contrasts(NamesTable("mine", pd.DataFrame(rows, columns=["name", "gender", "group"])))
    >>> [contrast.statistic for contrast in contrasts[:3]], contrasts[1].weights["male, a"]
    (['gender_effect', 'group_effect', 'interaction'], 0.5)
    """
    return [*_main_effects(names), *_interactions(names), *_within_groups(names), *_cell_means(names)]


def with_name_effects(items: pd.DataFrame, scores: np.ndarray, names: NamesTable) -> pd.DataFrame:
    """The items with the value of each contrast; `scores` has a row for each item and a column for each name."""
    by_cell = _cell_scores(scores, names)
    values = {
        contrast.column: sum(weight * by_cell[cell] for cell, weight in contrast.weights.items())
        for contrast in name_contrasts(names)
    }
    return items.assign(**values)


def name_rows(scores: np.ndarray, names: NamesTable) -> list[Row]:
    """The rows of items that `with_name_effects` has prepared.

    Main effects and interactions over all names are one family of tests, gender effects within groups another.
    """
    return [
        contrast_row(scores, names, contrast, Source(contrast.column)) for contrast in name_contrasts(names)
    ]


def contrast_row(scores: np.ndarray, names: NamesTable, contrast: NameContrast, source: Source) -> Row:
    """The row of one contrast; `scores` has a row for each text and a column for each name.

    No effect size: d over texts would stand beside a test over texts and names.
    """
    fit = stats.crossed_contrast(scores, names.cells, contrast.weights)
    tested = contrast.is_tested
    return fitted_row(
        fit,
        contrast.statistic,
        contrast.label,
        at=contrast.place,
        ideal=contrast.ideal,
        n=fit.n,
        clusters=fit.n_clusters,
        p_value=fit.p_value if tested else np.nan,
        smallest_detectable=stats.smallest_detectable_t(fit.standard_error, fit.df) if tested else np.nan,
        source=source,
    )


def _cell_scores(scores: np.ndarray, names: NamesTable) -> dict[str, np.ndarray]:
    """The mean rating of each text under the names of each cell."""
    cells = np.array(names.cells)
    return {cell: scores[:, cells == cell].mean(axis=1) for cell in dict.fromkeys(names.cells)}


def _main_effects(names: NamesTable) -> Iterator[NameContrast]:
    genders, groups = names.genders, names.groups
    for first, second in itertools.combinations(genders, 2):
        weights = {
            cell_of(gender, group): sign / len(groups)
            for gender, sign in ((first, 1.0), (second, -1.0))
            for group in groups
        }
        place = Place("overall", f"{first} - {second}", f"{first}_{second}")
        yield NameContrast("gender_effect", "main effect of gender", place, weights)
    for one, other in itertools.combinations(groups, 2):
        weights = {
            cell_of(gender, group): sign / len(genders)
            for group, sign in ((one, 1.0), (other, -1.0))
            for gender in genders
        }
        place = Place("overall", f"{one} - {other}", f"{one}_{other}")
        yield NameContrast("group_effect", "main effect of group", place, weights)


def _interactions(names: NamesTable) -> Iterator[NameContrast]:
    for first, second in itertools.combinations(names.genders, 2):
        for one, other in itertools.combinations(names.groups, 2):
            weights = {
                cell_of(first, one): 1.0,
                cell_of(second, one): -1.0,
                cell_of(first, other): -1.0,
                cell_of(second, other): 1.0,
            }
            place = Place(
                "overall", f"{first} - {second}, {one} - {other}", f"{first}_{second}_{one}_{other}"
            )
            yield NameContrast("interaction", "interaction of gender and group", place, weights)


def _within_groups(names: NamesTable) -> Iterator[NameContrast]:
    if len(names.groups) > 1:
        for group in names.groups:
            for first, second in itertools.combinations(names.genders, 2):
                weights = {cell_of(first, group): 1.0, cell_of(second, group): -1.0}
                place = in_group(f"{first}_{second}_{group}", f"{first} - {second}, {group}")
                yield NameContrast("gender_effect", "difference of genders in the group", place, weights)


def _cell_means(names: NamesTable) -> Iterator[NameContrast]:
    for gender in names.genders:
        for group in names.groups:
            cell = cell_of(gender, group)
            place = in_group(f"{gender}_{group}", cell)
            yield NameContrast("name_mean", "mean rating", place, {cell: 1.0}, ideal=Ideal.none())

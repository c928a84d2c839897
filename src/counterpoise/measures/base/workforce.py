"""What a model says of professions beside the share of women who work in them (Bartl et al. 2020, question 3).

The share is that of the US workforce in 2019, by which the professions of BEC-Pro were chosen. Its correlation with
male minus female association is negative where the model follows the world: the more women, the more female. Spearman's
is the one to quote: shares lie in three heaps, near 0, 50 and 90 %, and ranks do not care how far apart those are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from counterpoise.data.builtin.workforce import workforce
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import correlation_row
from counterpoise.measures.base.rows import Place, Row, of_word
from counterpoise.measures.base.source import Observed, Source
from counterpoise.stats.correlations import Kind

SHARE_LABEL = "share of women (US, 2019)"
_FEWEST = 4  # with fewer there is no interval
_KINDS: tuple[Kind, ...] = ("spearman", "pearson")
WORKFORCE_DIRECTIONS: dict[str, Direction] = dict.fromkeys(
    _KINDS,
    Direction(
        "The more women work in a profession, the more male it is to the model.",
        "The more women work in a profession, the more female it is to the model.",
    ),
)


def women_share(professions: pd.Series) -> pd.Series:
    """The share of women in each profession, in per cent; missing where it is not known.

    >>> women_share(pd.Series(["carpenter", "wizard"])).tolist()
    [2.8, nan]
    """
    return professions.map(workforce().set_index("profession").women_2019)


def beside_shares(
    pairs: pd.DataFrame, value: str = "difference", profession: str = "profession"
) -> pd.DataFrame:
    """One row per profession: `group`, the mean of each number asked for, and `women_share`.

    >>> pairs = pd.DataFrame({"group": "male", "profession": ["mason", "mason"], "difference": [0.5, 0.7]})
    >>> beside_shares(pairs).round(2).values.tolist()
    [['male', 'mason', 0.6, 3.0]]
    """
    table = pairs.groupby(["group", profession], sort=False)[value].mean().reset_index()
    return table.assign(women_share=women_share(table[profession]))


def with_share(row: Row, share: float, label: str = SHARE_LABEL) -> Row:
    """The row of a profession, with the share of women in its note."""
    return row if math.isnan(share) else replace(row, note=f"{row.note} {label}: {share:g} %".strip())


def correlation_rows(
    table: pd.DataFrame,
    value: str = "difference",
    source: Source | None = None,
    label: str = SHARE_LABEL,
) -> list[Row]:
    """Spearman's and Pearson's correlation over the professions whose share is known; nothing if they are too few.

    They are a family of their own when p-values are adjusted: whether a model leans and whether it leans as the world
    does are two questions.
    """
    known = table[table.women_share.notna()]
    if len(known) < _FEWEST:
        return []
    return [
        correlation_row(
            known[value],
            known.women_share,
            kind,
            f"{kind.capitalize()} correlation with the {label}",
            kind=kind,
            at=Place("workforce", "all"),
            source=source,
        )
        for kind in _KINDS
    ]


def workforce_rows(
    pairs: Observed, profession: str, row_of_profession: Callable[[Observed, Place], Row]
) -> list[Row]:
    """How associations go with the share of women; then the row of each profession, with its share in the note."""
    professions = beside_shares(pairs.table, "association", profession)
    shares = professions.set_index(profession).women_share
    return [
        *correlation_rows(
            professions, "association", pairs.as_source("correlation", profession, "women_share")
        ),
        *(
            with_share(row_of_profession(of_profession, of_word(name)), shares[name])
            for name, of_profession in pairs.by(profession)
        ),
    ]

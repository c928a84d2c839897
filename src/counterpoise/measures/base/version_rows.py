"""Rows that compare any number of versions of the same items: each version, every pair of them, and the largest gap.

For measures that give each item a score under each version, such as a text about a man, about a woman and with they.
The scores of a version are a column of the items; `with_versions` adds what the rows are computed of.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import figure_row, fitted_row, mean_row
from counterpoise.measures.base.rows import OVERALL, Ideal, Place, Row
from counterpoise.measures.base.source import Source, observe
from counterpoise.stats.repeated import PairTest

# By statistic, for measures that compare versions.
VERSION_DIRECTIONS: Mapping[str, Direction] = {
    "largest_gap": Direction(
        "The same texts are rated higher in one version than in another.",
        "The same texts are rated alike in all versions.",
    ),
    "largest_gap_by_chance": Direction(
        "Versions that are rated alike differ by chance.", "Versions that are rated alike do not differ."
    ),
    "version_difference": Direction(
        "Texts are rated higher in the first of the two versions than in the second.",
        "Texts are rated higher in the second of the two versions than in the first.",
    ),
    "version_mean": Direction(
        "The mean rating of this version is above 0.", "The mean rating of this version is below 0."
    ),
}


def score_column(version: str, score: str = "rating") -> str:
    """
    >>> score_column("they")
    'rating_they'
    """
    return f"{score}_{version}"


def difference_column(first: str, second: str) -> str:
    """
    >>> difference_column("male", "they")
    'male_minus_they'
    """
    return f"{first}_minus_{second}"


def with_versions(
    items: pd.DataFrame, scores: np.ndarray, versions: Sequence[str], score: str = "rating"
) -> pd.DataFrame:
    """The items with the score of each version, all differences, their range, and the lowest and highest version.

    `scores` has a row for each item and a column for each version.

    >>> rated = with_versions(pd.DataFrame({"text": ["a"]}), np.array([[0.5, 0.25, 0.75]]), ["male", "female", "they"])
    >>> rated.columns.tolist()[4:7], rated.highest[0]
    (['male_minus_female', 'male_minus_they', 'female_minus_they'], 'they')
    >>> rated[["male_minus_they", "range"]].values.tolist()
    [[-0.25, 0.5]]
    """
    column_of = dict(zip(versions, scores.T, strict=True))
    differences = {
        difference_column(a, b): column_of[a] - column_of[b] for a, b in itertools.combinations(versions, 2)
    }
    return items.assign(
        **{score_column(version, score): column for version, column in column_of.items()},
        **differences,
        range=np.ptp(scores, axis=1),
        lowest=[versions[i] for i in scores.argmin(axis=1)],
        highest=[versions[i] for i in scores.argmax(axis=1)],
    )


def version_rows(
    items: pd.DataFrame,
    versions: Sequence[str],
    *,
    score: str = "rating",
    cluster: str | None = None,
    test: PairTest = "t",
    seed: int = 0,
) -> list[Row]:
    """The rows of items that `with_versions` has prepared.

    The largest gap leads, with what it would be by chance; then come the pairs of versions, which are a family of tests
    of their own, and the versions. Intervals count clusters of items, or items where no column is named.
    """
    scores = items[[score_column(version, score) for version in versions]].to_numpy()
    clusters = None if cluster is None else items[cluster]
    return [
        *_gap_rows(scores, versions, clusters, cluster, score, seed),
        *_pair_rows(scores, versions, clusters, cluster, score, test),
        *(
            mean_row(
                observe(items, score_column(version, score)),
                "version_mean",
                f"mean {score}",
                cluster=cluster,
                at=Place("versions", version, version),
                ideal=Ideal.none(),
                test=None,
            )
            for version in versions
        ),
    ]


def _gap_rows(
    scores: np.ndarray,
    versions: Sequence[str],
    clusters: pd.Series | None,
    cluster: str | None,
    score: str,
    seed: int,
) -> list[Row]:
    gap = stats.largest_gap(scores, clusters, seed=seed)
    ends = f"highest: {versions[gap.highest]}, lowest: {versions[gap.lowest]}"
    row = fitted_row(
        gap,
        "largest_gap",
        f"largest gap in {score} between versions",
        n=gap.n,
        clusters=gap.n_clusters,
        p_value=gap.p_value,
        note=ends,
        source=Source("range", cluster, form="figure"),
    )
    chance = figure_row(
        gap.by_chance,
        "largest_gap_by_chance",
        "largest gap by chance (95th percentile)",
        n=gap.n,
        clusters=gap.n_clusters,
        at=OVERALL,
    )
    return [row, replace(chance, note=gap.reason or "")]


def _pair_rows(
    scores: np.ndarray,
    versions: Sequence[str],
    clusters: pd.Series | None,
    cluster: str | None,
    score: str,
    test: PairTest,
) -> list[Row]:
    rows = []
    for pair in stats.pairwise_differences(scores, clusters, test):
        first, second = versions[pair.first], versions[pair.second]
        rows.append(
            fitted_row(
                pair.fit,
                "version_difference",
                f"difference in {score}",
                at=Place("versions", f"{first} - {second}", f"{first}_{second}"),
                n=len(scores),
                clusters=pair.fit.n_clusters,
                p_value=pair.p_value,
                effect_size=pair.effect_size,
                smallest_detectable=stats.smallest_detectable_t(pair.fit.standard_error, pair.fit.df),
                source=Source(difference_column(first, second), cluster),
            )
        )
    return rows

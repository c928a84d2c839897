"""Rows of the study's table from associations: means by group of professions and gender of the person, and tests.

`group` is that of the professions, `person` the gender of the person word, or "male - female". Intervals and p-values
generalise over professions; Wilcoxon's V and r are those of sentence pairs, as the paper prints them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.row_builders import figure_row, mean_row
from counterpoise.measures.base.rows import ZERO, Ideal, Place, Row, in_group, of_word, row_key
from counterpoise.measures.base.source import observe
from counterpoise.measures.probability.common.association_rows import wilcoxon_rows
from counterpoise.measures.probability.common.associations import differences
from counterpoise.studies.papers.bartl2020.associations import PAIR
from counterpoise.studies.papers.bartl2020.published import GROUPS, PERSONS

ASSOCIATION, CHANGE = "association", "change"
DIFFERENCE = "male - female"
V, R, P = "Wilcoxon V", "Wilcoxon r", "Wilcoxon p"
SD = "standard deviation"
PROFESSION = "of a profession"
KEPT = [
    "group", "statistic", "key", "value", "ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable", "n",
    "clusters",
]  # fmt: skip
_NO_IDEAL = Ideal.none("as the other gender's")


def association_rows(
    items: pd.DataFrame, statistic: str = ASSOCIATION, profession: str = "profession"
) -> list[dict[str, Any]]:
    """Of each group: mean and standard deviation of female and of male person words, their difference, V, r and p.

    profession: the column that tells professions apart; in German both forms are one profession.
    """
    rows = []
    pairs = differences(items, [profession if column == "profession" else column for column in PAIR])
    for group in GROUPS:
        of_group, at = pairs[pairs.group == group], in_group(group)
        for person, column in (*((name, name) for name in PERSONS), (DIFFERENCE, "difference")):
            row = mean_row(
                observe(of_group, column),
                f"{statistic}_{column}",
                statistic,
                cluster=profession,
                at=at,
                ideal=ZERO if person == DIFFERENCE else _NO_IDEAL,
            )
            rows.append(study_row(row, person))
        rows += [study_row(_sd_row(of_group[person], person, statistic, at), person) for person in PERSONS]
        rows += [study_row(row, DIFFERENCE) for row in _test_rows(of_group.difference, statistic, at)]
    return rows


def _sd_row(associations: pd.Series, person: str, statistic: str, at: Place) -> Row:
    """The standard deviation over sentences, as table 5 prints it."""
    label = f"{SD} of {statistic}"
    return figure_row(
        float(associations.std()), f"{statistic}_sd_{person}", label, n=len(associations), at=at
    )


def _test_rows(differences: pd.Series, statistic: str, at: Place) -> list[Row]:
    """V, r and p of Wilcoxon's test over sentence pairs."""
    v, r = wilcoxon_rows(differences, at)
    p = figure_row(stats.wilcoxon(differences.to_numpy()).p_value, "wilcoxon_p", P, n=v.n, at=at)
    return [
        replace(row, key=f"{statistic}_{row.key}", statistic=f"{name} of {statistic}")
        for row, name in ((v, V), (r, R), (p, P))
    ]


def profession_rows(items: pd.DataFrame, profession: str = "profession") -> list[dict[str, Any]]:
    """Mean association of each profession with female and with male person words, for the figures."""
    means = items.groupby(["group", profession, "gender"], sort=False).association.agg(["mean", "size"])
    return [
        {
            "group": group,
            "statistic": PROFESSION,
            "key": row_key(f"{ASSOCIATION}_{gender}", of_word(name)),
            "profession": name,
            "person": gender,
            "value": float(mean),
            "n": int(size),
        }
        for (group, name, gender), mean, size in zip(means.index, means["mean"], means["size"], strict=True)
    ]


def changes(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """The sentences with the association after minus before fine-tuning as `association`.

    >>> row = {"group": "male", "profession": "mason", "template": "", "pair": 0, "gender": "male"}
    >>> before, after = (pd.DataFrame([{**row, "association": value}]) for value in (0.5, 0.75))
    >>> float(changes(before, after).association[0])
    0.25
    """
    keys = [*PAIR, "gender"]
    both = before.merge(after, on=keys, suffixes=("_before", "_after"), validate="one_to_one")
    return both.assign(association=both.association_after - both.association_before)[[*keys, "association"]]


def with_skipped(rows: Sequence[dict[str, Any]], skipped: pd.DataFrame) -> dict[str, Any]:
    """What a cell returns."""
    return {"rows": [{**row, "skipped": len(skipped)} for row in rows]}


def study_row(row: Row, person: str) -> dict[str, Any]:
    """A row of a summary as a row of the study's table."""
    return {name: getattr(row, name) for name in KEPT} | {"person": person}

"""Rows of the study's table from associations: means by group of professions and gender of the person, and tests.

`group` is that of the professions, `person` the gender of the person word, or "male - female". Intervals and p-values
generalise over professions; Wilcoxon's V and r are those of sentence pairs, as the paper prints them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from counterpoise.measures.base.row_builders import mean_row
from counterpoise.measures.base.rows import ZERO, Ideal, Row, in_group, of_word, row_key
from counterpoise.measures.base.source import observe
from counterpoise.measures.probability.common.association_rows import wilcoxon_rows
from counterpoise.measures.probability.common.associations import differences
from counterpoise.measures.probability.common.workforce import beside_shares, correlation_rows
from counterpoise.studies.papers.bartl2020.associations import PAIR
from counterpoise.studies.papers.bartl2020.published import GROUPS, PERSONS

ASSOCIATION, CHANGE = "association", "change"
DIFFERENCE = "male - female"
V, R = "Wilcoxon V", "Wilcoxon r"
PROFESSION = "of a profession"
SPEARMAN = "spearman"  # the key of the correlation with the share of women
KEPT = [
    "group", "statistic", "key", "value", "ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable", "n",
    "clusters",
]  # fmt: skip
_NO_IDEAL = Ideal.none("as the other gender's")


def association_rows(
    items: pd.DataFrame, statistic: str = ASSOCIATION, profession: str = "profession"
) -> list[dict[str, Any]]:
    """Of each group: mean of female and of male person words, their difference, V and r.

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
            rows.append(_of_row(row, person))
        for row, name in zip(wilcoxon_rows(of_group.difference, at), (V, R), strict=True):
            named = replace(row, key=f"{statistic}_{row.key}", statistic=f"{name} of {statistic}")
            rows.append(_of_row(named, DIFFERENCE))
    return rows


def workforce_rows(items: pd.DataFrame) -> list[dict[str, Any]]:
    """How male minus female association goes with the share of women over all professions."""
    rows = correlation_rows(beside_shares(differences(items, PAIR)))
    return [_of_row(row, DIFFERENCE) for row in rows]


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


def _of_row(row: Row, person: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in KEPT} | {"person": person}

"""Figures 3 to 6: bars of each profession's association with female and with male person words."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.studies.papers.bartl2020.comparing import rows_of
from counterpoise.studies.papers.bartl2020.published import GROUPS, PERSONS
from counterpoise.studies.papers.bartl2020.summary_rows import PROFESSION
from counterpoise.studies.papers.bartl2020.tables import SIDES, pick
from counterpoise.studies.replication.findings import Chart

_AXIS = "association"


def profession_figures(table: pd.DataFrame, name: str, group: str) -> list[Chart]:
    """A figure of one group, before above and after below, as published and corrected."""
    charts = []
    for variant, recipe in SIDES:
        means = {
            "before fine-tuning": _means(pick(table, "before", variant, statistic=PROFESSION), group),
            "after fine-tuning": _means(pick(table, "after", variant, recipe, PROFESSION), group),
        }
        before, after = means.values()
        if before.empty or after.empty:
            continue
        order = (after - before).abs().mean(axis=1).sort_values(ascending=False, kind="stable").index
        records = [
            {"word": profession, "value": float(some[person][profession]), "group": when, "run": person}
            for when, some in means.items()
            for profession in order
            for person in PERSONS
        ]
        charts.append(
            Chart(
                f"{name}_{variant}",
                f"Figure {name[-1]}: {group} professions, {variant}",
                "word_bars",
                records,
                caption="Ordered as in the paper: by how much fine-tuning changed the associations (mean of the "
                "absolute changes of female and male person words).",
                axis=_AXIS,
            )
        )
    return charts


def german_figures(table: pd.DataFrame) -> list[Chart]:
    """Figure 6: German professions, before fine-tuning."""
    charts = []
    for variant, _ in SIDES:
        some = pick(table, "german", variant, statistic=PROFESSION)
        if some.empty:
            continue
        records: list[dict[str, Any]] = [
            {
                "word": row.profession,
                "value": float(row.value),
                "group": f"{group} professions",
                "run": person,
            }
            for group in GROUPS
            for person in PERSONS
            for row in rows_of(some[(some.group == group) & (some.person == person)])
        ]
        title = f"Figure 6: German professions before fine-tuning, {variant}"
        charts.append(Chart(f"figure6_{variant}", title, "word_bars", records, axis=_AXIS))
    return charts


def _means(rows: pd.DataFrame, group: str) -> pd.DataFrame:
    """Associations by profession and person; means over models and seeds where there are several."""
    some = rows[rows.group == group]
    some = some.assign(value=pd.to_numeric(some.value))
    return some.pivot_table(index="profession", columns="person", values="value", sort=False)

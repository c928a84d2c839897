"""Figures 3 to 6: bars of each profession's association with female and with male person words."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from counterpoise.studies.papers.bartl2020.published import GROUPS, PERSONS
from counterpoise.studies.papers.bartl2020.summary_rows import PROFESSION
from counterpoise.studies.papers.bartl2020.tables import SIDES
from counterpoise.studies.replication.findings import Chart
from counterpoise.studies.replication.study_table import rows_of, select

_AXIS = "association"


def profession_figures(table: pd.DataFrame, name: str, group: str) -> Iterator[Chart]:
    """A figure of one group, before above and after below, as published and corrected."""
    of_group = select(table, group=group, statistic=PROFESSION)
    for variant, recipe in SIDES:
        means = {
            "before fine-tuning": _means(select(of_group, step="before", variant=variant)),
            "after fine-tuning": _means(select(of_group, step="after", variant=variant, recipe=recipe)),
        }
        before, after = means.values()
        if before.empty or after.empty:
            continue
        order = (after - before).abs().mean(axis=1).sort_values(ascending=False, kind="stable").index
        records = [
            {"word": profession, "value": float(values[person][profession]), "group": when, "run": person}
            for when, values in means.items()
            for profession in order
            for person in PERSONS
        ]
        yield Chart(
            f"{name}_{variant}",
            f"Figure {name[-1]}: {group} professions, {variant}",
            "word_bars",
            records,
            caption="Ordered as in the paper: by how much fine-tuning changed the associations (mean of the absolute "
            "changes of female and male person words).",
            axis=_AXIS,
        )


def german_figures(table: pd.DataFrame) -> Iterator[Chart]:
    """Figure 6: German professions, before fine-tuning."""
    german = select(table, step="german", statistic=PROFESSION)
    for variant, _ in SIDES:
        records = [
            {
                "word": row.profession,
                "value": float(row.value),
                "group": f"{group} professions",
                "run": person,
            }
            for group in GROUPS
            for person in PERSONS
            for row in rows_of(german, variant=variant, group=group, person=person)
        ]
        title = f"Figure 6: German professions before fine-tuning, {variant}"
        yield Chart(f"figure6_{variant}", title, "word_bars", records, axis=_AXIS)


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Associations by profession and person; means over models and seeds where there are several."""
    rows = rows.assign(value=pd.to_numeric(rows.value))
    return rows.pivot_table(index="profession", columns="person", values="value", sort=False)

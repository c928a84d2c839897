"""From the finished cells to the tables and figures of the paper, published beside measured, with verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from counterpoise.studies.engine.cells import FinishedStudy, label
from counterpoise.studies.papers.bartl2020.answers import answers
from counterpoise.studies.papers.bartl2020.comparing import PAPERS_MODEL, whole
from counterpoise.studies.papers.bartl2020.figures import german_figures, profession_figures
from counterpoise.studies.papers.bartl2020.recomputed import (
    construction_table,
    printed_table,
    swap_table,
    table6,
)
from counterpoise.studies.papers.bartl2020.tables import recipes_table, table4, table5, variants_table
from counterpoise.studies.replication.findings import Chart, Findings, Table, Value

_TITLE = "Bartl et al. 2020: Unmasking Contextual Stereotypes"
_ABOUT = (
    "Associations of person words with professions (BEC-Pro) before and after fine-tuning on gender-swapped GAP, each "
    "number beside the printed one. 'Corrected' is how the paper describes its method, 'published' what its code did; "
    "two tables show what each mistake changes."
)
_FIGURES = {"figure3": "male", "figure4": "female", "figure5": "balanced"}


def gather(study: FinishedStudy) -> None:
    """Writes the tables, charts and answers into the study's folder."""
    table = whole(study.table)
    makers: dict[str, Callable[[pd.DataFrame], Table | None]] = {
        "construction": construction_table,
        "table4": table4,
        "variants": variants_table,
        "recipes": recipes_table,
        "table5": table5,
        "table6": lambda _: table6(),
        "gap": swap_table,
    }
    made = [make(table) for name, make in makers.items() if _wanted(name, study.only)]
    tables = [printed_table(_passages(table)), *(one for one in made if one is not None)]
    if study.missing:
        tables.append(_left_out(study))
    models = sorted(set(table.model.dropna()))
    notes = []
    if models and models != [PAPERS_MODEL]:
        notes.append(f"measured with {', '.join(models)}; the paper's model is {PAPERS_MODEL}")
    if passages := study.settings.get("passages"):
        notes.append(
            f"fine-tuned on {passages} of GAP's passages, epochs: {study.settings.get('epochs')}; the paper: all, 3"
        )
    Findings(_TITLE, _ABOUT, answers(table), tables, _charts(table, study.only), notes).write(study.folder)


def _wanted(name: str, only: Sequence[str]) -> bool:
    asked = {"hypotheses": ("variants", "recipes"), "table4": ("variants", "recipes")}
    return not only or name in only or any(name in asked.get(one, ()) for one in only)


def _passages(table: pd.DataFrame) -> int | None:
    counted = table[(table.step == "swap")].n.dropna()
    return int(counted.iloc[0]) if len(counted) else None


def _left_out(study: FinishedStudy) -> Table:
    rows: list[list[Value]] = [[label(one.step, one.factors), one.reason] for one in study.missing]
    return Table("left_out", "Left out", ["cell", "reason"], rows)


def _charts(table: pd.DataFrame, only: Sequence[str]) -> list[Chart]:
    charts = [
        chart
        for name, group in _FIGURES.items()
        if _wanted(name, only)
        for chart in profession_figures(table, name, group)
    ]
    return charts + (german_figures(table) if _wanted("figure6", only) else [])

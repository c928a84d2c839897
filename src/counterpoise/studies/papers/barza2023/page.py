"""From the finished cells to the tables, figures and research questions of the thesis, published beside measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from counterpoise.studies.engine.cells import FinishedStudy, label
from counterpoise.studies.papers.barza2023 import tables
from counterpoise.studies.papers.barza2023.answers import answers
from counterpoise.studies.papers.barza2023.comparing import whole
from counterpoise.studies.papers.barza2023.figures import charts
from counterpoise.studies.papers.barza2023.published import PAPERS_MODEL
from counterpoise.studies.papers.barza2023.recomputed import claims_table, printed_table
from counterpoise.studies.replication.findings import Findings, Table, Value

_TITLE = "Barza 2023: a gender bias evaluation framework for masked language models"
_ABOUT = (
    "The tables and figures of the thesis, each number beside the printed one where there is one. 'Corrected' has the "
    "templates with their misprints mended, 'published' as the appendix prints them. The sentence pairs are our own."
)


def gather(study: FinishedStudy) -> None:
    """Writes the tables, charts and answers into the study's folder."""
    table = whole(study.table)
    makers: dict[str, Callable[[pd.DataFrame], Table]] = {
        "examples": tables.examples,
        "figure6": tables.figure_6,
        "table3": tables.table_3,
        "table4": tables.table_4,
        "figure10": tables.figure_10,
        "figure8": tables.professions,
        "figure11": tables.gender_words,
        "table5": tables.table_5,
        "figure13": tables.figure_13,
    }
    made = [make(table) for name, make in makers.items() if not study.only or name in study.only]
    shown = [printed_table(), claims_table(), *(one for one in made if one.rows)]
    if study.missing:
        shown.append(_left_out(study))
    Findings(_TITLE, _ABOUT, answers(table), shown, charts(table), _notes(table, study)).write(study.folder)


def _notes(table: pd.DataFrame, study: FinishedStudy) -> Sequence[str]:
    models = sorted({*table.model.dropna(), *table.models.dropna()})
    notes = []
    if models and PAPERS_MODEL not in models:
        notes.append(f"measured with {', '.join(models)}; the thesis trains {PAPERS_MODEL}")
    if study.settings.get("sentences") is not None:
        notes.append(f"trained on {study.settings['sentences']} sentences of each text, not on all of them")
    if study.settings.get("training"):
        told = ", ".join(f"{name} {value}" for name, value in study.settings["training"].items())
        notes.append(f"the training is shorter than the thesis's: {told}")
    if study.settings.get("pairs") is not None:
        notes.append(f"table 4 and figure 13 rest on {study.settings['pairs']} pairs of each category")
    return notes


def _left_out(study: FinishedStudy) -> Table:
    rows: list[list[Value]] = [[label(one.step, one.factors), one.reason] for one in study.missing]
    return Table("left_out", "Left out", ["cell", "reason"], rows)

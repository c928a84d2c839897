"""The page of the paper: published tables from the authors' rows, and measured ones beside them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from counterpoise.studies.engine.cells import FinishedStudy
from counterpoise.studies.papers.jentzsch2022 import recomputed, seed_tables, tables
from counterpoise.studies.papers.jentzsch2022.answers import answers
from counterpoise.studies.papers.jentzsch2022.beside import beside_table
from counterpoise.studies.papers.jentzsch2022.chance import MEANING, chance_sentence
from counterpoise.studies.papers.jentzsch2022.figures import measured_figures, published_figures
from counterpoise.studies.papers.jentzsch2022.measured import measured_rows
from counterpoise.studies.papers.jentzsch2022.term_lists import lists_note
from counterpoise.studies.replication.page import PagePart, PaperPage


def _notes(rows: pd.DataFrame, settings: Mapping[str, Any]) -> list[str]:
    if rows.empty:
        return ["Nothing was measured yet."]
    used = {str(name) for name in rows.lists.dropna()}
    near = chance_sentence(rows)
    notes = (lists_note(settings.get("variant", ""), used), near and f"{near} {MEANING}")
    return [note for note in notes if note]


PAGE = PaperPage(
    title="Jentzsch & Turan (2022): where does a sentiment classifier's gender bias come from?",
    about="Classifiers of movie reviews are fine-tuned from base models under seven conditions; a review is rated as a "
    "man's and as a woman's, and the difference is its bias. Published numbers are recomputed from the rows that "
    "the authors' notebook prints; measured ones are of training runs made here.",
    columns=(),
    prepare=measured_rows,
    tables=(
        PagePart(tables.bases_table, "questions"),
        PagePart(tables.over_seeds, "table1"),
        PagePart(partial(tables.table_1, name="measured_1", title="Table 1, measured"), "table1"),
        PagePart(
            partial(tables.table_3, name="measured_3_4", title="Tables 3 and 4, measured"), "table3", "table4"
        ),
        PagePart(seed_tables.pooled_table, "questions"),
        PagePart(seed_tables.noise_table, "questions"),
        PagePart(seed_tables.contrast_table, "questions"),
        PagePart(
            partial(tables.table_5, name="measured_5_6", title="Tables 5 and 6, measured"), "table5", "table6"
        ),
        PagePart(tables.table_2, "table2"),
        PagePart(beside_table, "questions"),
        PagePart(tables.crossed_table, "questions"),
        PagePart(recomputed.table_1, "table1"),
        PagePart(recomputed.table_2, "table2"),
        PagePart(recomputed.tables_3_and_4, "table3", "table4"),
        PagePart(recomputed.tables_5_and_6, "table5", "table6"),
    ),
    charts=(
        PagePart(measured_figures, "figure3", "figure4"),
        PagePart(partial(published_figures, number=3), "figure3"),
        PagePart(partial(published_figures, number=4), "figure4"),
    ),
    answers=PagePart(answers, "questions"),
    notes=_notes,
    missing="note",
)


def gather(study: FinishedStudy) -> None:
    """Writes the tables, charts and answers into the study's folder."""
    PAGE.write(study)

"""The page of the paper: its tables, published beside measured, with a verdict for each number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from counterpoise.studies.engine.cells import FinishedStudy
from counterpoise.studies.papers.kurita2019 import tables
from counterpoise.studies.papers.kurita2019.answers import answers
from counterpoise.studies.papers.kurita2019.figures import scores_figure, topics_figure
from counterpoise.studies.papers.kurita2019.published import PAPERS_MODEL
from counterpoise.studies.papers.kurita2019.recomputed import printed_table
from counterpoise.studies.replication.page import PagePart, PaperPage, other_models_note
from counterpoise.studies.replication.study_table import NUMBERS


def _notes(table: pd.DataFrame, settings: Mapping[str, Any]) -> list[str]:
    notes = other_models_note(table.model.dropna(), PAPERS_MODEL)
    if settings.get("at_most") is not None:
        notes.append(f"only the first {settings['at_most']} passages of each file of GAP were read")
    if settings.get("standardise") is False:
        notes.append("the perceptron's inputs are not standardised")
    return notes


PAGE = PaperPage(
    title="Kurita et al. 2019: Measuring Bias in Contextualized Word Representations",
    about="Tables 3 to 6 and the case study of section 4, each number beside the printed one. 'Corrected' is how the "
    "paper describes the measure, 'published' what its code did.",
    columns=(
        *NUMBERS, "model", "variant", "attributes", "training", "probe", "group", "statistic", "key", "test", "words",
        "share", "by_seed", "p_by_seed", "skipped", "why_skipped",
    ),
    tables=(
        PagePart(printed_table),
        PagePart(tables.table_3, "table3"), PagePart(tables.weat_words, "table3"),
        PagePart(tables.table_4, "table4"), PagePart(tables.resolution, "table4"),
        PagePart(tables.table_5, "table5"),
        PagePart(tables.section_4, "section4"), PagePart(tables.seeds, "table4", "section4"),
        PagePart(tables.table_6, "table6"),
    ),
    charts=(PagePart(scores_figure), PagePart(topics_figure)),
    answers=PagePart(answers),
    notes=_notes,
)  # fmt: skip


def gather(study: FinishedStudy) -> None:
    """Writes the tables, charts and answers into the study's folder."""
    PAGE.write(study)

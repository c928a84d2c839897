"""The page of the thesis: its tables, figures and research questions, published beside measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from counterpoise.studies.engine.cells import FinishedStudy
from counterpoise.studies.papers.barza2023 import paired_tables, tables
from counterpoise.studies.papers.barza2023.answers import answers
from counterpoise.studies.papers.barza2023.figures import charts
from counterpoise.studies.papers.barza2023.published import PAPERS_MODEL
from counterpoise.studies.papers.barza2023.recomputed import claims_table, printed_table
from counterpoise.studies.replication.page import PagePart, PaperPage, other_models_note
from counterpoise.studies.replication.study_table import NUMBERS


def _notes(table: pd.DataFrame, settings: Mapping[str, Any]) -> Iterator[str]:
    models = {*table.model.dropna(), *table.models.dropna()}
    if PAPERS_MODEL not in models:  # table 3 has other models beside it
        yield from other_models_note(models, PAPERS_MODEL, "the thesis trains")
    if settings.get("sentences") is not None:
        yield f"trained on {settings['sentences']} sentences of each text, not on all of them"
    if training := settings.get("training"):
        changed = ", ".join(f"{name} {value}" for name, value in training.items())
        yield f"the training is shorter than the thesis's: {changed}"
    if settings.get("pairs") is not None:
        yield f"table 4 and figure 13 rest on {settings['pairs']} pairs of each category"


PAGE = PaperPage(
    title="Barza 2023: a gender bias evaluation framework for masked language models",
    about="The tables and figures of the thesis, each number beside the printed one where there is one. 'Corrected' "
    "has the templates with their misprints mended, 'published' as the appendix prints them. The sentence pairs are "
    "our own.",
    columns=(
        *NUMBERS, "models", "model", "variant", "text", "corpus", "word", "wording", "copies", "group", "statistic",
        "compared", "category", "gender", "seen", "before", "after", "first", "second", "without", "reminded",
        "control", "p_adjusted", "seeds", "note", "sentences", "lowest", "highest",
    ),
    tables=(
        PagePart(printed_table),
        PagePart(claims_table),
        PagePart(tables.examples, "examples"),
        PagePart(tables.figure_6, "figure6"),
        PagePart(tables.table_3, "table3"),
        PagePart(paired_tables.models_compared, "table3"),
        PagePart(tables.table_4, "table4"),
        PagePart(paired_tables.corpora_compared, "table4"),
        PagePart(tables.figure_10, "figure10"),
        PagePart(paired_tables.professions, "figure8"),
        PagePart(paired_tables.gender_words, "figure11"),
        PagePart(paired_tables.swap_compared, "figure11"),
        PagePart(tables.table_5, "table5"),
        PagePart(paired_tables.reminders_compared, "table5"),
        PagePart(paired_tables.reminded_professions, "table5"),
        PagePart(tables.figure_13, "figure13"),
        PagePart(paired_tables.curve_compared, "figure13"),
    ),
    charts=(PagePart(charts),),
    answers=PagePart(answers),
    notes=_notes,
)  # fmt: skip


def gather(study: FinishedStudy) -> None:
    """Writes the tables, charts and answers into the study's folder."""
    PAGE.write(study)

"""The page of the paper: its tables and figures, published beside measured, with verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

from counterpoise.studies.engine.cells import FinishedStudy
from counterpoise.studies.papers.bartl2020.answers import answers
from counterpoise.studies.papers.bartl2020.figures import german_figures, profession_figures
from counterpoise.studies.papers.bartl2020.published import PAPERS_MODEL
from counterpoise.studies.papers.bartl2020.recomputed import (
    construction_table,
    printed_table,
    swap_table,
    table_6,
)
from counterpoise.studies.papers.bartl2020.tables import (
    recipes_table,
    swap_effects_table,
    table_4,
    table_5,
    variants_table,
    workforce_table,
)
from counterpoise.studies.replication.page import PagePart, PaperPage, other_models_note
from counterpoise.studies.replication.study_table import NUMBERS, select


def _notes(table: pd.DataFrame, settings: Mapping[str, Any]) -> Iterator[str]:
    yield from other_models_note(table.model.dropna(), PAPERS_MODEL)
    if passages := settings.get("passages"):
        yield (
            f"fine-tuned on {passages} of GAP's passages, epochs: {settings.get('epochs')}; the paper: all, 3"
        )
    seeds = select(table, step="after").seed.dropna().unique()
    if len(seeds) == 1:
        yield (
            f"each recipe was trained once (seed {int(seeds[0])}), as in the paper: how much training runs differ from "
            "seed to seed is not known, and intervals are over professions alone"
        )


PAGE = PaperPage(
    title="Bartl et al. 2020: Unmasking Contextual Stereotypes",
    about="Associations of person words with professions (BEC-Pro) before and after fine-tuning on gender-swapped GAP, "
    "each number beside the printed one. 'Corrected' is how the paper describes its method, 'published' what its code "
    "did; further tables show what each mistake changes, and what the swap adds to fine-tuning on unswapped text.",
    columns=(
        *NUMBERS, "model", "german", "language", "variant", "recipe", "seed", "group", "person", "profession",
        "statistic", "key", "original", "authors", "substitution",
    ),
    tables=(
        PagePart(printed_table),
        PagePart(construction_table, "construction"),
        PagePart(table_4, "table4"),
        PagePart(variants_table, "table4", "hypotheses"),
        PagePart(recipes_table, "table4", "hypotheses"),
        PagePart(swap_effects_table, "table4", "hypotheses"),
        PagePart(workforce_table, "table4", "hypotheses"),
        PagePart(table_5, "table5"),
        PagePart(table_6, "table6"),
        PagePart(swap_table, "gap"),
    ),
    charts=(
        PagePart(partial(profession_figures, name="figure3", group="male"), "figure3"),
        PagePart(partial(profession_figures, name="figure4", group="female"), "figure4"),
        PagePart(partial(profession_figures, name="figure5", group="balanced"), "figure5"),
        PagePart(german_figures, "figure6"),
    ),
    answers=PagePart(answers),
    notes=_notes,
)  # fmt: skip


def gather(study: FinishedStudy) -> None:
    """Writes the tables, charts and answers into the study's folder."""
    PAGE.write(study)

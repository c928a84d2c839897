"""The paper's hypotheses and questions, and what the measured numbers say to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from counterpoise.studies.papers.bartl2020.german import REMAINDER
from counterpoise.studies.papers.bartl2020.hypotheses import HYPOTHESES, answer
from counterpoise.studies.papers.bartl2020.published import GROUPS, PAPERS_GERMAN_MODEL
from counterpoise.studies.papers.bartl2020.summary_rows import ASSOCIATION, CHANGE, DIFFERENCE, SPEARMAN
from counterpoise.studies.papers.bartl2020.tables import SIDES
from counterpoise.studies.replication.findings import Answer
from counterpoise.studies.replication.study_table import rows_of, select, with_interval


def answers(table: pd.DataFrame) -> Iterator[Answer | None]:
    """One answer for each hypothesis and question; None where nothing was measured about it."""
    models = list(dict.fromkeys(table.model.dropna()))
    runs = [
        (f"{variant}{_of(model, models)}", *_run(table, model, variant, recipe))
        for model in models
        for variant, recipe in reversed(SIDES)
    ]
    for hypothesis in HYPOTHESES:
        yield answer(hypothesis, runs)
    yield _mitigated(table, models)
    yield _workforce(table)
    yield _german(table)


def _of(model: str, models: Sequence[str]) -> str:
    """The model's name, where there are several."""
    return f", {model}" if len(models) > 1 else ""


def _run(table: pd.DataFrame, model: str, variant: str, recipe: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows before and after, of the first seed."""
    of_variant = select(table, model=model, variant=variant)
    after = select(of_variant, step="after", recipe=recipe)
    return select(of_variant, step="before"), after[after.seed == after.seed.min()]


def _mitigated(table: pd.DataFrame, models: Sequence[str]) -> Answer | None:
    """Whether male and female come closer to each other, and whether the control does that too."""
    by_recipe = []
    for model in models:
        for recipe in ("corrected", "control", "published"):
            before, after = _run(table, model, "corrected", recipe)
            associations = select(before, person=DIFFERENCE, statistic=ASSOCIATION).set_index("group").value
            changes = [
                f"{row.group} {associations[row.group]:+.2f} by {with_interval(row, sign=True)}"
                for row in rows_of(after, person=DIFFERENCE, statistic=CHANGE)
                if row.group in associations.index
            ]
            if changes:
                by_recipe.append(f"{recipe}{_of(model, models)}: {', '.join(changes)}")
    if not by_recipe:
        return None
    return Answer(
        "RQ2: does fine-tuning on swapped GAP bring male and female associations closer?",
        "yes: male - female goes from .99 to .08 with male professions, from -1.18 to -.50 with female ones. No "
        "training on unswapped text is reported",
        f"male - female before, and its change by recipe: {'; '.join(by_recipe)}. What the control changes too is no "
        "effect of the swap",
    )


def _workforce(table: pd.DataFrame) -> Answer | None:
    correlations = [
        f"{step} {with_interval(row)}, n = {int(row.n)}"
        for step, recipe in (("before", None), ("after", "corrected"))
        for row in rows_of(table, step=step, variant="corrected", recipe=recipe, key=SPEARMAN)
    ]
    if not correlations:
        return None
    return Answer(
        "RQ3: does the model follow the share of women in the workforce?",
        "yes, by group means: above 0 in the groups of the same gender, below 0 in the others; no correlation printed",
        f"Spearman's correlation of male - female association with the share of women: {'; '.join(correlations)}",
    )


def _german(table: pd.DataFrame) -> Answer:
    question = "RQ4: does the method carry over to German?"
    published = "no: female words are higher in all three groups (2.1 against 1.4), which shows grammar"
    german = select(table, step="german", variant="corrected")
    differences = select(german, statistic=ASSOCIATION, person=DIFFERENCE)
    values = differences.drop_duplicates("group").set_index("group").value
    if values.empty:
        return Answer(question, published, f"not measured: needs a German model ({PAPERS_GERMAN_MODEL})")
    by_group = ", ".join(f"{group} {values[group]:+.2f}" for group in GROUPS if group in values.index)
    without = ", ".join(f"{row.group} {row.value:+.2f}" for row in rows_of(german, statistic=REMAINDER))
    return Answer(question, published, f"male - female: {by_group}; with grammar taken out: {without}")

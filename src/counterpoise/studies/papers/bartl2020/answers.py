"""The paper's hypotheses and questions, and what the measured numbers say to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from counterpoise.studies.papers.bartl2020.german import REMAINDER
from counterpoise.studies.papers.bartl2020.hypotheses import HYPOTHESES, HypothesisRun, answer
from counterpoise.studies.papers.bartl2020.mitigation_answer import (
    mitigation_findings,
    mitigation_verdict,
    values_by_group,
)
from counterpoise.studies.papers.bartl2020.published import PAPERS_GERMAN_MODEL
from counterpoise.studies.papers.bartl2020.summary_rows import ASSOCIATION, DIFFERENCE
from counterpoise.studies.papers.bartl2020.tables import SIDES
from counterpoise.studies.papers.bartl2020.workforce_answer import workforce_findings, workforce_verdict
from counterpoise.studies.replication.findings import PaperAnswer
from counterpoise.studies.replication.study_table import rows_of, select, side_of_zero


def answers(table: pd.DataFrame) -> Iterator[PaperAnswer | None]:
    """One answer for each hypothesis and question; None where nothing was measured about it."""
    models = list(dict.fromkeys(table.model.dropna()))
    runs = [
        HypothesisRun(f"{variant}{_of(model, models)}{seed}", before, after, leads=variant == "corrected")
        for model in models
        for variant, recipe in reversed(SIDES)
        for seed, before, after in [_run(table, model, variant, recipe)]
    ]
    for hypothesis in HYPOTHESES:
        yield answer(hypothesis, runs)
    yield _mitigated(table, models)
    yield _workforce(table, models)
    yield _german(table)


def _of(model: str, models: Sequence[str]) -> str:
    """The model's name, where there are several."""
    return f", {model}" if len(models) > 1 else ""


def _run(
    table: pd.DataFrame, model: str, variant: str, recipe: str
) -> tuple[str, pd.DataFrame, pd.DataFrame]:
    """Rows before and after, of the first seed, which is named where there are several."""
    of_variant = select(table, model=model, variant=variant)
    after = select(of_variant, step="after", recipe=recipe)
    seeds = sorted(after.seed.dropna().unique())
    named = f", seed {int(seeds[0])} of {len(seeds)} seeds" if len(seeds) > 1 else ""
    return named, select(of_variant, step="before"), after[after.seed.isin(seeds[:1])]


def _mitigated(table: pd.DataFrame, models: Sequence[str]) -> PaperAnswer | None:
    measured = _of_each_model(table, models, mitigation_findings)
    if not measured:
        return None
    return PaperAnswer(
        "RQ2: does fine-tuning on swapped GAP bring male and female associations closer?",
        mitigation_verdict(select(table, variant="corrected")),
        "yes: male - female goes from .99 to .08 with male professions, from -1.18 to -.50 with female ones. No "
        "training on unswapped text is reported",
        measured,
    )


def _workforce(table: pd.DataFrame, models: Sequence[str]) -> PaperAnswer | None:
    measured = _of_each_model(table, models, workforce_findings)
    if not measured:
        return None
    return PaperAnswer(
        "RQ3: does the model follow the share of women in the workforce?",
        workforce_verdict(select(table, variant="corrected")),
        "yes, by group means: above 0 in the groups of the same gender, below 0 in the others; no correlation printed",
        measured,
    )


def _of_each_model(
    table: pd.DataFrame, models: Sequence[str], findings: Callable[[pd.DataFrame], str]
) -> str:
    """The findings of each model, read as corrected; with its name where there are several models."""
    texts = {model: findings(select(table, model=model, variant="corrected")) for model in models}
    return " ".join(f"{model}: {text}" if len(models) > 1 else text for model, text in texts.items() if text)


def _german(table: pd.DataFrame) -> PaperAnswer:
    question = "RQ4: does the method carry over to German?"
    published = "no: female words are higher in all three groups (2.1 against 1.4), which shows grammar"
    german = select(table, step="german", variant="corrected")
    differences = select(german, statistic=ASSOCIATION, person=DIFFERENCE)
    by_group = values_by_group(differences)
    if not by_group:
        verdict = "Not measured: no German model was given."
        return PaperAnswer(
            question, verdict, published, f"not measured: needs a German model ({PAPERS_GERMAN_MODEL})"
        )
    without = values_by_group(select(german, statistic=REMAINDER))
    measured = f"male - female: {by_group}; without grammar: {without}"
    return PaperAnswer(question, _german_verdict(differences), published, measured)


def _german_verdict(differences: pd.DataFrame) -> str:
    """Whether associations follow the professions, or person words of one gender are higher whatever the profession."""
    sides = {row.group: side_of_zero(row) for row in rows_of(differences)}
    if sides.get("male") == 1 and sides.get("female") == -1:
        return "Yes: associations follow the gender of the professions."
    if len(sides) > 1 and set(sides.values()) in ({1}, {-1}):
        higher = "male" if 1 in sides.values() else "female"
        return f"No: {higher} words are higher in all groups of professions, which points to grammar."
    return "Cannot be told: the groups of professions do not point one way, or their intervals contain zero."

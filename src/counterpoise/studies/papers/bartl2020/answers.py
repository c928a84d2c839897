"""The paper's hypotheses and questions, and what the measured numbers say to them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from counterpoise.studies.papers.bartl2020.comparing import PAPERS_GERMAN_MODEL, rows_of
from counterpoise.studies.papers.bartl2020.german import REMAINDER
from counterpoise.studies.papers.bartl2020.hypotheses import HYPOTHESES, answer
from counterpoise.studies.papers.bartl2020.published import GROUPS
from counterpoise.studies.papers.bartl2020.summary_rows import ASSOCIATION, CHANGE, DIFFERENCE
from counterpoise.studies.papers.bartl2020.tables import SIDES, pick, pick_correlation
from counterpoise.studies.replication.findings import Answer


def answers(table: pd.DataFrame) -> list[Answer]:
    """One answer for each hypothesis and question about which something was measured."""
    models = list(dict.fromkeys(table.model.dropna()))
    runs = [
        (f"{variant}{_of(model, models)}", *_run(table, model, variant, recipe))
        for model in models
        for variant, recipe in reversed(SIDES)
    ]
    made = [answer(one, runs) for one in HYPOTHESES]
    made += [_mitigated(table, models), _workforce(table), _german(table)]
    return [one for one in made if one is not None]


def _of(model: str, models: Sequence[str]) -> str:
    """The model's name, where there are several."""
    return f", {model}" if len(models) > 1 else ""


def _run(table: pd.DataFrame, model: str, variant: str, recipe: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows before and after, of the first seed."""
    of_model = table[table.model == model]
    after = pick(of_model, "after", variant, recipe)
    return pick(of_model, "before", variant), after[after.seed == after.seed.min()]


def _mitigated(table: pd.DataFrame, models: Sequence[str]) -> Answer | None:
    """Whether male and female come closer to each other, and whether the control does that too."""
    told = []
    for model in models:
        for recipe in ("corrected", "control", "published"):
            before, after = _run(table, model, "corrected", recipe)
            known, changed = (
                some[(some.person == DIFFERENCE) & (some.statistic == statistic)].set_index("group")
                for some, statistic in ((before, ASSOCIATION), (after, CHANGE))
            )
            numbers = [
                f"{row.Index} {known.value[row.Index]:+.2f} by {row.value:+.2f} [{row.ci_low:.2f}, {row.ci_high:.2f}]"
                for row in rows_of(changed)
                if row.Index in known.index
            ]
            if numbers:
                told.append(f"{recipe}{_of(model, models)}: {', '.join(numbers)}")
    if not told:
        return None
    return Answer(
        "RQ2: does fine-tuning on swapped GAP bring male and female associations closer?",
        "yes: male - female goes from .99 to .08 with male professions, from -1.18 to -.50 with female ones. No "
        "training on unswapped text is reported",
        f"male - female before, and its change by recipe: {'; '.join(told)}. What the control changes too is no "
        "effect of the swap",
    )


def _workforce(table: pd.DataFrame) -> Answer | None:
    told = []
    for step, recipe in (("before", None), ("after", "corrected")):
        told += [
            f"{step} {row.value:.2f} [{row.ci_low:.2f}, {row.ci_high:.2f}], n = {int(row.n)}"
            for row in rows_of(pick_correlation(table, step, "corrected", recipe))
        ]
    if not told:
        return None
    return Answer(
        "RQ3: does the model follow the share of women in the workforce?",
        "yes, by group means: above 0 in the groups of the same gender, below 0 in the others; no correlation printed",
        f"Spearman's correlation of male - female association with the share of women: {'; '.join(told)}",
    )


def _german(table: pd.DataFrame) -> Answer:
    question = "RQ4: does the method carry over to German?"
    published = "no: female words are higher in all three groups (2.1 against 1.4), which shows grammar"
    some = pick(table, "german", "corrected", statistic=ASSOCIATION)
    some = some[some.person == DIFFERENCE].drop_duplicates("group").set_index("group")
    if some.empty:
        return Answer(question, published, f"not measured: needs a German model ({PAPERS_GERMAN_MODEL})")
    told = ", ".join(f"{group} {some.value[group]:+.2f}" for group in GROUPS if group in some.index)
    left = pick(table, "german", "corrected", statistic=REMAINDER)
    without = ", ".join(f"{row.group} {row.value:+.2f}" for row in rows_of(left))
    return Answer(question, published, f"male - female: {told}; with grammar taken out: {without}")

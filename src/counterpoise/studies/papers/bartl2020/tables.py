"""Tables 4 and 5 with a verdict for each number; what mistakes of the code and the swap change; the workforce."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from counterpoise.studies.papers.bartl2020.associations import VARIANTS
from counterpoise.studies.papers.bartl2020.german import REMAINDER
from counterpoise.studies.papers.bartl2020.published import (
    GROUPS,
    PAPERS_GERMAN_MODEL,
    PAPERS_MODEL,
    PERSONS,
    PRINTED_P,
    TABLE_4,
    TABLE_4_TESTS,
    TABLE_5,
    TABLE_5_TESTS,
    TOLERANCE,
    Test,
    p_tolerance,
)
from counterpoise.studies.papers.bartl2020.summary_rows import (
    ASSOCIATION,
    CHANGE,
    DIFFERENCE,
    SD,
    P,
    R,
    V,
)
from counterpoise.studies.papers.bartl2020.swap_effects import swap_effects
from counterpoise.studies.papers.bartl2020.training import RECIPES
from counterpoise.studies.papers.bartl2020.workforce import SPEARMAN, WITHIN, correlation_key
from counterpoise.studies.replication.agreement import P_VALUE
from counterpoise.studies.replication.comparison import ComparedLine, MeasuredLines, number, why_different
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import rows_of, select

LINES = MeasuredLines(tolerance=TOLERANCE, kind=ASSOCIATION)
# What is shown as the paper's way and as the corrected one: variant, recipe.
SIDES = (("published", "published"), ("corrected", "corrected"))
_CORRECTED = "corrected (see docs/replication/bartl2020.md)"
# The professions that a correlation with the share of women is over, and its key.
CORRELATIONS = (
    ("all professions", SPEARMAN),
    *((f"{group} professions", correlation_key(group)) for group in GROUPS),
    (f"pooled {WITHIN}", correlation_key(WITHIN)),
)
# The columns of table 4, with the step and the statistic of their rows in the study's table.
_TIMES = (("pre", "before", ASSOCIATION), ("post", "after", ASSOCIATION), ("change", "after", CHANGE))


def table_4(table: pd.DataFrame) -> Table | None:
    """English: pre, post and change of each group and gender, as published and corrected."""
    if not table.step.isin(["before", "after"]).any():
        return None
    rows: list[ComparedLine] = []
    for group in GROUPS:
        for person in (*PERSONS, DIFFERENCE):
            words = f"{person} words" if person in PERSONS else DIFFERENCE
            for time, step, statistic in _TIMES:
                printed = getattr(TABLE_4[group, person], time) if person in PERSONS else None
                selected = select(table, step=step, statistic=statistic, group=group, person=person)
                rows += _both_sides(selected, f"{group} professions, {words}: {time}", printed)
        for name, printed in _test_numbers(TABLE_4_TESTS[group]):
            selected = select(table, step="after", statistic=f"{name} of {CHANGE}", group=group)
            rows += _both_sides(selected, f"{group} professions: {name} of change", printed, _kind(name))
    return LINES.table(
        "table4",
        "Table 4: associations before and after fine-tuning",
        rows,
        note="Associations are log ratios of probability and prior; their intervals and p are over professions. V, r "
        "and p of Wilcoxon's test are those of female minus male change over sentence pairs, as the paper has them: r "
        "with the sign that it prints, and p = 2e-16 for any p below 2.2e-16, as R writes it.",
    )


def table_5(table: pd.DataFrame) -> Table:
    """German, before fine-tuning."""
    rows: list[ComparedLine] = []
    for group in GROUPS:
        for what, person, statistic, printed in _german_numbers(group):
            selected = select(table, step="german", statistic=statistic, group=group, person=person)
            name = f"{group} professions: {what}"
            rows += _both_sides(selected, name, printed, _kind(what), lacking="no German model is at hand")
    rows += [
        LINES.measured(f"{row.group}: male - female without grammar", row)
        for row in rows_of(table, step="german", variant="corrected", statistic=REMAINDER)
    ]
    return LINES.table(
        "table5",
        "Table 5: associations in German",
        rows,
        note="Standard deviations are those of 900 sentences; V, r and p as in table 4, of female minus male "
        "association. Each person word stands with the form of its gender, so that these associations show grammar. "
        "Without grammar: male minus female averaged over both forms (see the measure lpbs_german).",
    )


def _german_numbers(group: str) -> Iterator[tuple[str, str, str, float | None]]:
    """The numbers of a group in table 5: what each is, person, statistic, printed value."""
    for person in PERSONS:
        mean, sd = TABLE_5[group, person]
        yield f"{person} words", person, ASSOCIATION, mean
        yield f"{person} words, {SD}", person, f"{SD} of {ASSOCIATION}", sd
    yield DIFFERENCE, DIFFERENCE, ASSOCIATION, None
    for name, printed in _test_numbers(TABLE_5_TESTS[group]):
        yield name, DIFFERENCE, f"{name} of {ASSOCIATION}", printed


def variants_table(table: pd.DataFrame) -> Table | None:
    """What each mistake in the evaluation changes, one added at a time, in the model as it is."""
    before = select(table, step="before")
    if before.empty:
        return None
    rows = [
        [group, person, TABLE_4[group, person].pre if person in PERSONS else None]
        + [
            _mean(before, variant=variant, statistic=ASSOCIATION, group=group, person=person)
            for variant in VARIANTS
        ]
        for group in GROUPS
        for person in (*PERSONS, DIFFERENCE)
    ]
    for professions, key in (("all", SPEARMAN), (WITHIN, correlation_key(WITHIN))):
        spearman = [_mean(before, variant=variant, key=key) for variant in VARIANTS]
        rows.append([professions, "correlation with the share of women", None, *spearman])
    return Table(
        "variants",
        "Before fine-tuning: what each mistake in the evaluation changes",
        ["professions", "person words", "paper", *VARIANTS],
        rows,
        decimals=2,
        note="Each column adds one mistake: a mask per word instead of per word piece; the authors' sentences "
        "(a electrician, and words damaged by text replacement); padding with mask tokens up to 16 tokens, which the "
        "model attends to.",
    )


def recipes_table(table: pd.DataFrame) -> Table | None:
    """What each way to fine-tune changes, read as published and corrected."""
    after = select(table, step="after")
    if after.empty:
        return None
    rows: list[list[Value]] = [
        [group, person, variant, TABLE_4[group, person].change if person in PERSONS else None]
        + [
            _mean(after, variant=variant, recipe=recipe, statistic=CHANGE, group=group, person=person)
            for recipe in RECIPES
        ]
        for variant, _ in reversed(SIDES)
        for group in GROUPS
        for person in (*PERSONS, DIFFERENCE)
    ]
    return Table(
        "recipes",
        "Change after fine-tuning, by how the model was trained",
        ["professions", "person words", "variant", "paper", *RECIPES],
        rows,
        decimals=2,
        note="Corrected: each passage is swapped with probability 1/2. Inverted: every passage is swapped. Published: "
        "the authors' inverted file, a lower learning rate, and padding with mask tokens that the model learns to "
        "predict. Control: GAP as it is. What the control changes too is not an effect of the swap.",
    )


def swap_effects_table(table: pd.DataFrame) -> Table | None:
    """What each recipe changes beyond the control, tested over professions."""
    rows: list[list[Value]] = [
        [
            row.variant, row.recipe, row.group, row.person, row.value, row.ci_low, row.ci_high, row.p_value,
            row.p_adjusted, row.smallest_detectable, row.professions, row.seeds, number(row.sd_of_seeds),
        ]
        for variant, _ in reversed(SIDES)
        for row in rows_of(swap_effects(table), variant=variant)
    ]  # fmt: skip
    return Table(
        "swap_effects",
        "Effect of the swap: change after fine-tuning minus that of the control",
        [
            "variant", "recipe", "professions", "person words", "effect", "from", "to", "p", "p (Holm)",
            "minimum detectable", "n", "training runs", "sd of training runs",
        ],
        rows,
        note="The same professions after training on swapped and on unswapped passages, all else equal for the recipes "
        "corrected and inverted; published also differs in its learning rate and padding. Intervals and p are over "
        "professions, and over training runs where there are several. Holm's method corrects male - female over all "
        "recipes and groups of a variant, and female and male words likewise; minimum detectable is the effect "
        "detected with 80 % power at its strictest level. With one training of each recipe the spread between "
        "training runs is not known, and an effect may be due to its seed.",
    )  # fmt: skip


def workforce_table(table: pd.DataFrame) -> Table | None:
    """Question 3: correlations over all professions, in each group, and pooled within groups."""
    rows: list[ComparedLine] = []
    for step in ("before", "after"):
        for professions, key in CORRELATIONS:
            selected = select(table, step=step, key=key)
            rows += _both_sides(selected, f"{professions}: {step}", None, "Spearman's correlation")
    return LINES.table(
        "workforce",
        "Male - female association and the share of women in a profession: Spearman correlations",
        rows,
        note="Professions were chosen for their shares: near 2, 50 and 92 %. Over all of them the correlation is that "
        "of three groups; it is negative where professions of women lean female as a group. Whether associations "
        "follow shares from profession to profession is seen within groups, where shares span 3 to 10 points only. "
        "Pooled: ranks within groups, with n - 4 degrees of freedom. The paper prints no correlation.",
    )


def _both_sides(
    rows: pd.DataFrame,
    name: str,
    printed: float | None,
    kind: str = ASSOCIATION,
    lacking: str = "not measured this time",
) -> list[ComparedLine]:
    """The lines of a number as published and corrected; `lacking` says why a printed one was not measured."""
    several_seeds = len(rows.seed.dropna().unique()) > 1
    lines = [
        LINES.measured(
            f"{name} (seed {int(row.seed)})" if several_seeds else name,
            row,
            printed,
            _reason(row),
            _tolerance(row),
            kind=kind,
            name=name,
        )
        for variant, recipe in SIDES
        for row in rows_of(rows, variant=variant)
        if row.step != "after" or row.recipe == recipe
    ]
    if not lines and printed is not None:
        lines.append(LINES.not_measured(name, printed, lacking, kind=kind))
    return lines


def _test_numbers(test: Test) -> list[tuple[str, float]]:
    return [(V, float(test.v)), (R, test.r), (P, PRINTED_P)]


def _kind(what: str) -> str:
    """The kind of a number of a table: one of Wilcoxon's test, or else an association."""
    return {V: V, R: R, P: P_VALUE}.get(what, ASSOCIATION)


def _tolerance(row: Any) -> float:
    """How far a number may lie from the printed one: half a unit of its last digit."""
    if row.statistic.startswith(V):
        return 0.5
    return p_tolerance(row.value) if row.statistic.startswith(P) else TOLERANCE


def _mean(table: pd.DataFrame, **where: str) -> float | None:
    """The mean over models and seeds, which is the value where there is one of each."""
    rows = select(table, **where)
    return number(pd.to_numeric(rows.value).mean()) if len(rows) else None


def _reason(row: Any) -> str:
    if row.step == "german":
        return why_different(row.german, PAPERS_GERMAN_MODEL, row.variant, _CORRECTED)
    return why_different(row.model, PAPERS_MODEL, row.variant, _CORRECTED)

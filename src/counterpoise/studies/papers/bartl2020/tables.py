"""Tables 4 and 5 with a verdict for each number, and what each mistake of the code changes."""

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
    TABLE_4,
    TABLE_4_TESTS,
    TABLE_5,
    TABLE_5_TESTS,
    TOLERANCE,
    Test,
)
from counterpoise.studies.papers.bartl2020.summary_rows import (
    ASSOCIATION,
    CHANGE,
    DIFFERENCE,
    SPEARMAN,
    R,
    V,
)
from counterpoise.studies.papers.bartl2020.training import RECIPES
from counterpoise.studies.replication.comparison import MeasuredLines, number, why_different
from counterpoise.studies.replication.findings import Table, Value
from counterpoise.studies.replication.study_table import rows_of, select

LINES = MeasuredLines(tolerance=TOLERANCE)
# What is shown as the paper's way and as the corrected one: variant, recipe.
SIDES = (("published", "published"), ("corrected", "corrected"))
_CORRECTED = "corrected (see docs/replication/bartl2020.md)"
# The columns of table 4, with the step and the statistic of their rows in the study's table.
_TIMES = (("pre", "before", ASSOCIATION), ("post", "after", ASSOCIATION), ("change", "after", CHANGE))


def table_4(table: pd.DataFrame) -> Table | None:
    """English: pre, post and change of each group and gender, as published and corrected."""
    if not table.step.isin(["before", "after"]).any():
        return None
    rows: list[list[Value]] = []
    for group in GROUPS:
        for person in (*PERSONS, DIFFERENCE):
            words = f"{person} words" if person in PERSONS else DIFFERENCE
            for time, step, statistic in _TIMES:
                printed = getattr(TABLE_4[group, person], time) if person in PERSONS else None
                selected = select(table, step=step, statistic=statistic, group=group, person=person)
                rows += _both_sides(selected, f"{group} professions, {words}: {time}", printed)
        for name, printed, tolerance in _test_numbers(TABLE_4_TESTS[group]):
            selected = select(table, step="after", statistic=f"{name} of {CHANGE}", group=group)
            rows += _both_sides(selected, f"{group} professions: {name} of change", printed, tolerance)
    return LINES.table(
        "table4",
        "Table 4: associations before and after fine-tuning",
        rows,
        note="Associations are log ratios of probability and prior; intervals and p over professions. V is of female "
        "minus male change over sentence pairs, r its effect size with the sign that the paper prints.",
    )


def table_5(table: pd.DataFrame) -> Table:
    """German, before fine-tuning."""
    rows: list[list[Value]] = []
    for group in GROUPS:
        for what, person, statistic, printed, tolerance in _german_numbers(group):
            selected = select(table, step="german", statistic=statistic, group=group, person=person)
            name = f"{group} professions: {what}"
            rows += _both_sides(selected, name, printed, tolerance, lacking="no German model is at hand")
    rows += [
        LINES.measured(f"{row.group}: what is left without grammar", row)
        for row in rows_of(table, step="german", variant="corrected", statistic=REMAINDER)
    ]
    return LINES.table(
        "table5",
        "Table 5: associations in German",
        rows,
        note="Each person word stands with the form of its gender, so that these associations show grammar. What is "
        "left without it is male minus female over both forms (see the measure lpbs_german).",
    )


def _german_numbers(group: str) -> Iterator[tuple[str, str, str, float | None, float]]:
    """The numbers of a group in table 5: what each is, person, statistic, printed value, tolerance."""
    for person in PERSONS:
        yield f"{person} words", person, ASSOCIATION, TABLE_5[group, person], TOLERANCE
    yield DIFFERENCE, DIFFERENCE, ASSOCIATION, None, 0.0
    for name, printed, tolerance in _test_numbers(TABLE_5_TESTS[group]):
        yield name, DIFFERENCE, f"{name} of {ASSOCIATION}", printed, tolerance


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
    spearman = [_mean(before, variant=variant, key=SPEARMAN) for variant in VARIANTS]
    rows.append(["all", "correlation with the share of women", None, *spearman])
    return Table(
        "variants",
        "Before fine-tuning: what each mistake in the evaluation changes",
        ["professions", "person words", "paper", *VARIANTS],
        rows,
        decimals=2,
        note="From left to right one is added: a mask per word instead of per word piece; the authors' sentences "
        "(a electrician, and words damaged by text replacement); masks after the sentence, up to 16 tokens, which the "
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
        note="Corrected: each passage or its swapped version, by a coin. Inverted: every passage swapped. Published: "
        "the authors' inverted file, a lower rate, and masks after each sentence that the model must guess. Control: "
        "GAP as it is. What the control changes too is no effect of the swap.",
    )


def _both_sides(
    rows: pd.DataFrame,
    name: str,
    printed: float | None,
    tolerance: float = TOLERANCE,
    lacking: str = "not measured this time",
) -> list[list[Value]]:
    """The lines of a number as published and corrected; `lacking` says why a printed one was not measured."""
    lines = [
        LINES.measured(name, row, printed, _reason(row), tolerance)
        for variant, recipe in SIDES
        for row in rows_of(rows, variant=variant)
        if row.step != "after" or row.recipe == recipe
    ]
    if not lines and printed is not None:
        lines.append(LINES.not_measured(name, printed, lacking))
    return lines


def _test_numbers(test: Test) -> list[tuple[str, float, float]]:
    return [(V, float(test.v), 0.5), (R, test.r, TOLERANCE)]


def _mean(table: pd.DataFrame, **where: str) -> float | None:
    """The mean over models and seeds, which is the value where there is one of each."""
    rows = select(table, **where)
    return number(pd.to_numeric(rows.value).mean()) if len(rows) else None


def _reason(row: Any) -> str:
    if row.step == "german":
        return why_different(row.german, PAPERS_GERMAN_MODEL, row.variant, _CORRECTED)
    return why_different(row.model, PAPERS_MODEL, row.variant, _CORRECTED)

"""Tables 4 and 5 with a verdict for each number, and what each mistake of the code changes."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.studies.papers.bartl2020.associations import VARIANTS
from counterpoise.studies.papers.bartl2020.comparing import (
    MEASURED,
    PAPERS_GERMAN_MODEL,
    PAPERS_MODEL,
    TOLERANCE,
    measured,
    rows_of,
    without,
)
from counterpoise.studies.papers.bartl2020.german import REMAINDER
from counterpoise.studies.papers.bartl2020.published import (
    GROUPS,
    PERSONS,
    TABLE_4,
    TABLE_4_TESTS,
    TABLE_5,
    TABLE_5_TESTS,
    Test,
)
from counterpoise.studies.papers.bartl2020.summary_rows import ASSOCIATION, CHANGE, DIFFERENCE, SPEARMAN, R, V
from counterpoise.studies.papers.bartl2020.training import RECIPES
from counterpoise.studies.replication.comparison import number
from counterpoise.studies.replication.findings import Table, Value

# What is shown as the paper's way and as the corrected one: variant, recipe.
SIDES = (("published", "published"), ("corrected", "corrected"))
_CORRECTED = "corrected (see docs/replication/bartl2020.md)"
_NOT_MEASURED = "not measured this time"


def pick(
    table: pd.DataFrame,
    step: str,
    variant: str,
    recipe: str | None = None,
    statistic: str | None = None,
) -> pd.DataFrame:
    """Rows of a step, a variant, a recipe and a statistic."""
    some = table[(table.step == step) & (table.variant == variant)]
    if recipe is not None:
        some = some[some.recipe == recipe]
    return some if statistic is None else some[some.statistic == statistic]


def pick_correlation(table: pd.DataFrame, step: str, variant: str, recipe: str | None = None) -> pd.DataFrame:
    """The rows of Spearman's correlation with the share of women."""
    some = pick(table, step, variant, recipe)
    return some[some.key == SPEARMAN]


def table4(table: pd.DataFrame) -> Table | None:
    """English: pre, post and change of each group and gender, as published and corrected."""
    if not table.step.isin(["before", "after"]).any():
        return None
    rows: list[list[Value]] = []
    for group in GROUPS:
        for person in PERSONS:
            printed = TABLE_4[group, person]
            for what, value, step, statistic in (
                ("pre", printed.pre, "before", ASSOCIATION),
                ("post", printed.post, "after", ASSOCIATION),
                ("change", printed.change, "after", CHANGE),
            ):
                name = f"{group} professions, {person} words: {what}"
                rows += _both_sides(table, name, value, step, statistic, group, person)
        for what, step, statistic in (
            ("pre", "before", ASSOCIATION),
            ("post", "after", ASSOCIATION),
            ("change", "after", CHANGE),
        ):
            name = f"{group} professions, {DIFFERENCE}: {what}"
            rows += _both_sides(table, name, None, step, statistic, group, DIFFERENCE)
        test = TABLE_4_TESTS[group]
        for name, value, tolerance in _test_numbers(test):
            what = f"{group} professions: {name} of change"
            rows += _both_sides(
                table, what, value, "after", f"{name} of {CHANGE}", group, DIFFERENCE, tolerance
            )
    return Table(
        "table4",
        "Table 4: associations before and after fine-tuning",
        MEASURED,
        rows,
        note="Associations are log ratios of probability and prior; intervals and p over professions. V is of female "
        "minus male change over sentence pairs, r its effect size with the sign that the paper prints.",
    )


def table5(table: pd.DataFrame) -> Table:
    """German, before fine-tuning."""
    rows: list[list[Value]] = []
    for group in GROUPS:
        numbers: list[tuple[str, str, str, float | None, float]] = [
            (f"{person} words", person, ASSOCIATION, TABLE_5[group, person].mean, TOLERANCE)
            for person in PERSONS
        ]
        numbers.append((DIFFERENCE, DIFFERENCE, ASSOCIATION, None, 0.0))
        numbers += [
            (name, DIFFERENCE, f"{name} of {ASSOCIATION}", value, tolerance)
            for name, value, tolerance in _test_numbers(TABLE_5_TESTS[group])
        ]
        for what, person, statistic, printed, tolerance in numbers:
            name, found = f"{group} professions: {what}", []
            for variant, _ in SIDES:
                some = _row(pick(table, "german", variant, statistic=statistic), group, person)
                reason = _german_reason(some, variant)
                found += [measured(name, row, printed, reason, tolerance) for row in rows_of(some)]
            if not found and printed is not None:
                found = [without(name, printed, "no German model is at hand")]
            rows += found
    left = pick(table, "german", "corrected", statistic=REMAINDER)
    rows += [measured(f"{row.group}: what is left without grammar", row, None) for row in rows_of(left)]
    return Table(
        "table5",
        "Table 5: associations in German",
        MEASURED,
        rows,
        note="Each person word stands with the form of its gender, so that these associations show grammar. What is "
        "left without it is male minus female over both forms (see the measure lpbs_german).",
    )


def variants_table(table: pd.DataFrame) -> Table | None:
    """What each mistake in the evaluation changes, one added at a time, in the model as it is."""
    if not (table.step == "before").any():
        return None
    rows = [
        [group, person, TABLE_4[group, person].pre if person in PERSONS else None]
        + [
            _value(_row(pick(table, "before", variant, statistic=ASSOCIATION), group, person))
            for variant in VARIANTS
        ]
        for group in GROUPS
        for person in (*PERSONS, DIFFERENCE)
    ]
    spearman = [_value(pick_correlation(table, "before", variant)) for variant in VARIANTS]
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
    if not (table.step == "after").any():
        return None
    rows: list[list[Value]] = []
    for variant in dict.fromkeys(variant for variant, _ in reversed(SIDES)):
        for group in GROUPS:
            for person in (*PERSONS, DIFFERENCE):
                found = [
                    _value(_row(pick(table, "after", variant, recipe, CHANGE), group, person))
                    for recipe in RECIPES
                ]
                printed = TABLE_4[group, person].change if person in PERSONS else None
                rows.append([group, person, variant, printed, *found])
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
    table: pd.DataFrame,
    name: str,
    printed: float | None,
    step: str,
    statistic: str,
    group: str,
    person: str,
    tolerance: float = TOLERANCE,
) -> list[list[Value]]:
    rows: list[list[Value]] = []
    for variant, recipe in SIDES:
        some = pick(table, step, variant, None if step == "before" else recipe, statistic)
        rows += [
            measured(name, row, printed, _reason(row, variant), tolerance)
            for row in rows_of(_row(some, group, person))
        ]
    if not rows and printed is not None:
        rows.append(without(name, printed, _NOT_MEASURED))
    return rows


def _test_numbers(test: Test) -> list[tuple[str, float, float]]:
    return [(V, float(test.v), 0.5), (R, test.r, TOLERANCE)]


def _row(table: pd.DataFrame, group: str, person: str) -> pd.DataFrame:
    return table[(table.group == group) & (table.person == person)]


def _value(table: pd.DataFrame) -> float | None:
    """The mean over models and seeds, which is the value where there is one of each."""
    return number(pd.to_numeric(table.value).mean()) if len(table) else None


def _reason(row: Any, variant: str) -> str:
    if row.model != PAPERS_MODEL:
        return "another model"
    return "" if variant == "published" else _CORRECTED


def _german_reason(rows: pd.DataFrame, variant: str) -> str:
    models = set(rows.german.dropna())
    if models - {PAPERS_GERMAN_MODEL}:
        return "another model"
    return "" if variant == "published" else _CORRECTED

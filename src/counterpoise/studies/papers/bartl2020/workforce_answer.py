"""Question 3 in words: the correlation over all professions, which is one of groups, and those within groups."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.core.numbers import decimal_text, p_equals
from counterpoise.studies.papers.bartl2020.published import GROUPS
from counterpoise.studies.papers.bartl2020.workforce import SPEARMAN, WITHIN, correlation_key
from counterpoise.studies.replication.study_table import (
    first_row,
    rows_of,
    select,
    side_of_zero,
    with_interval,
)


def workforce_findings(table: pd.DataFrame) -> str:
    """The answer from the rows of one model and variant; nothing where no correlation was measured."""
    corrected = select(table, step="after", recipe="corrected")
    seeds = sorted(corrected.seed.dropna().unique())
    runs = [("Before fine-tuning", select(table, step="before"))] + [
        (f"After it{f' (seed {int(seed)})' if len(seeds) > 1 else ''}", corrected[corrected.seed == seed])
        for seed in seeds
    ]
    findings = [f"{when}: {text}" for when, rows in runs if (text := _correlations(rows))]
    if not findings:
        return ""
    return (
        "Spearman's correlation of male - female association with the share of women. The professions were chosen in "
        "three groups with similar shares, so that over all of them it compares those groups; single professions are "
        f"compared within groups. {' '.join(findings)}"
    )


def workforce_verdict(table: pd.DataFrame) -> str:
    """The answer in one sentence, about the models as they are, before fine-tuning."""
    before = select(table, step="before")
    pooled, within = (rows_of(before, key=key) for key in (SPEARMAN, correlation_key(WITHIN)))
    between_sides, within_sides = ({side_of_zero(row) for row in rows} for rows in (pooled, within))
    if not between_sides:
        return "Not measured before fine-tuning."
    if between_sides == {1}:
        return "No: groups of professions with more women are associated more with men."
    if between_sides != {-1}:
        return "Cannot be told: the interval of the correlation over all professions contains zero."
    if within_sides == {-1}:
        return "Yes: it follows the workforce, both between groups of professions and within them."
    return (
        "Only in part: groups of professions differ as in the workforce, but that single professions within a group do "
        "was not shown."
    )


def _correlations(rows: pd.DataFrame) -> str:
    pooled = first_row(rows, key=SPEARMAN)
    if pooled is None or pd.isna(pooled.value):
        return ""
    text = f"{with_interval(pooled)} over all {int(pooled.n)} professions: {_between_groups(pooled)}."
    by_group = ", ".join(
        f"{row.group} {with_interval(row)} (n = {int(row.n)})"
        for group in GROUPS
        for row in rows_of(rows, key=correlation_key(group))
        if not pd.isna(row.value)
    )
    if by_group:
        text += f" Within groups: {by_group}"
        within = first_row(rows, key=correlation_key(WITHIN))
        if within is not None and not pd.isna(within.value):
            text += f"; pooled {with_interval(within)}, {p_equals(within.p_value)}: {_within_groups(within)}"
        text += "."
    return text


def _between_groups(row: Any) -> str:
    """What the correlation over all professions says of the three groups."""
    if row.ci_high < 0:
        return "the groups differ in the direction of the workforce"
    if row.ci_low > 0:
        return "the groups differ against the direction of the workforce"
    return "no evidence that the groups differ in the direction of the workforce"


def _within_groups(row: Any) -> str:
    """What the pooled correlation within groups says of single professions."""
    if row.ci_high < 0:
        return "professions follow their shares within a group too"
    if row.ci_low > 0:
        return "within a group it is the other way round, the more women the more male"
    detectable = decimal_text(row.smallest_detectable, 2)
    return (
        "no evidence that professions follow their shares within a group "
        f"(minimum detectable correlation ±{detectable})"
    )

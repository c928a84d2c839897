"""The leading sentences claim no more than the intervals allow."""

from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.studies.papers.bartl2020.answers import _german_verdict
from counterpoise.studies.papers.bartl2020.hypotheses import Expectation, MeasuredExpectation, lead
from counterpoise.studies.papers.bartl2020.mitigation_answer import mitigation_verdict
from counterpoise.studies.papers.bartl2020.page import PAGE
from counterpoise.studies.papers.bartl2020.workforce_answer import workforce_verdict
from counterpoise.studies.replication.study_table import with_columns

ABOVE, BELOW, AROUND = (0.1, 0.5), (-0.5, -0.1), (-0.2, 0.3)


def outcome(interval, side):
    expected = Expectation("male", "male", "association", side)
    return MeasuredExpectation(expected, sum(interval) / 2, *interval, expected.is_met(*interval))


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ([(ABOVE, "above"), (BELOW, "below")], "Yes: all 2 expectations are met."),
        (
            [(ABOVE, "above"), (AROUND, "above"), (BELOW, "above")],
            "Partly: of 3 expectations 1 is met, 1 cannot be told (its interval contains zero) and 1 is contradicted.",
        ),
        ([(BELOW, "above"), (BELOW, "above")], "No: of 2 expectations 2 are contradicted."),
        ([(AROUND, "above"), (AROUND, "below")], "Cannot be told: every interval contains zero."),
        (
            [(AROUND, "around"), (AROUND, "around")],
            "As far as can be told, yes: no difference was found in 2 comparisons, but one may be too small to be "
            "found.",
        ),
    ],
)
def test_hypotheses(outcomes, said):
    assert lead([outcome(*one) for one in outcomes]) == said


def table_of(**intervals):
    rows = [
        {"step": "before", "key": key, "ci_low": low, "ci_high": high}
        for key, (low, high) in intervals.items()
    ]
    return with_columns(pd.DataFrame(rows), ("step", *PAGE.columns))


@pytest.mark.parametrize(
    ("pooled", "within", "said"),
    [
        (BELOW, BELOW, "Yes: it follows the workforce"),
        (BELOW, AROUND, "Only in part"),
        (AROUND, BELOW, "Cannot be told"),
        (ABOVE, AROUND, "No"),
    ],
)
def test_workforce(pooled, within, said):
    table = table_of(**{"spearman": pooled, "spearman.within_groups": within})
    assert workforce_verdict(table).startswith(said)


@pytest.mark.parametrize(
    ("intervals", "said"),
    [
        ((ABOVE, BELOW, AROUND), "Yes: associations follow"),
        ((BELOW, BELOW, BELOW), "No: female words are higher"),
        ((ABOVE, ABOVE, ABOVE), "No: male words are higher"),
        ((AROUND, BELOW, BELOW), "Cannot be told"),
    ],
)
def test_german(intervals, said):
    groups = ("male", "female", "balanced")
    rows = [
        {"group": group, "ci_low": low, "ci_high": high}
        for group, (low, high) in zip(groups, intervals, strict=True)
    ]
    assert _german_verdict(pd.DataFrame(rows)).startswith(said)


def test_the_effect_of_the_swap_needs_a_control():
    assert mitigation_verdict(table_of(spearman=AROUND)).startswith(
        "Cannot be told: without training on unswapped"
    )

"""Verdicts on the hypotheses, from numbers made up so that the verdict is known."""

from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.studies.papers.bartl2020.hypotheses import (
    HYPOTHESES,
    HypothesisRun,
    answer,
    outcomes,
    verdict,
)
from counterpoise.studies.papers.bartl2020.published import TABLE_4


def printed(spread):
    """Rows before and after with the printed values, each with an interval of this half-width."""
    rows = {"association": [], "change": []}
    for (group, person), one in TABLE_4.items():
        for statistic, value in (("association", one.pre), ("change", one.change)):
            rows[statistic].append((group, person, statistic, value))
    difference = TABLE_4["balanced", "male"].pre - TABLE_4["balanced", "female"].pre
    rows["association"].append(("balanced", "male - female", "association", difference))
    tables = [pd.DataFrame(some, columns=["group", "person", "statistic", "value"]) for some in rows.values()]
    return [table.assign(ci_low=table.value - spread, ci_high=table.value + spread) for table in tables]


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        # What the paper itself says of its numbers: H1 but for the change of male words, H2, H3 for male words only.
        (0.02, ["partly confirmed (3 of 4)", "confirmed", "partly confirmed (1 of 3)"]),
        (2.0, ["not confirmed", "not confirmed", "confirmed"]),
    ],
)
def test_verdicts_on_the_printed_numbers(spread, expected):
    before, after = printed(spread)
    assert [verdict([each.met for each in outcomes(one, before, after)]) for one in HYPOTHESES] == expected


def test_what_was_not_measured_has_no_verdict():
    before, after = printed(0.02)
    assert answer(HYPOTHESES[0], [HypothesisRun("corrected", before.head(0), after.head(0))]) is None
    only_before = answer(HYPOTHESES[0], [HypothesisRun("corrected", before, after.head(0))])
    assert only_before is not None
    assert only_before.measured.startswith(
        "corrected: confirmed, with 2 of 4 not measured: female with female"
    )

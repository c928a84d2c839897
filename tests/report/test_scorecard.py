"""The scorecard of a study: counts by hand, and no number drawn that was not compared."""

from __future__ import annotations

import pytest

from counterpoise.report.scorecard import agreement_figure, scorecard
from counterpoise.studies.replication.agreement import P_VALUE, Agreement, ComparedNumber
from counterpoise.studies.replication.findings import Table

D, R = "effect size d", "r"


def number(name, agreement, published=0.5, measured=0.4, kind=D):
    return ComparedNumber(name, kind, published, measured, agreement)


@pytest.fixture
def tables():
    printed = [
        number("a", Agreement.REPRODUCED, 0.1, 0.1),
        number("b", Agreement.REPRODUCED, 0.2, 0.2, R),
        number("p", Agreement.REPRODUCED, 1e-16, 1e-90, P_VALUE),
    ]
    measured = [
        number("a", Agreement.DIFFERS, 0.1, 0.3),  # corrected
        number("a", Agreement.REPRODUCED, 0.1, 0.1),  # published
        number("b", Agreement.AGREES, 0.7, 0.7),
        number("c", Agreement.DIFFERS, 0.9, 0.2),
        number("d", Agreement.NOT_REPRODUCIBLE, 0.8, None),
        number("e", Agreement.NOT_PRINTED, None, 0.4),
    ]
    return [
        Table("printed", "Printed", [], [], numbers=printed, is_recomputed=True),
        Table("words", "Words", ["word"], [["nurse"]]),
        Table("table1", "Table 1", [], [], numbers=measured),
    ]


def test_printed_numbers_are_counted_by_table(tables):
    sentence, table = scorecard(tables)
    assert table.columns[1:] == [
        "printed numbers", "reproduced", "agrees", "differs", "not reproducible", "not printed",
    ]  # fmt: skip
    assert table.rows == [
        ["Printed", 3, 3, 0, 0, 0, 0],
        ["Table 1", 4, 1, 1, 1, 1, 1],
        ["all", 7, 4, 1, 1, 1, 1],
    ]
    assert sentence == (
        "Of 7 comparisons with printed numbers 4 reproduce the number (3 from printed numbers and public data alone), "
        "1 agrees with it, though from another model or training, 1 differs from it and 1 cannot be made here."
    )


def test_one_table_needs_no_total(tables):
    sentence, table = scorecard(tables[2:])
    assert len(table.rows) == 1
    assert "1 reproduces the number, 1 agrees" in sentence


def test_nothing_to_compare():
    assert scorecard([Table("words", "Words", ["word"], [["nurse"]])]) is None
    unprinted = Table("t", "T", [], [], numbers=[number("e", Agreement.NOT_PRINTED, None, 0.4)])
    assert scorecard([unprinted]) is None
    assert agreement_figure([unprinted]) is None


def test_the_chart_has_what_was_measured_and_is_of_a_kind(tables):
    figure = agreement_figure(tables)
    # Not drawn: the p-value, what was not measured or not printed, and r, of which there is one.
    assert figure.alt == (
        "Scatter plots of 5 published against measured numbers (effect size d): 2 reproduced, 1 agrees, 2 differs."
    )
    [panel] = figure.chart.to_dict()["concat"]
    assert panel["title"]["text"] == [D]
    assert figure.svg().startswith("<svg")

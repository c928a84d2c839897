"""Verdicts follow from the numbers, and lines have the columns of their table."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from counterpoise.studies.replication.agreement import Agreement, ComparedNumber, count_numbers
from counterpoise.studies.replication.comparison import COMPARED, MEASURED, MeasuredLines, compared

ROW = SimpleNamespace(
    value=0.5, ci_low=0.4, ci_high=0.6, p_value=math.nan, effect_size=1.1, smallest_detectable=0.2, n=9.0,
    variant="published", recipe=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        (0.3734, "reproduced"),
        (0.3735, "reproduced"),
        (0.38, "differs: another seed"),
        (None, "not reproducible: another seed"),
        (math.nan, "not reproducible: another seed"),
    ],
)
def test_verdicts(measured, verdict):
    line = compared("r", 0.373, measured, 0.0005, "another seed", kind="r")
    row = dict(zip(COMPARED, line.cells, strict=True))
    assert row["verdict"] == verdict
    assert row["published"] == 0.373


def test_a_line_has_what_the_row_has():
    line = dict(zip(MEASURED, MeasuredLines().measured("r", ROW).cells, strict=True))
    assert line == {
        "number": "r", "variant": "published", "recipe": "", "published": None, "measured": 0.5, "from": 0.4,
        "to": 0.6, "p": None, "effect size": 1.1, "minimum detectable": 0.2, "n": 9, "verdict": "not printed",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("published", "more", "verdict"),
    [
        (0.504, {}, "reproduced"),
        (0.506, {}, "differs"),
        (0.506, {"tolerance": 0.01}, "reproduced"),
        (0.504, {"reason": "another model"}, "agrees: another model"),
        (0.504, {"reason": "corrected", "same": True}, "reproduced"),
    ],
)
def test_a_line_is_held_against_the_printed_number(published, more, verdict):
    assert MeasuredLines(tolerance=0.005).measured("r", ROW, published, **more).verdict == verdict


def test_a_printed_number_that_was_not_measured():
    lines = MeasuredLines(without=("recipe", "effect size"))
    line = dict(zip(lines.columns, lines.not_measured("r", 0.5, "no weights").cells, strict=True))
    assert line.pop("verdict") == "not reproducible: no weights"
    assert {name: value for name, value in line.items() if value is not None} == {
        "number": "r",
        "variant": "",
        "published": 0.5,
    }
    table = lines.table("t", "T", [lines.not_measured("r", 0.5, "no weights")])
    assert table.columns == lines.columns
    [number] = table.numbers
    assert (number.name, number.published, number.measured) == ("r", 0.5, None)
    assert number.agreement is Agreement.NOT_REPRODUCIBLE


def test_a_printed_number_counts_once_with_its_best_verdict():
    verdicts = [
        ("d", Agreement.DIFFERS),  # corrected
        ("d", Agreement.REPRODUCED),  # published
        ("r", Agreement.NOT_REPRODUCIBLE),
        ("p", Agreement.DIFFERS),  # one seed
        ("p", Agreement.AGREES),  # another
        ("n", Agreement.NOT_PRINTED),
    ]
    numbers = [ComparedNumber(name, "", 0.1, 0.2, agreement) for name, agreement in verdicts]
    assert list(count_numbers(numbers).values()) == [1, 1, 0, 1, 1]


def test_lines_of_several_seeds_are_one_printed_number():
    lines = [MeasuredLines().measured(f"r (seed {n})", ROW, 0.5, name="r") for n in range(2)]
    assert [line.cells[0] for line in lines] == ["r (seed 0)", "r (seed 1)"]
    assert count_numbers(line.number for line in lines)[Agreement.REPRODUCED] == 1


def test_a_remark_follows_the_verdict():
    line = compared("r", 0.5, 0.5, 0, kind="r", remark="within rounding")
    assert line.verdict == line.cells[-1] == "reproduced within rounding"

"""Numbers of a study's tables as text."""

from __future__ import annotations

import random

import pytest

from counterpoise.report.table_text import row_texts
from counterpoise.studies.replication.findings import Table

COLUMNS = ["number", "published", "measured", "from", "to", "p", "p (Holm)", "lowest", "highest", "n"]


def texts(*row, decimals=3):
    return row_texts(row, Table("t", "T", COLUMNS, [], decimals=decimals))


def test_a_row():
    shown = texts("r", 0.5, 0.4321, 0.2, 0.6, 0.0004, 0.0362, 0.1, 0.2, 900)
    assert shown == ["r", "0.500", "0.432", "0.200", "0.600", "< .001", ".036", "0.100", "0.200", "900"]


def test_what_is_not_there_is_empty():
    nan = float("nan")
    assert texts("r", None, nan, nan, None, nan, None, nan, nan, None) == ["r", *[""] * 9]


def test_small_numbers_are_seen_and_zero_has_no_sign():
    shown = texts("r", -0.0, -0.0004, -0.0007, -0.0001, 0.0, 1.0, 0.00001, 0.00002, 0)
    assert shown == ["r", "0", "-0.00040", "-0.00070", "-0.00010", "< .001", "1", "0.000010", "0.000020", "0"]


@pytest.mark.parametrize("decimals", [0, 1, 2, 3, 4])
def test_a_value_stays_within_its_interval_and_never_reads_as_zero(decimals):
    dice = random.Random(decimals)
    for _ in range(2000):
        size = 10 ** dice.uniform(-7, 3)
        low, value, high = sorted(dice.uniform(-size, size) for _ in range(3))
        if low == high:
            continue
        shown = texts("r", None, value, low, high, None, None, None, None, None, decimals=decimals)[2:5]
        assert float(shown[1]) <= float(shown[0]) <= float(shown[2])
        for text, number in zip(shown, (value, low, high), strict=True):
            assert float(text) != 0
            assert float(text) == pytest.approx(number, abs=0.51 * 10.0**-decimals, rel=0.06)


def test_the_lowest_and_the_highest_belong_to_the_mean_not_to_its_standard_deviation():
    columns = ["condition", "seeds", "total", "sd, total", "lowest", "highest", "accuracy"]
    table = Table("t", "T", columns, [], decimals=4)
    shown = row_texts(["R-pro", 2, 0.005127, 0.000052, 0.005090, 0.005164, 0.9162], table)
    assert shown == ["R-pro", "2", "0.005127", "0.0001", "0.005090", "0.005164", "0.9162"]
    wide = row_texts(["R-pro", 2, 0.0013, 0.0007, 0.0006, 0.0023, 0.9321], table)
    assert wide == ["R-pro", "2", "0.0013", "0.0007", "0.0006", "0.0023", "0.9321"]


def test_an_interval_that_is_named_95_percent():
    table = Table("t", "T", ["pair", "r", "95 % from", "to", "n"], [], decimals=2)
    assert row_texts(["a, b", 0.1249, 0.1241, 0.1257, 9], table) == [
        "a, b",
        "0.1249",
        "0.1241",
        "0.1257",
        "9",
    ]


def test_counts_and_stars_may_stand_between_a_value_and_its_interval():
    table = Table("t", "T", ["tot, all", "N < 0", "p", "95 % from", "to", "effect size r"], [], decimals=2)
    assert row_texts([0.1249, 7, "***", 0.1241, 0.1257, 0.3], table)[:5] == [
        "0.1249",
        "7",
        "***",
        "0.1241",
        "0.1257",
    ]


def test_an_interval_without_its_value_takes_no_other_column():
    table = Table("t", "T", ["published", "measured", "from", "to"], [], decimals=2)
    assert row_texts([0.5, None, 0.1241, 0.1257], table) == ["0.50", "", "0.12", "0.13"]

"""What the paper prints, from its other numbers and from public data."""

from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.data import becpro, workforce
from counterpoise.studies.papers.bartl2020.published import PAIRS, TABLE_4, TABLE_4_TESTS, TABLE_5_TESTS
from counterpoise.studies.papers.bartl2020.recomputed import printed_table, table_6


def test_every_r_follows_from_its_v():
    """z / sqrt(N) with N = 1,800 observations; V of 900 pairs has mean 202,725 and standard deviation 7,800.7."""
    tests = [*TABLE_4_TESTS.values(), *TABLE_5_TESTS.values()]
    found = [round(-abs(test.v - 202_725) / 7_800.7 / 1_800**0.5, 2) for test in tests]
    assert found == [test.r for test in tests] == [-0.47, -0.32, -0.58, -0.34, -0.31, -0.29]


def test_all_that_needs_no_weights_is_reproduced():
    rows = printed_table(pd.DataFrame({"step": ["swap"], "n": [4454]})).rows
    assert len(rows) == 6 + 6 + 2 + 6 + 2
    assert {row[-1] for row in rows} == {"reproduced"}
    r = [round(row[2], 2) for row in rows[:6]]
    assert r == [-0.47, -0.32, -0.58, -0.34, -0.31, -0.29]


def test_without_gap_its_numbers_are_not_reproducible():
    last = printed_table(pd.DataFrame({"step": [], "n": []})).rows[-2:]
    assert {row[-1] for row in last} == {"not reproducible: GAP was not read this time"}


def test_the_effect_is_larger_where_v_is_further_from_its_mean():
    """The printed sign of r is none: in two groups of table 4 women's change is the larger one, in one the smaller."""
    larger = {group: test.v > PAIRS * (PAIRS + 1) / 4 for group, test in TABLE_4_TESTS.items()}
    changes = {
        group: TABLE_4[group, "female"].change > TABLE_4[group, "male"].change for group in TABLE_4_TESTS
    }
    assert larger == changes == {"balanced": True, "female": False, "male": True}


def test_table_6_has_every_profession():
    rows = table_6(pd.DataFrame()).rows
    assert len(rows) == 60
    assert {row[2] for row in rows} == set(becpro("en").profession)
    by_name = {row[2]: row for row in rows}
    assert by_name["roofer"][3] == "Dachdecker/Dachdeckerin"
    assert (
        by_name["registered nurse"][3]
        == "staatlich geprüfter Krankenpfleger/staatlich geprüfte Krankenpflegerin"
    )
    assert by_name["bookkeeper"][1:3] == ["Bookkeeping, accounting, and auditing clerks", "bookkeeper"]
    shares = workforce().set_index("profession").women_2019
    assert {row[2]: row[4] for row in rows} == pytest.approx(shares.to_dict())

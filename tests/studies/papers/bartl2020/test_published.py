"""What the paper prints, from its other numbers and from public data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoise.data import becpro, workforce
from counterpoise.studies.papers.bartl2020.published import (
    PAIRS,
    PRINTED_P,
    TABLE_4,
    TABLE_4_TESTS,
    TABLE_5,
    TABLE_5_TESTS,
    p_tolerance,
)
from counterpoise.studies.papers.bartl2020.recomputed import printed_table, table_6
from counterpoise.studies.replication.comparison import compared


def test_every_r_follows_from_its_v():
    """z / sqrt(N) with N = 1,800 observations; V of 900 pairs has mean 202,725 and standard deviation 7,800.7."""
    tests = [*TABLE_4_TESTS.values(), *TABLE_5_TESTS.values()]
    found = [round(-abs(test.v - 202_725) / 7_800.7 / 1_800**0.5, 2) for test in tests]
    assert found == [test.r for test in tests] == [-0.47, -0.32, -0.58, -0.34, -0.31, -0.29]


def test_all_that_needs_no_weights_is_reproduced():
    rows = printed_table(pd.DataFrame({"step": ["swap"], "n": [4454]})).rows
    assert len(rows) == 2 * 6 + 6 + 2 + 6 + 2
    assert {row[-1] for row in rows} == {"reproduced"}
    r = [round(row[2], 2) for row in rows if ": r from V" in row[0]]
    assert r == [-0.47, -0.32, -0.58, -0.34, -0.31, -0.29]


def signed_ranks(v):
    """900 differences without ties whose positive ranks add up to V."""
    left, differences = v, -np.arange(1.0, PAIRS + 1)
    for rank in range(PAIRS, 0, -1):
        if rank <= left:
            left -= rank
            differences[rank - 1] = rank
    return differences


def test_every_p_follows_from_its_v_and_is_below_what_r_prints():
    tests = [*TABLE_4_TESTS.values(), *TABLE_5_TESTS.values()]
    rows = [row for row in printed_table(pd.DataFrame({"step": [], "n": []})).rows if ": p from V" in row[0]]
    assert len(rows) == len(tests)
    for row, test in zip(rows, tests, strict=True):
        differences = signed_ranks(test.v)
        assert differences[differences > 0].sum() == test.v
        expected = stats.wilcoxon(differences, method="asymptotic", correction=False).pvalue
        assert row[1] == 2e-16
        assert row[2] == pytest.approx(expected, rel=1e-6)
        assert row[2] < 1e-30


def test_table_5_as_printed():
    printed = [(line.mean, line.sd) for line in TABLE_5.values()]
    assert printed == [(2.14, 2.4), (1.36, 2.06), (2.05, 2.45), (1.34, 2.09), (2.14, 2.46), (1.46, 2.15)]


@pytest.mark.parametrize(("p", "agrees"), [(1e-89, True), (2.1e-16, True), (2.3e-16, False), (0.04, False)])
def test_a_p_value_agrees_with_the_printed_one_below_r_s_bound(p, agrees):
    assert (compared("p", PRINTED_P, p, p_tolerance(p), kind="p").verdict == "reproduced") == agrees


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

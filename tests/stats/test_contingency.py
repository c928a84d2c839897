from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import Table2x2

from counterpoise.core.errors import InputError
from counterpoise.stats import effect_size_r, odds_ratio


@pytest.mark.parametrize("table", [[[10, 5], [4, 8]], [[100, 3], [40, 60]]])
def test_the_odds_ratio_equals_statsmodels(table):
    theirs = Table2x2(np.array(table), shift_zeros=False)
    ours = odds_ratio(table)
    assert ours.value == pytest.approx(theirs.oddsratio, rel=1e-9)
    assert [ours.low, ours.high] == pytest.approx(list(theirs.oddsratio_confint()), rel=1e-9)


def test_an_empty_cell_adds_one_half_everywhere():
    theirs = Table2x2(np.array([[10, 0], [4, 8]]) + 0.5)
    ours = odds_ratio([[10, 0], [4, 8]])
    assert ours.value == pytest.approx(theirs.oddsratio, rel=1e-9)
    assert ours.high == pytest.approx(theirs.oddsratio_confint()[1], rel=1e-9)
    assert ours.n == 22


def test_an_empty_row_has_no_odds():
    fit = odds_ratio([[0, 0], [4, 8]])
    assert math.isnan(fit.value)
    assert fit.reason == "a whole row or column of the table is 0"


def test_bad_tables():
    with pytest.raises(InputError, match="2 x 2 counts, found 1 x 3"):
        odds_ratio([[1, 2, 3]])
    with pytest.raises(InputError, match="negative, found -1"):
        odds_ratio([[1, 2], [3, -1]])


def test_r_with_fishers_interval():
    fit = effect_size_r(4.0, 100)
    assert fit.value == 0.4
    half = scipy_stats.norm.ppf(0.975) / math.sqrt(97)
    assert fit.low == pytest.approx(math.tanh(math.atanh(0.4) - half), abs=1e-12)
    assert fit.high == pytest.approx(math.tanh(math.atanh(0.4) + half), abs=1e-12)
    assert effect_size_r(1.0, 3).reason
    with pytest.raises(InputError, match="beyond 1"):
        effect_size_r(20, 100)

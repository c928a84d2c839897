from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise.data import workforce
from counterpoise.measures.base.rows import ZERO, Row
from counterpoise.measures.base.workforce import beside_shares, correlation_rows, with_share


@pytest.fixture
def table():
    known = workforce().profession[::3].tolist()
    noise = np.random.default_rng(0).normal(size=2 * len(known))
    pairs = pd.DataFrame({"group": "g", "profession": known * 2, "difference": noise})
    pairs.difference -= pairs.profession.map(workforce().set_index("profession").women_2019) / 50
    return beside_shares(pairs)


def test_correlations_are_scipys(table):
    spearman, pearson = correlation_rows(table)
    expected = scipy_stats.spearmanr(table.difference, table.women_share)
    assert (spearman.value, spearman.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    expected = scipy_stats.pearsonr(table.difference, table.women_share)
    assert (pearson.value, pearson.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    interval = expected.confidence_interval()
    assert (pearson.ci_low, pearson.ci_high) == pytest.approx((interval.low, interval.high))
    assert max(spearman.value, pearson.value) < 0  # the more women, the more female
    assert spearman.n == len(table) == 20


def test_smallest_detectable_correlation_is_found_in_four_of_five_samples(table):
    """By simulation: normal pairs with that correlation, tested with Pearson's."""
    rho = correlation_rows(table)[1].smallest_detectable
    x, noise = np.random.default_rng(1).normal(size=(2, 4000, 20))
    found = scipy_stats.pearsonr(x, rho * x + np.sqrt(1 - rho**2) * noise, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)


def test_unknown_professions_are_left_out_and_too_few_give_no_row(table):
    more = pd.concat([table, pd.DataFrame([{"group": "g", "profession": "wizard", "difference": 9.0}])])
    assert [row.value for row in correlation_rows(more)] == [row.value for row in correlation_rows(table)]
    assert correlation_rows(table.head(3)) == []


def test_the_share_stands_in_the_note_of_a_profession():
    row = Row("difference.word.mason", "word", "mason", "difference", 1.0, ZERO, 1, 1)
    assert with_share(row, 3.0).note == "share of women (US, 2019): 3 %"
    assert with_share(row, np.nan) == row

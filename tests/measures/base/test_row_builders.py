from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoise.measures.base.row_builders import absolute_row, correlation_row, mean_row, share_row, within
from counterpoise.measures.base.source import observe


def observed(values, words):
    return observe(pd.DataFrame({"lean": values, "word": words}), "lean")


def test_a_mean_of_absolute_values_has_no_interval_below_0():
    values = pd.Series([0.1, -0.2, 3.0])
    low, high = stats.t.interval(0.95, 2, values.abs().mean(), values.abs().sem())
    row = absolute_row(observed(values, ["a", "b", "c"]), "mean_absolute", "s", cluster="word")
    assert low < 0
    assert (row.ci_low, row.ci_high) == (0.0, pytest.approx(high))


def test_an_interval_ends_where_possible_values_end():
    row = mean_row(observed([0.001, 0.002, 0.9], ["a", "b", "c"]), "p", "P", cluster="word")
    low, high = stats.t.interval(0.95, 2, 0.301, stats.sem([0.001, 0.002, 0.9]))
    assert (low < 0, high > 1) == (True, True)
    assert (row.ci_low, row.ci_high) == pytest.approx((low, high))
    clipped = within(row, 0.0, 1.0)
    assert (clipped.value, clipped.ci_low, clipped.ci_high) == (row.value, 0.0, 1.0)
    [alone] = [mean_row(observed([0.5], ["a"]), "p", "P", cluster="word")]
    assert np.isnan(within(alone, 0.0, 1.0).ci_low)


def test_one_value_has_no_interval():
    row = absolute_row(observed([-2.0], ["a"]), "mean_absolute", "s", cluster="word")
    assert row.value == 2.0
    assert np.isnan(row.ci_low)
    assert row.note


def test_a_correlation_of_nothing_is_a_row_that_says_so():
    nothing = pd.Series([np.nan, 1.0])
    row = correlation_row(nothing, nothing[::-1], "pearson", "r", kind="pearson")
    assert np.isnan(row.value)
    assert (row.n, row.note) == (0, "no word has both values")


def test_a_share_of_ties_only_says_nothing():
    row = share_row(observed([0.0] * 40, list("ab") * 20), "share", "s")
    assert row.value == 50.0
    assert np.isnan([row.ci_low, row.ci_high, row.p_value, row.effect_size]).all()
    assert row.note == "all values are ties"

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from counterpoise.stats import cohens_d
from counterpoise.stats.noncentral import noncentral_t_cdf, noncentral_t_interval


@pytest.mark.parametrize("df", [1, 2, 3.7, 9, 19, 59, 500, 24_998])
@pytest.mark.parametrize("t", [-3.0, 0.0, 0.4, 2.1, 5.0, 30.0])
def test_equals_scipy_where_scipy_has_a_value(t, df):
    compared = 0
    for nc in t * np.array([0.5, 0.9, 1.0, 1.1, 2.0]) + np.array([-1.0, 0.0, 0.5, 1.0, 2.0]):
        theirs = scipy_stats.nct.cdf(t, df, nc)
        if np.isfinite(theirs) and 1e-6 < theirs < 1 - 1e-6:
            assert noncentral_t_cdf(t, df, nc) == pytest.approx(theirs, abs=1e-7)
            compared += 1
    assert compared >= 2


@pytest.mark.parametrize("df", [1, 4, 30, 5_000])
def test_without_noncentrality_it_is_students_t(df):
    for t in (-40.0, -2.0, -0.1, 0.0, 1.0, 3.0, 200.0):
        assert noncentral_t_cdf(t, df, 0.0) == pytest.approx(scipy_stats.t.cdf(t, df), abs=1e-10)


@pytest.mark.parametrize("df", [1, 2, 14, 300, 24_998])
@pytest.mark.parametrize("t", [-1e6, -40.0, -0.5, 0.0, 2.5, 37.0, 1e4, 1e6])
def test_the_interval_puts_t_at_its_tails(t, df):
    """T <= t where nc <= t S - Z, so the interval holds the middle 95 % of draws of t S - Z."""
    low, high = noncentral_t_interval(t, df, 0.95)
    rng = np.random.default_rng(0)
    draws = t * np.sqrt(rng.chisquare(df, 100_000) / df) - rng.normal(size=100_000)
    for end, share in ((low, 0.025), (high, 0.975)):
        error = math.sqrt(0.025 * 0.975 / 100_000)
        assert np.mean(draws < end) == pytest.approx(share, abs=4 * error)


def test_an_effect_that_is_plain_to_see_has_an_interval():
    values = 1.0 + 1e-6 * np.random.default_rng(0).normal(size=8)
    fit = cohens_d(values)
    assert 0 < fit.low < fit.value < fit.high < math.inf

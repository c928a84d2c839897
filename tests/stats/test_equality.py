"""Intervals of clusters that all have one value, by the binomial distribution and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from counterpoise import stats
from counterpoise.core.errors import InputError


@pytest.mark.parametrize("n", [2, 10, 40, 300])
def test_the_interval_is_that_of_an_event_never_seen(n):
    """Clopper and Pearson's one-sided bound for 0 of n."""
    unseen = scipy_stats.beta.ppf(0.95, 1, n)
    fit = stats.equal_values(np.zeros(n), -1.0, 1.0)
    assert (fit.low, fit.high) == pytest.approx((-unseen, unseen))
    fit = stats.equal_values(np.full(n, 0.5), 0.0, 1.0)
    assert (fit.low, fit.high) == pytest.approx((0.5 - 0.5 * unseen, 0.5 + 0.5 * unseen))


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_the_test_is_the_sign_test(n):
    expected = scipy_stats.binomtest(n, n, 0.5).pvalue
    assert stats.equal_values(np.ones(n), -1.0, 1.0).p_value == pytest.approx(expected)
    assert stats.equal_values(np.zeros(n), -1.0, 1.0).p_value == 1.0


def test_it_covers_the_mean():
    """Clusters are 1 with a small probability and 0 otherwise; where all are 0, the interval must reach that mean.

    Over all samples, and so also over those, an interval that fails does so in at most one of twenty.
    """
    rng = np.random.default_rng(0)
    for share in (0.01, 0.05, 0.1):
        samples = rng.random((20_000, 40)) < share
        unlucky = ~samples.any(axis=1) & (stats.equal_values(np.zeros(40), -1.0, 1.0).high < share)
        assert unlucky.mean() <= 0.05


def test_mistakes():
    with pytest.raises(InputError, match="the values are not all equal"):
        stats.equal_values([0.0, 0.1], -1.0, 1.0)
    with pytest.raises(InputError, match="the value 2 does not lie between -1 and 1"):
        stats.equal_values([2.0, 2.0], -1.0, 1.0)

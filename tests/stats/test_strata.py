from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from counterpoise.core.errors import InputError
from counterpoise.stats import cohens_d, stratified_t


@pytest.fixture
def groups():
    rng = np.random.default_rng(0)
    return rng.normal(2.0, 0.3, 20), rng.normal(-1.8, 0.9, 14)


def test_two_strata_are_half_of_welchs_difference(groups):
    """The mean of two strata, of which one is turned round, is half of what sets them apart."""
    first, second = groups
    fit = stratified_t(np.concatenate(groups), ["a"] * 20 + ["b"] * 14)
    welch = scipy_stats.ttest_ind(first, -second, equal_var=False)
    interval = welch.confidence_interval(0.95)
    assert fit.value == pytest.approx((first.mean() + second.mean()) / 2)
    assert fit.p_value == pytest.approx(welch.pvalue)
    assert fit.df == pytest.approx(welch.df)
    assert (fit.low, fit.high) == pytest.approx((interval.low / 2, interval.high / 2))
    assert fit.n == 34


def test_one_stratum_is_the_t_test(groups):
    fit = stratified_t(groups[0], ["a"] * 20)
    known = scipy_stats.ttest_1samp(groups[0], 0.0)
    assert fit.p_value == pytest.approx(known.pvalue)
    assert (fit.low, fit.high) == pytest.approx(tuple(known.confidence_interval()))
    assert fit.d == pytest.approx(float(cohens_d(groups[0])))


def test_what_sets_strata_apart_does_not_widen_the_interval(groups):
    strata = ["a"] * 20 + ["b"] * 14
    near = stratified_t(np.concatenate(groups), strata)
    far = stratified_t(np.concatenate([groups[0] + 50, groups[1] - 50]), strata)
    assert far.value == pytest.approx(near.value)
    assert far.standard_error == pytest.approx(near.standard_error)


def test_intervals_hold_their_level():
    """Strata of unequal spread with a common mean of 0: 95 of 100 intervals hold it."""
    rng = np.random.default_rng(1)
    strata = ["a"] * 10 + ["b"] * 6
    held = 0
    for _ in range(2_000):
        fit = stratified_t(np.concatenate([rng.normal(3, 1, 10), rng.normal(-3, 2, 6)]), strata)
        held += fit.low <= 0 <= fit.high
    assert held / 2_000 == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / 2_000))


@pytest.mark.parametrize(
    ("values", "strata", "reason"),
    [
        ([1.0], ["a"], "one value only"),
        ([1.0, 2.0, 3.0], ["a", "a", "b"], "one value only in a stratum"),
        ([1.0, 1.0, 2.0, 2.0], ["a", "a", "b", "b"], "all values are equal"),
    ],
)
def test_no_interval_without_spread(values, strata, reason):
    fit = stratified_t(values, strata)
    assert fit.reason == reason
    assert math.isnan(fit.low)
    assert math.isnan(fit.p_value)
    assert math.isfinite(fit.value)


def test_mistakes():
    with pytest.raises(InputError, match="strata and values must be of one length"):
        stratified_t([1.0, 2.0], ["a"])

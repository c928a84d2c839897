from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from counterpoise.core.errors import InputError
from counterpoise.stats import adjust, correlation, correlation_table, correlation_test, stars

numbers = st.integers(-20, 20).map(float)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(numbers, numbers), min_size=4, max_size=30),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_equals_scipy(pairs, alternative):
    x, y = np.array(pairs).T
    for method, test in (("pearson", scipy_stats.pearsonr), ("spearman", scipy_stats.spearmanr)):
        ours = correlation(x, y, method, alternative)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert math.isnan(ours.p_value)
            assert ours.reason
            continue
        theirs = test(x, y, alternative=alternative)
        assert ours.r == pytest.approx(theirs.statistic, abs=1e-9)
        assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-9)
        if method == "pearson" and abs(ours.r) < 1 - 1e-9:
            interval = scipy_stats.pearsonr(x, y).confidence_interval()
            assert [ours.low, ours.high] == pytest.approx(list(interval), abs=1e-9)


def test_spearmans_interval_is_wider_as_bonett_and_wright_say():
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    fit = correlation(x, x + rng.normal(size=30), "spearman")
    half = scipy_stats.norm.ppf(0.975) * math.sqrt((1 + fit.r**2 / 2) / 27)
    assert fit.low == pytest.approx(math.tanh(math.atanh(fit.r) - half), abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(numbers, numbers), min_size=3, max_size=6),
    st.sampled_from(["pearson", "spearman"]),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_the_permutation_test_equals_brute_force(pairs, method, alternative):
    x, y = np.array(pairs).T
    test = correlation_test(x, y, method, alternative)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert test.reason
        return
    assert test.exact
    statistic = {"pearson": scipy_stats.pearsonr, "spearman": scipy_stats.spearmanr}[method]
    observed = statistic(x, y).statistic
    extreme = 0
    for order in itertools.permutations(y):
        r = statistic(x, order).statistic
        margin = {"two-sided": abs(r) - abs(observed), "greater": r - observed, "less": observed - r}
        extreme += margin[alternative] > -1e-9
    assert test.p_value == pytest.approx(extreme / math.factorial(len(pairs)), abs=1e-9)


def test_a_sampled_p_is_near_students_for_normal_values():
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    y = 0.3 * x + rng.normal(size=40)
    sampled, student = correlation_test(x, y, n=20_000), correlation(x, y)
    assert sampled.exact is False
    assert sampled.r == student.r
    assert sampled.p_value == pytest.approx(student.p_value, abs=0.01)
    assert correlation_test(x, y, n=500) == correlation_test(x, y, n=500)


def values_with_correlation(r: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two samples whose correlation is r to the last digit."""
    basis, _ = np.linalg.qr(np.column_stack([np.ones(n), np.random.default_rng(0).normal(size=(n, 2))]))
    return basis[:, 1], r * basis[:, 1] + math.sqrt(1 - r**2) * basis[:, 2]


@pytest.mark.parametrize(
    ("r", "printed"),
    [
        (0.372960, ""),
        (-0.480855, "**"),
        (-0.496982, "***"),
        (0.886411, "***"),
        (0.044056, ""),
        (-0.085231, ""),
    ],
)
def test_jentzsch_turans_correlations(r, printed):
    """63 rows, Bonferroni with a factor of 21."""
    fit = correlation(*values_with_correlation(r, 63))
    assert fit.r == pytest.approx(r, abs=1e-12)
    assert stars(adjust([fit.p_value], "bonferroni", factor=21)[0]) == printed


def test_kuritas_spearman_p_belongs_to_a_thousand_samples():
    """rho = .207 with p = 4e-11, so n = 1000 (table 4's text): the t approximation on that rho."""
    x, y = values_with_correlation(0.207, 1000)
    assert f"{correlation(x, y).p_value:.0e}" == "4e-11"


def test_a_table_of_correlations_is_one_family():
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd"))
    rows = correlation_table(table, correction="bonferroni")
    assert rows[["x", "y"]].to_numpy().tolist() == [list(pair) for pair in itertools.combinations("abcd", 2)]
    assert rows["p_adjusted"].to_numpy() == pytest.approx(np.minimum(1, 6 * rows["p_value"].to_numpy()))
    assert rows.columns.tolist() == ["x", "y", "r", "low", "high", "p_value", "p_adjusted", "n"]
    with pytest.raises(InputError, match="at least two columns"):
        correlation_table(table[["a"]])


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1.0], [2.0], "1 pair: a correlation needs three"),
        ([1.0, 2.0], [2.0, 3.0], "2 pairs: a correlation needs three"),
        ([1.0, 2.0, 3.0], [5.0, 5.0, 5.0], "all values of y are equal"),
    ],
)
def test_says_why_there_is_no_correlation(x, y, reason):
    for fit in (correlation(x, y), correlation_test(x, y)):
        assert fit.reason == reason
        assert math.isnan(fit.r)
        assert math.isnan(fit.p_value)


def test_a_perfect_correlation_has_a_p_but_no_interval():
    fit = correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert fit.r == 1
    assert fit.p_value < 1e-9
    assert fit.reason == "a perfect correlation has no interval"

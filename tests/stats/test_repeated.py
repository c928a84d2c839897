"""Conditions measured on the same items: by scipy, by brute force over all permutations, and by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from counterpoise import stats
from counterpoise.core.errors import InputError


def alike(rng, items=60, conditions=4):
    """Items differ, conditions do not: values of one item correlate by .8."""
    return rng.normal(size=(items, 1)) + 0.5 * rng.normal(size=(items, conditions))


def test_pairs_against_scipy_and_holm_by_hand():
    table = alike(np.random.default_rng(1)) + np.array([0.0, 0.1, 0.2, 0.0])
    pairs = stats.pairwise_differences(table)
    assert [(pair.first, pair.second) for pair in pairs] == list(itertools.combinations(range(4), 2))
    for pair in pairs:
        tested = scipy_stats.ttest_rel(table[:, pair.first], table[:, pair.second])
        interval = tested.confidence_interval()
        assert pair.p_value == pytest.approx(tested.pvalue)
        assert [pair.fit.low, pair.fit.high] == pytest.approx([interval.low, interval.high])
    ordered = sorted(pairs, key=lambda pair: pair.p_value)
    so_far = 0.0
    for rank, pair in enumerate(ordered):
        so_far = max(so_far, min(1.0, (6 - rank) * pair.p_value))
        assert pair.p_adjusted == pytest.approx(so_far)


def test_pairs_by_wilcoxon():
    table = alike(np.random.default_rng(2), conditions=2)
    [pair] = stats.pairwise_differences(table, test="wilcoxon")
    assert pair.p_value == pytest.approx(stats.wilcoxon(table[:, 0] - table[:, 1]).p_value)
    assert pair.p_adjusted == pair.p_value


def test_clusters_count_once():
    """Ten items of a cluster that are one and the same are one."""
    table = alike(np.random.default_rng(3), items=12, conditions=3)
    repeated, clusters = np.repeat(table, 10, axis=0), np.repeat(np.arange(12), 10)
    for once, ten_times in zip(
        stats.pairwise_differences(table), stats.pairwise_differences(repeated, clusters), strict=True
    ):
        assert ten_times.p_value == pytest.approx(once.p_value)
    gap, of_repeated = stats.largest_gap(table, n=500), stats.largest_gap(repeated, clusters, n=500)
    assert (of_repeated.p_value, of_repeated.low, of_repeated.high) == pytest.approx(
        (gap.p_value, gap.low, gap.high)
    )
    assert (of_repeated.n, of_repeated.n_clusters) == (120, 12)


def test_the_permutation_test_against_all_permutations():
    table = np.array([[0.0, 1.0, 2.5], [0.5, 0.4, 1.0], [0.2, 0.9, 0.7], [1.0, 1.1, 1.9]])
    observed = np.ptp(table.mean(axis=0))
    every = [
        np.array(rows) for rows in itertools.product(*(list(itertools.permutations(row)) for row in table))
    ]
    gaps = np.array([np.ptp(rows.mean(axis=0)) for rows in every])
    fit = stats.largest_gap(table, n=20_000)
    exact = float((gaps >= observed - 1e-9).mean())
    assert fit.value == pytest.approx(observed)
    assert fit.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))
    # The 95th percentile lies where the 1,296 gaps have it, give or take what 20,000 draws err.
    low, high = np.quantile(gaps, [0.945, 0.955])
    assert low - 1e-9 <= fit.by_chance <= high + 1e-9
    assert (fit.highest, fit.lowest) == (2, 0)


def test_of_two_conditions_it_is_the_sign_flip_test():
    table = alike(np.random.default_rng(4), items=14, conditions=2) + np.array([0.15, 0.0])
    gap = stats.largest_gap(table, n=20_000)
    flipped = stats.sign_flip_test(table[:, 0] - table[:, 1])
    assert gap.value == pytest.approx(abs(flipped.statistic))
    assert gap.p_value == pytest.approx(flipped.p_value, abs=0.015)


def test_conditions_that_never_differ_or_always_by_the_same():
    flat = stats.largest_gap(np.arange(6.0)[:, None] + [0.0, 0.0, 0.0], n=100)
    assert flat.value == 0
    assert flat.reason == "all conditions are equal on every item"
    assert math.isnan(flat.p_value)
    constant = stats.largest_gap(np.arange(20.0)[:, None] / 7 + [0.0, 0.1, 0.3], n=1000)
    assert constant.value == pytest.approx(0.3)
    assert constant.reason == "the differences are the same on every item"
    assert constant.p_value == pytest.approx(1 / 1001)
    assert math.isnan(constant.high)
    assert stats.largest_gap([[1.0, 2.0]], n=10).reason == "one item only"


def test_mistakes():
    with pytest.raises(InputError, match="two conditions or more are compared, found 1"):
        stats.largest_gap([[1.0], [2.0]])
    with pytest.raises(InputError, match="there is no test 'sign'"):
        stats.pairwise_differences([[1.0, 2.0]], test="sign")
    for level in (0.5, 0.3, 1.0):
        with pytest.raises(InputError, match=f"must lie between 0.5 and 1, found {level}"):
            stats.largest_gap(alike(np.random.default_rng(1)), n=10, level=level)


def test_the_gap_by_chance_is_that_of_the_level():
    table = alike(np.random.default_rng(1), items=12, conditions=2)
    differences = table[:, 0] - table[:, 1]  # of two conditions, exchanging them turns the sign
    gaps = [abs(np.mean(differences * signs)) for signs in itertools.product((1, -1), repeat=12)]
    for level in (0.6, 0.95):
        gap = stats.largest_gap(table, n=20_000, level=level)
        assert gap.by_chance == pytest.approx(np.quantile(gaps, level), rel=0.03)


def simulated(shift, draws, items=40, seed=5):
    rng = np.random.default_rng(seed)
    return [stats.largest_gap(alike(rng, items) + np.asarray(shift), n=300, seed=i) for i in range(draws)]


def test_without_a_difference_it_is_seldom_significant_and_the_interval_agrees():
    fits = simulated([0.0, 0.0, 0.0, 0.0], draws=400)
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    assert np.mean([fit.p_value < 0.05 for fit in fits]) <= limit
    assert np.mean([fit.low > 0 for fit in fits]) <= limit
    assert np.mean([(fit.p_value < 0.05) == (fit.low > 0) for fit in fits]) > 0.97
    assert np.mean([fit.value > fit.by_chance for fit in fits]) <= limit


@pytest.mark.parametrize("shift", [[0.0, 0.05, 0.1, 0.2], [0.0, 0.0, 0.0, 0.5], [0.0, 0.5, 0.5, 0.5]])
def test_the_interval_covers_the_true_gap(shift):
    fits = simulated(shift, draws=300)
    covered = np.mean([fit.low <= max(shift) <= fit.high for fit in fits])
    assert covered >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 300)

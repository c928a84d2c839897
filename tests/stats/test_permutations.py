from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from counterpoise.stats import permutation_test, sign_flip_test
from counterpoise.stats.permutations import subset_sums

numbers = st.integers(-50, 50).map(lambda i: i / 7)  # ties happen, and 1/7 is not exact in binary
ALTERNATIVES = ["two-sided", "greater", "less"]


def brute_force(x, y, alternative, strict):
    """Every partition, its difference of means computed afresh, compared with room for rounding."""
    pool = [*x, *y]
    observed = sum(x) / len(x) - sum(y) / len(y)
    extreme = total = 0
    for chosen in itertools.combinations(range(len(pool)), len(x)):
        rest = [pool[i] for i in range(len(pool)) if i not in chosen]
        difference = sum(pool[i] for i in chosen) / len(x) - sum(rest) / len(y)
        margin = {
            "two-sided": abs(difference) - abs(observed),
            "greater": difference - observed,
            "less": observed - difference,
        }[alternative]
        extreme += margin > 1e-9 if strict else margin > -1e-9
        total += 1
    return extreme / total


@settings(max_examples=60, deadline=None)
@given(
    st.lists(numbers, min_size=1, max_size=5),
    st.lists(numbers, min_size=2, max_size=5),
    st.sampled_from(ALTERNATIVES),
    st.booleans(),
)
def test_exact_p_equals_brute_force(x, y, alternative, strict):
    test = permutation_test(x, y, alternative, strict=strict)
    if len(set(x + y)) == 1:
        assert math.isnan(test.p_value)
        assert test.reason
        return
    assert test.exact
    assert test.n_used == test.n_partitions == math.comb(len(x) + len(y), len(x))
    assert test.p_value == pytest.approx(brute_force(x, y, alternative, strict), abs=1e-12)
    assert test.statistic == pytest.approx(np.mean(x) - np.mean(y), abs=1e-12)


def test_values_that_hardly_differ_beside_their_mean_are_told_apart():
    # The one other value is in y in 11 of the 66 partitions.
    x, y = [1.0] * 10, [1.0, 1.0000001]
    assert permutation_test(x, y).p_value == permutation_test(y, x).p_value == pytest.approx(11 / 66)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(numbers, min_size=1, max_size=6),
    st.lists(numbers, min_size=2, max_size=4),
    st.sampled_from([0.0, 1.0, 1e6, -1e9]),
    st.sampled_from([1.0, 1e-7, 1e-300, 1e50]),
    st.sampled_from(ALTERNATIVES),
)
def test_exact_p_is_never_0_and_the_same_with_x_and_y_exchanged(x, y, mean, spread, alternative):
    x, y = (np.asarray(values) * spread + mean for values in (x, y))
    test = permutation_test(x, y, alternative)
    turned = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[alternative]
    exchanged = permutation_test(y, x, turned)
    if test.reason:
        assert exchanged.reason == test.reason
        return
    assert test.exact
    assert test.p_value == exchanged.p_value
    assert test.p_value >= 1 / test.n_partitions


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("sizes", [(8, 8), (6, 9)])
def test_exact_p_equals_scipy(alternative, sizes):
    rng = np.random.default_rng(3)
    x, y = rng.normal(0.4, 1, sizes[0]), rng.normal(0, 1, sizes[1])

    def difference(a, b, axis):
        return a.mean(axis=axis) - b.mean(axis=axis)

    def distance(a, b, axis):
        return np.abs(difference(a, b, axis))

    # scipy's own "two-sided" doubles the smaller tail; ours compares absolute differences.
    statistic, side = (distance, "greater") if alternative == "two-sided" else (difference, alternative)
    theirs = scipy_stats.permutation_test(
        (x, y), statistic, alternative=side, n_resamples=np.inf, vectorized=True
    )
    assert permutation_test(x, y, alternative).p_value == pytest.approx(theirs.pvalue, abs=1e-9)


def test_subset_sums_equal_combinations():
    values = np.random.default_rng(0).normal(size=11)
    for size in range(1, 6):
        expected = sorted(sum(values[list(c)]) for c in itertools.combinations(range(11), size))
        assert np.sort(subset_sums(values, size)) == pytest.approx(expected, abs=1e-12)


def test_sampled_p_agrees_with_the_exact_one_and_counts_the_observed_partition():
    rng = np.random.default_rng(5)
    x, y = rng.normal(0.8, 1, 9), rng.normal(0, 1, 8)
    exact = permutation_test(x, y)
    sampled = permutation_test(x, y, max_exact=0, n=20_000, seed=1)
    assert not sampled.exact
    assert sampled.n_used == 20_000
    error = math.sqrt(exact.p_value * (1 - exact.p_value) / 20_000)
    assert abs(sampled.p_value - exact.p_value) < 4 * error
    assert sampled.p_value * 20_001 == pytest.approx(round(sampled.p_value * 20_001), abs=1e-6)
    assert permutation_test([10, 11, 12, 13], [0, 1, 2, 3], max_exact=0, n=1, seed=0).p_value >= 0.5


def test_a_seed_fixes_a_sampled_p():
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=24), rng.normal(size=24)
    first, again, other = (permutation_test(x, y, n=2_000, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.p_value != other.p_value


def test_200_000_partitions_are_the_limit_of_enumeration():
    values = np.random.default_rng(0).normal(size=22)
    assert permutation_test(values[:10], values[10:20]).exact  # 184,756 partitions
    assert not permutation_test(values[:11], values[11:], n=100).exact  # 705,432
    start = time.perf_counter()
    permutation_test(values[:8], values[8:16])
    assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize(
    ("test", "p_value"),
    [("flower_bug", 0.025), ("math_art", 0.00236), ("science_art", 0.00057), ("career_family", 0.0)],
)
def test_kuritas_printed_p_values(published, test, p_value):
    """Kurita's code: two-sided and strict, 100,000 unseeded shuffles, so equal up to sampling error."""
    rows = published["kurita2019"]["tests"][test]
    ours = permutation_test(rows["x"], rows["y"], strict=True, seed=0)
    assert not ours.exact
    error = math.sqrt(2 * max(p_value, 1e-5) / 100_000)
    assert abs(ours.p_value - p_value) < 4 * error


@settings(max_examples=60, deadline=None)
@given(st.lists(numbers, min_size=2, max_size=8), st.sampled_from(ALTERNATIVES))
def test_sign_flips_equal_brute_force(differences, alternative):
    test = sign_flip_test(differences, alternative)
    if not any(differences):
        assert math.isnan(test.p_value)
        return
    observed = sum(differences)
    extreme = 0
    for signs in itertools.product((1, -1), repeat=len(differences)):
        total = sum(s * d for s, d in zip(signs, differences, strict=True))
        margin = {
            "two-sided": abs(total) - abs(observed),
            "greater": total - observed,
            "less": observed - total,
        }
        extreme += margin[alternative] > -1e-9
    assert test.p_value == pytest.approx(extreme / 2 ** len(differences), abs=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sign_flips_equal_scipy(alternative):
    differences = np.random.default_rng(2).normal(0.3, 1, 12)
    theirs = scipy_stats.permutation_test(
        (differences,),
        lambda d, axis: d.mean(axis=axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    )
    assert sign_flip_test(differences, alternative).p_value == pytest.approx(theirs.pvalue, abs=1e-9)


def test_clusters_turn_together():
    rng = np.random.default_rng(4)
    values, clusters = rng.normal(0.2, 1, 40), np.repeat(list("abcdefgh"), 5)
    test = sign_flip_test(values, clusters=clusters)
    sums = [values[clusters == c].sum() for c in "abcdefgh"]
    assert test.p_value == sign_flip_test(sums).p_value
    assert test.statistic == pytest.approx(values.mean())
    assert test.n_partitions == 2**8


def test_clusters_that_cancel_are_no_evidence():
    values = [0.1, 0.2, -0.3, 0.7, -0.4, -0.3]  # both sums are 0, but not in binary
    assert sign_flip_test(values, clusters=list("aaabbb")).p_value == 1


def test_sampled_sign_flips_agree_with_the_exact_ones():
    differences = np.random.default_rng(9).normal(0.4, 1, 15)
    exact, sampled = sign_flip_test(differences), sign_flip_test(differences, max_exact=0, n=20_000)
    assert exact.exact
    assert not sampled.exact
    assert abs(sampled.p_value - exact.p_value) < 4 * math.sqrt(exact.p_value / 20_000)

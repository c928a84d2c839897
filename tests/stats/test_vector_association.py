"""WEAT's arithmetic against plain loops, brute-force enumeration and scipy's distances."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.spatial import distance

from counterpoise import stats
from counterpoise.core.errors import InputError

RNG = np.random.default_rng(5)
X, Y, A, B = RNG.normal(size=(4, 5, 7))


def cosine(u, v):
    return sum(a * b for a, b in zip(u, v, strict=True)) / math.sqrt(
        sum(a * a for a in u) * sum(b * b for b in v)
    )


def s(word, a, b):
    return np.mean([cosine(word, v) for v in a]) - np.mean([cosine(word, v) for v in b])


def test_equals_plain_loops():
    found = stats.association_test(X, Y, A, B)
    x, y = [s(w, A, B) for w in X], [s(w, A, B) for w in Y]
    assert found.x == pytest.approx(x, abs=1e-12)
    assert found.y == pytest.approx(y, abs=1e-12)
    assert found.statistic == pytest.approx(sum(x) - sum(y))
    for ddof in (0, 1):
        expected = (np.mean(x) - np.mean(y)) / np.std([*x, *y], ddof=ddof)
        assert stats.association_test(X, Y, A, B, ddof=ddof).effect_size == pytest.approx(expected)
    assert stats.target_associations(X, A, B) == pytest.approx(x)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("size", [5, 3])
def test_exact_p_equals_enumeration(alternative, size):
    """Every split of the targets, with cosines worked out again for each; unequal sets too."""
    targets = [*X, *Y[:size]]

    def statistic(chosen):
        x = [s(targets[i], A, B) for i in chosen]
        y = [s(targets[i], A, B) for i in range(len(targets)) if i not in chosen]
        return np.mean(x) - np.mean(y)

    observed = statistic(range(5))
    others = [statistic(chosen) for chosen in itertools.combinations(range(len(targets)), 5)]
    count = {
        "two-sided": sum(abs(one) >= abs(observed) - 1e-12 for one in others),
        "greater": sum(one >= observed - 1e-12 for one in others),
        "less": sum(one <= observed + 1e-12 for one in others),
    }[alternative]
    found = stats.association_test(X, Y[:size], A, B, alternative=alternative)
    assert found.exact
    assert found.n_used == len(others)
    assert found.p_value == pytest.approx(count / len(others))


def test_distances_are_scipys_turned_negative():
    reference = RNG.normal(size=(50, 7)) * np.arange(1, 8)
    inverse = np.linalg.inv(np.cov(reference, rowvar=False))
    for metric, expected in {
        "cosine": 1 - distance.cdist(X, A, "cosine"),
        "euclidean": -distance.cdist(X, A, "euclidean"),
        "manhattan": -distance.cdist(X, A, "cityblock"),
        "mahalanobis": -distance.cdist(X, A, "mahalanobis", VI=inverse),
    }.items():
        assert stats.similarity(X, A, metric, reference) == pytest.approx(expected, abs=1e-10)


def test_mahalanobis_where_the_vectors_do_not_vary_is_the_pseudo_inverse():
    reference = RNG.normal(size=(50, 4)) @ RNG.normal(size=(4, 7))
    inverse = np.linalg.pinv(np.cov(reference, rowvar=False), rcond=1e-10)
    difference = X[0] - A[0]
    found = stats.similarity(X[:1], A[:1], "mahalanobis", reference)[0, 0]
    assert found == pytest.approx(-math.sqrt(difference @ inverse @ difference), rel=1e-6)


@pytest.mark.parametrize("n", [3, 7, 8])
def test_mahalanobis_needs_more_vectors_than_numbers(n):
    """By scipy's distances too: with no more they are all the same. A vector that stands twice is one."""
    few = RNG.normal(size=(n, 7))
    inverse = np.linalg.pinv(np.cov(few, rowvar=False))
    assert distance.pdist(few, "mahalanobis", VI=inverse) == pytest.approx(math.sqrt(2 * (n - 1)))
    with pytest.raises(
        InputError, match=f"by Mahalanobis {n} different vectors of 7 numbers are all equally"
    ):
        stats.similarity(few[:1], few[1:], "mahalanobis", np.repeat(few, 3, axis=0))


def test_interval_is_a_bootstrap_over_the_words_of_all_four_sets():
    """A second bootstrap, written as a loop over drawn words: the same spread, and the interval brackets d."""
    found = stats.association_test(X, Y, A, B)
    assert found.low < found.effect_size < found.high
    rng, draws = np.random.default_rng(0), []
    for _ in range(2000):
        x, y, a, b = (words[rng.integers(0, 5, 5)] for words in (X, Y, A, B))
        draws.append(
            stats.effect_size_weat(stats.target_associations(x, a, b), stats.target_associations(y, a, b))
        )
    draws = np.array(draws)
    quantiles = [np.mean(draws <= found.low), np.mean(draws <= found.high)]
    assert quantiles[0] < 0.1  # BCa moves the tails away from 2.5 % and 97.5 %, a little
    assert quantiles[1] > 0.9


@pytest.mark.slow
def test_the_interval_covers_what_it_should():
    """Targets and attributes are drawn anew: 95 % of intervals hold the d of the population."""
    rng, covered = np.random.default_rng(2), 0

    def similarities(n, rng):
        sides = np.repeat([1.0, -1.0], n)[:, None]
        words = rng.normal(0, 0.08, (2 * n, 1))
        return (
            0.04 * sides + words + sides * rng.normal(0, 0.025, n) + rng.normal(0, 0.1, (2 * n, n)),
            sides * rng.normal(0, 0.025, n) + rng.normal(0, 0.1, (2 * n, n)),
        )

    to_a, to_b = similarities(3000, np.random.default_rng(7))
    all_s = to_a.mean(axis=1) - to_b.mean(axis=1)
    truth = stats.effect_size_weat(all_s[:3000], all_s[3000:])
    for _ in range(300):
        found = stats.association_test_of(*similarities(8, rng), 8)
        covered += found.low <= truth <= found.high
    assert 0.91 <= covered / 300 <= 0.99


def test_smallest_detectable_is_where_a_t_test_has_power_of_eighty_per_cent():
    from statsmodels.stats.power import TTestIndPower

    delta = TTestIndPower().solve_power(nobs1=8, ratio=1, alpha=0.05, power=0.8)
    assert stats.smallest_difference(8, 8) == pytest.approx(delta, rel=1e-4)
    found = stats.association_test(*RNG.normal(size=(4, 8, 3)))
    assert found.smallest_detectable == pytest.approx(delta / math.sqrt(1 + delta**2 / 4), rel=1e-4)


def test_mistakes():
    with pytest.raises(InputError, match="did you mean 'cosine'"):
        stats.similarity(X, A, "cosin")
    with pytest.raises(InputError, match="x has vectors of 6 numbers and y of 7"):
        stats.association_test(X, Y[:, :6], A, B)
    with pytest.raises(InputError, match="row 0 of x is all zeros"):
        stats.similarity(np.zeros((1, 7)), A)
    with pytest.raises(InputError, match="mahalanobis needs the vectors"):
        stats.similarity(X, A, "mahalanobis")
    with pytest.raises(InputError, match="reference vectors are all the same"):
        stats.similarity(X, A, "mahalanobis", np.ones((3, 7)))
    with pytest.raises(InputError, match="5 of 5 and 5 targets"):
        stats.association_test_of(X, X, 5)


def test_equal_targets_have_no_effect_and_say_so():
    same = np.ones((3, 7))
    found = stats.association_test(same, same, A, B)
    assert math.isnan(found.effect_size)
    assert found.reason == "all values are equal"

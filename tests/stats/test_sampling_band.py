"""What sampling alone gives, against theory, brute force and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from counterpoise import stats
from counterpoise.core.errors import InputError


def laid_out(clusters, draws):
    """Conditions and clusters of values that are in the order cluster, condition, draw."""
    return np.tile(np.repeat(["male", "female"], draws), clusters), np.repeat(range(clusters), 2 * draws)


def test_one_cluster_by_brute_force():
    # Halves of (0, 3) differ by 3 or -3 and those of (1, 2) by 1 or -1; both are scaled by sqrt((1/2) / (1 + 1)) = 1/2.
    found = {abs(a * 1.5 + b * 0.5) for a, b in itertools.product((-1, 1), repeat=2)}
    assert found == {1.0, 2.0}
    band = stats.sampling_band([0.0, 3.0, 1.0, 2.0], *laid_out(1, 2), n=400)
    assert band.half == 2.0
    assert (band.holds(-2.0), band.holds(2.01)) == (True, False)
    assert stats.sampling_band([0.0, 3.0, 1.0, 2.0], *laid_out(1, 2), n=400, level=0.4).half == 1.0


@pytest.mark.parametrize("draws", [2, 4, 5, 9])
def test_many_clusters_as_theory_says(draws):
    values = np.random.default_rng(1).normal(scale=3.0, size=200 * 2 * draws)
    band = stats.sampling_band(values, *laid_out(200, draws))
    assert band.half == pytest.approx(1.96 * 3 * math.sqrt(2 / draws / 200), rel=0.08)
    assert band.n_clusters == 200


def test_levels_of_clusters_and_a_difference_between_conditions_do_not_count():
    conditions, clusters = laid_out(30, 4)
    values = np.random.default_rng(2).normal(size=240)
    plain = stats.sampling_band(values, conditions, clusters)
    moved = stats.sampling_band(values + 10 * clusters + 5 * (conditions == "male"), conditions, clusters)
    assert moved.half == pytest.approx(plain.half, rel=1e-6)


def test_clusters_with_single_draws_are_as_variable_as_the_others():
    values = np.random.default_rng(3).normal(size=400)
    conditions, clusters = laid_out(50, 4)
    whole = stats.sampling_band(values[:200], conditions[:200], clusters[:200])
    kept = np.arange(400) < 200
    kept[200::4] = True  # of the other 25 clusters one draw of each condition
    some = stats.sampling_band(values[kept], conditions[kept], clusters[kept])
    assert some.n_clusters == whole.n_clusters == 25
    assert some.half == pytest.approx(whole.half * math.sqrt(25 / 50), rel=0.05)


def test_no_band_without_repeated_draws():
    band = stats.sampling_band([1.0, 2.0], ["male", "female"], [0, 0])
    assert math.isnan(band.half)
    assert not band.holds(0.0)
    assert band.reason == "fewer than two draws under each condition"
    with pytest.raises(InputError, match="two conditions are compared, found 1"):
        stats.sampling_band([1.0, 2.0], ["male", "male"], [0, 0])


@pytest.mark.slow
def test_where_only_sampling_differs_one_in_twenty_is_beyond():
    rng = np.random.default_rng(4)
    conditions, clusters = laid_out(12, 5)
    beyond = 0
    for seed in range(400):
        values = rng.normal(size=120) + rng.normal(size=12)[clusters]
        difference = values[conditions == "male"].mean() - values[conditions == "female"].mean()
        beyond += not stats.sampling_band(values, conditions, clusters, n=200, seed=seed).holds(difference)
    assert abs(beyond / 400 - 0.05) <= 3 * math.sqrt(0.05 * 0.95 / 400)

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.power import TTestIndPower

from counterpoise.core.errors import InputError
from counterpoise.stats import (
    cluster_t,
    correlation,
    power_to_detect,
    smallest_detectable,
    smallest_detectable_correlation,
    smallest_detectable_t,
    smallest_detectable_weat,
)


@pytest.fixture
def items():
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(20), 6)
    return rng.normal(size=20)[clusters] + rng.normal(size=120), clusters


@pytest.mark.parametrize(("power", "alpha"), [(0.8, 0.05), (0.9, 0.05), (0.8, 0.01)])
def test_a_bias_of_that_size_is_found_with_that_power(items, power, alpha):
    bias = smallest_detectable(*items, power=power, alpha=alpha)
    se, df = cluster_t(*items).standard_error, 19
    critical = scipy_stats.t.ppf(1 - alpha / 2, df)
    found = scipy_stats.nct.sf(critical, df, bias / se) + scipy_stats.nct.cdf(-critical, df, bias / se)
    assert found == pytest.approx(power, abs=1e-6)
    assert power_to_detect(bias, *items, alpha=alpha) == pytest.approx(power, abs=1e-6)
    assert power_to_detect(-bias, *items, alpha=alpha) == pytest.approx(power, abs=1e-6)


def test_power_by_simulation(items):
    """New items of the same kind, with a bias of just that size: four in five show it."""
    rng = np.random.default_rng(1)
    clusters, found = items[1], 0
    spread = math.sqrt(1 + 1 / 6)  # of a cluster mean, known here
    bias = smallest_detectable(np.repeat(spread * np.array([1, -1] * 10) * math.sqrt(19 / 20), 6), clusters)
    for _ in range(2_000):
        values = bias + rng.normal(size=20)[clusters] + rng.normal(size=120)
        found += cluster_t(values, clusters).p_value < 0.05
    assert found / 2_000 == pytest.approx(0.8, abs=3 * math.sqrt(0.16 / 2_000))


def test_fewer_clusters_hide_larger_biases(items):
    values, clusters = items
    assert smallest_detectable(values, clusters) > 1.5 * smallest_detectable(values)
    assert smallest_detectable(2 * values, clusters) == pytest.approx(
        2 * smallest_detectable(values, clusters)
    )


def test_without_spread_there_is_no_answer():
    assert math.isnan(smallest_detectable([1.0]))
    assert math.isnan(smallest_detectable([1.0, 2.0], ["a", "a"]))
    assert math.isnan(smallest_detectable([1.0, 1.0, 1.0]))
    assert math.isnan(power_to_detect(0.1, [1.0]))
    assert power_to_detect(1e9, [1.0, 2.0, 3.0]) == 1
    assert smallest_detectable([1.0, 2.0], alpha=0.001) > 100  # two values: all but nothing can be found
    with pytest.raises(InputError, match="power must be above alpha"):
        smallest_detectable([1.0, 2.0], power=0.05)
    with pytest.raises(InputError, match="power must lie between 0 and 1, found 80"):
        smallest_detectable([1.0, 2.0], power=80)


@pytest.mark.parametrize(("m", "n"), [(8, 8), (25, 25), (5, 12)])
def test_the_smallest_weat_d_is_that_of_the_two_sample_t_test(m, n):
    d = TTestIndPower().solve_power(nobs1=m, ratio=n / m, alpha=0.05, power=0.8)
    bent = d / math.sqrt(1 + m * n / (m + n) ** 2 * d**2)
    assert smallest_detectable_weat(m, n) == pytest.approx(bent, abs=1e-5)


def test_no_words_no_smallest_d():
    assert math.isnan(smallest_detectable_weat(1, 1))
    assert math.isnan(smallest_detectable_weat(5, 0))
    with pytest.raises(InputError, match="power must be above alpha"):
        smallest_detectable_weat(8, 8, power=0.01)


def test_from_a_standard_error_and_degrees_of_freedom(items):
    fit = cluster_t(*items)
    assert smallest_detectable_t(fit.standard_error, fit.df) == pytest.approx(smallest_detectable(*items))
    assert math.isnan(smallest_detectable_t(math.nan, 3.0))


def test_a_correlation_of_that_size_is_found_with_that_power():
    """Cohen (1988): 29 pairs for r = .5 (power .80); and by simulation with 40 pairs."""
    assert smallest_detectable_correlation(29) == pytest.approx(0.5, abs=0.001)
    assert math.isnan(smallest_detectable_correlation(3))
    r, rng, found = smallest_detectable_correlation(40), np.random.default_rng(2), 0
    for _ in range(1_000):
        x = rng.normal(size=40)
        y = r * x + math.sqrt(1 - r**2) * rng.normal(size=40)
        found += correlation(x, y).p_value < 0.05
    assert found / 1_000 == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 1_000))
    with pytest.raises(InputError, match="power must be above alpha"):
        smallest_detectable_correlation(40, power=0.01)

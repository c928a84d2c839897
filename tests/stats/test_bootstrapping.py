from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise.core.errors import InputError
from counterpoise.stats import bootstrap, bootstrap_difference


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(15), rng.integers(2, 9, 15))
    return rng.exponential(size=15)[clusters] + rng.normal(size=len(clusters)), clusters


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("name", ["mean", "median"])
def test_the_fast_statistics_equal_a_plain_function_on_the_same_draws(sample, name, method):
    values, clusters = sample
    arguments = {"clusters": clusters, "n": 300, "method": method, "seed": 4}
    fast, plain = bootstrap(values, name, **arguments), bootstrap(values, getattr(np, name), **arguments)
    for field in ("value", "low", "high", "standard_error"):
        assert getattr(fast, field) == pytest.approx(getattr(plain, field), abs=1e-12)
    table = pd.DataFrame({"v": values})
    of_table = bootstrap(table, lambda t: float(getattr(np, name)(t["v"])), **arguments)
    assert (of_table.low, of_table.high) == (plain.low, plain.high)


@pytest.mark.parametrize(("method", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
@pytest.mark.parametrize("name", ["mean", "median"])
def test_agrees_with_scipy(name, method, theirs):
    """Different draws, so equal up to their error: with 40,000 draws about 1 % of the interval's width."""
    values = np.random.default_rng(1).exponential(size=40)
    ours = bootstrap(values, name, n=40_000, method=method)
    scipys = scipy_stats.bootstrap(
        (values,), getattr(np, name), n_resamples=40_000, method=theirs, rng=np.random.default_rng(1)
    )
    width = ours.high - ours.low
    assert ours.low == pytest.approx(scipys.confidence_interval.low, abs=0.03 * width)
    assert ours.high == pytest.approx(scipys.confidence_interval.high, abs=0.03 * width)
    assert ours.standard_error == pytest.approx(scipys.standard_error, rel=0.03)


def test_the_percentile_interval_equals_all_27_resamples_of_three_clusters():
    values, clusters = np.array([1.0, 2.0, 5.0, 6.0, 7.0, 20.0]), ["a", "a", "b", "b", "b", "c"]
    groups = [values[:2], values[2:5], values[5:]]
    every = [np.concatenate(draw).mean() for draw in itertools.product(groups, repeat=3)]
    fit = bootstrap(values, "mean", clusters=clusters, n=50_000, method="percentile", level=0.8)
    assert fit.low == pytest.approx(np.quantile(every, 0.1, method="inverted_cdf"))
    assert fit.high == pytest.approx(np.quantile(every, 0.9, method="inverted_cdf"))
    assert fit.standard_error == pytest.approx(np.std(every), rel=0.02)


def test_strata_keep_their_sizes_and_narrow_the_interval():
    rng = np.random.default_rng(2)
    strata = np.repeat(["low", "high"], [10, 30])
    values = np.where(strata == "low", 0.0, 10.0) + rng.normal(size=40)
    sizes = []

    def count_low(table):
        sizes.append(int((table["stratum"] == "low").sum()))
        return float(table["value"].mean())

    table = pd.DataFrame({"value": values, "stratum": strata})
    bootstrap(table, count_low, strata=strata, n=50, method="percentile")
    assert set(sizes) == {10}
    within, without = bootstrap(values, "mean", strata=strata), bootstrap(values, "mean")
    # The standard error of a stratified mean, by hand.
    expected = math.sqrt(10**2 * values[:10].var() / 10 + 30**2 * values[10:].var() / 30) / 40
    assert within.standard_error == pytest.approx(expected, rel=0.03)
    assert within.standard_error < without.standard_error / 3


def test_a_cluster_lies_in_one_stratum():
    with pytest.raises(InputError, match="cluster 'b' lies in more than one stratum"):
        bootstrap([1, 2, 3, 4], "mean", clusters=list("abbc"), strata=[0, 0, 1, 1])


def test_the_paired_difference_takes_the_same_items_for_both(sample):
    values, clusters = sample
    better = values + np.random.default_rng(3).normal(0.5, 0.1, len(values))
    paired = bootstrap_difference(better, values, "mean", clusters=clusters, seed=1)
    of_differences = bootstrap(better - values, "mean", clusters=clusters, seed=1)
    assert paired.value == pytest.approx(of_differences.value)
    assert [paired.low, paired.high] == pytest.approx([of_differences.low, of_differences.high], abs=1e-9)
    alone = bootstrap(better, "mean", clusters=clusters, seed=1)
    assert paired.high - paired.low < (alone.high - alone.low) / 3
    medians = bootstrap_difference(better, values, "median", clusters=clusters, n=200)
    assert medians.value == pytest.approx(np.median(better) - np.median(values))
    tables = [pd.DataFrame({"v": v}) for v in (better, values)]
    of_tables = bootstrap_difference(*tables, lambda t: float(t["v"].median()), clusters=clusters, n=200)
    assert [of_tables.low, of_tables.high] == pytest.approx([medians.low, medians.high], abs=1e-12)


def test_a_seed_fixes_the_draws(sample):
    values, clusters = sample
    first, again, other = (bootstrap(values, "mean", clusters=clusters, n=500, seed=s) for s in (0, 0, 1))
    assert first == again
    assert first.low != other.low


def test_a_statistic_of_two_columns():
    rng = np.random.default_rng(5)
    x = rng.normal(size=80)
    table = pd.DataFrame({"x": x, "y": 0.6 * x + 0.8 * rng.normal(size=80)})
    fit = bootstrap(table, lambda t: float(np.corrcoef(t["x"], t["y"])[0, 1]), n=2_000)
    fisher = scipy_stats.pearsonr(table["x"], table["y"]).confidence_interval()
    assert [fit.low, fit.high] == pytest.approx(list(fisher), abs=0.06)


def test_a_statistic_that_fails_on_some_draws_is_counted_and_on_many_refused():
    def spread_of_seldom(values):
        return values.mean() if np.ptp(values) > 0 else math.nan

    some = bootstrap([1.0, 2.0, 3.0, 4.0, 5.0], spread_of_seldom, n=2_000, method="percentile")
    assert some.reason is None
    assert 0 < some.n_failed < 20  # 5 of 3,125 resamples are all one value
    many = bootstrap([1.0, 2.0], spread_of_seldom, n=2_000)
    assert math.isnan(many.low)
    assert "no finite value on" in str(many.reason)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"values": [1.0]}, "one cluster only"),
        ({"values": [1.0, 2.0], "clusters": ["a", "a"]}, "one cluster only"),
        ({"values": [1.0, 2.0], "strata": ["a", "b"]}, "one cluster only in each stratum"),
        ({"values": [3.0, 3.0, 3.0]}, "every draw gives the same value"),
        (
            {"values": [3.0, 4.0], "statistic": lambda v: math.nan},
            "the statistic has no finite value on these data",
        ),
    ],
)
def test_says_why_there_is_no_interval(arguments, reason):
    fit = bootstrap(**arguments, n=200)
    assert fit.reason == reason
    assert math.isnan(fit.low)
    assert math.isnan(fit.high)

"""The variance between pages and seeds against a brute-force two-way bootstrap, and against plain t-tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoise.stats import crossed_estimate
from counterpoise.studies.papers.kurita2019.seed_estimates import estimated_row, seeds_in_words

SEEDS, PAGES = 5, 150


@pytest.fixture(scope="module")
def sample():
    """Passages on pages (one to three each), with effects of page, seed and both; and a second column to rank."""
    rng = np.random.default_rng(7)
    pages = np.repeat(np.arange(PAGES), rng.integers(1, 4, PAGES))
    of_page, of_seed = rng.normal(0, 2, PAGES)[pages], rng.normal(0, 0.5, SEEDS)
    male = rng.random(len(pages)) < 0.5
    values = of_page + of_seed[:, None] * np.where(male, 1, -1) + rng.normal(0, 1, (SEEDS, len(pages)))
    other = of_page + rng.normal(0, 3, len(pages))
    return pd.Series(pages), male, values, other


def difference(values, male, kept):
    return values[:, kept[male[kept]]].mean(1) - values[:, kept[~male[kept]]].mean(1)


def spearman(values, other, kept):
    return np.array([stats.spearmanr(other[kept], of_seed[kept]).statistic for of_seed in values])


def two_way_bootstrap(pages, statistic, draws):
    """The standard deviation of the statistic's mean when pages and seeds are both drawn again.

    Of S seeds S - 1 are drawn: a mean of so few, drawn S at a time, scatters too little by (S - 1) / S.
    """
    rng = np.random.default_rng(0)
    rows_of = [np.flatnonzero(pages.to_numpy() == page) for page in range(PAGES)]
    means = []
    for _ in range(draws):
        kept = np.concatenate([rows_of[page] for page in rng.integers(0, PAGES, PAGES)])
        means.append(statistic(kept)[rng.integers(0, SEEDS, SEEDS - 1)].mean())
    return np.std(means)


def test_a_difference_against_the_two_way_bootstrap(sample):
    pages, male, values, _ = sample
    fit = crossed_estimate(pages, lambda kept: difference(values, male, kept))
    assert fit.value == pytest.approx(difference(values, male, np.arange(len(pages))).mean())
    brute = two_way_bootstrap(pages, lambda kept: difference(values, male, kept), draws=4000)
    assert fit.standard_error == pytest.approx(brute, rel=0.06)
    only_pages = crossed_estimate(pages, lambda kept: difference(values.mean(0)[None], male, kept))
    assert only_pages.standard_error < 0.8 * fit.standard_error  # the seeds of this sample differ a lot


def test_a_correlation_against_the_two_way_bootstrap(sample):
    pages, _, values, other = sample
    fit = crossed_estimate(pages, lambda kept: spearman(values, other, kept))
    assert fit.value == pytest.approx(spearman(values, other, np.arange(len(pages))).mean())
    brute = two_way_bootstrap(pages, lambda kept: spearman(values, other, kept), draws=600)
    assert fit.standard_error == pytest.approx(brute, rel=0.15)


def test_interval_and_test_agree(sample):
    pages, male, values, _ = sample
    fit = crossed_estimate(pages, lambda kept: difference(values, male, kept))
    half = stats.t.ppf(0.975, fit.df) * fit.standard_error
    assert (fit.low, fit.high) == pytest.approx((fit.value - half, fit.value + half))
    assert fit.p_value == pytest.approx(2 * stats.t.sf(abs(fit.value) / fit.standard_error, fit.df))
    assert SEEDS - 1 < fit.df < PAGES
    row = estimated_row(fit, "d", "d", at=_anywhere(), effect_size=0.1).row
    # Four in five such samples show a true difference of this size (noncentral t).
    critical, shift = stats.t.ppf(0.975, fit.df), row.smallest_detectable / fit.standard_error
    power = stats.nct.sf(critical, fit.df, shift) + stats.nct.cdf(-critical, fit.df, shift)
    assert power == pytest.approx(0.8, abs=1e-3)


def test_one_seed_and_pages_of_one_passage_is_the_ordinary_t():
    values = np.random.default_rng(1).normal(0.3, 1, (1, 40))
    fit = crossed_estimate(pd.Series(range(40)), lambda kept: values[:, kept].mean(1))
    expected = stats.ttest_1samp(values[0], 0)
    assert fit.p_value == pytest.approx(expected.pvalue)
    assert (fit.low, fit.high) == pytest.approx(tuple(expected.confidence_interval()))
    assert fit.by_run == pytest.approx((values.mean(),))


def test_without_a_value_there_is_a_reason():
    values = np.arange(4.0)[None]
    alone = crossed_estimate(pd.Series(["a"] * 4), lambda kept: values[:, kept].mean(1))
    assert alone.value == 1.5
    assert np.isnan(alone.low)
    assert alone.reason == "one cluster only"
    lost = crossed_estimate(pd.Series(list("aabb")), lambda kept: np.array([np.nan]))
    assert lost.reason == "no value: too few items, or all values are equal"


def test_the_seeds_in_words():
    assert seeds_in_words((-1.36, -0.084, -0.2)) == "3 seeds from -1.36 to -0.08"


def _anywhere():
    from counterpoise.measures.base.rows import Place

    return Place("overall", "all")

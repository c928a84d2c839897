"""Runs and items both drawn: against the analysis of variance of statsmodels, and by coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from counterpoise import stats


def drawn(rng, runs=3, items=30, of_runs=0.3, of_items=0.5, rest=0.2, mean=0.0):
    return (
        mean
        + rng.normal(0, of_runs, (runs, 1))
        + rng.normal(0, of_items, (1, items))
        + rng.normal(0, rest, (runs, items))
    )


def test_the_variance_is_that_of_the_analysis_of_variance():
    table = drawn(np.random.default_rng(1), mean=1.0)
    runs, items = np.indices(table.shape)
    long = pd.DataFrame({"run": runs.ravel(), "item": items.ravel(), "value": table.ravel()})
    found = anova_lm(ols("value ~ C(run) + C(item)", long).fit())
    squares = found["mean_sq"].to_numpy()
    variance = (squares[0] + squares[1] - squares[2]) / table.size
    df = (squares[0] + squares[1] - squares[2]) ** 2 / (squares**2 / found["df"].to_numpy()).sum()
    half = scipy_stats.t.ppf(0.975, df) * np.sqrt(variance)
    fit = stats.crossed_t(table)
    assert fit.standard_error == pytest.approx(np.sqrt(variance))
    assert [fit.low, fit.high] == pytest.approx([table.mean() - half, table.mean() + half])


def test_one_run_is_the_ordinary_t():
    values = np.random.default_rng(2).normal(1, 1, 20)
    fit = stats.crossed_t(values[None, :])
    low, high = scipy_stats.ttest_1samp(values, 0).confidence_interval()
    assert [fit.low, fit.high] == pytest.approx([low, high])


def test_the_interval_covers_the_mean_as_often_as_it_says():
    """Counting all cells as independent, or items only, would cover it far too seldom."""
    rng = np.random.default_rng(3)
    covered, naive = 0, 0
    for _ in range(800):
        table = drawn(rng)
        fit = stats.crossed_t(table)
        covered += fit.low <= 0 <= fit.high
        items_only = stats.cluster_t(table.mean(axis=0))
        naive += items_only.low <= 0 <= items_only.high
    assert covered / 800 >= 0.93
    assert naive / 800 < 0.75


def test_equal_values_have_no_interval():
    fit = stats.crossed_t(np.ones((3, 4)))
    assert fit.value == 1
    assert np.isnan(fit.low)
    assert fit.reason == "all values are equal"


def test_degrees_of_freedom_do_not_fall_below_those_of_the_fewer():
    """Where only the residual varies, Satterthwaite's would fall towards 0 and the interval grow without bound."""
    fit = stats.crossed_t([[1.0, -1.0], [-1.1, 1.2]])
    assert fit.df == 1
    assert fit.high - fit.low == pytest.approx(2 * scipy_stats.t.ppf(0.975, 1) * fit.standard_error)

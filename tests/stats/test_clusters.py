from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.regression.linear_model import OLS

from counterpoise.stats import cluster_t

UNEVEN = [1, 2, 3, 7, 9, 4, 4]


def clustered(sizes):
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=len(sizes))[clusters] + rng.normal(0.3, 1, len(clusters)), clusters


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_clusters_of_one_size_equal_statsmodels(level):
    values, clusters = clustered([4] * 12)
    options = {"groups": clusters, "use_correction": True, "df_correction": True}
    fit = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds=options, use_t=True)
    ours = cluster_t(values, clusters, level)
    assert ours.value == pytest.approx(fit.params[0], abs=1e-12)
    assert ours.df == pytest.approx(11, abs=1e-9)
    assert ours.standard_error == pytest.approx(fit.bse[0], rel=1e-9)
    assert ours.p_value == pytest.approx(fit.pvalues[0], rel=1e-9)
    assert [ours.low, ours.high] == pytest.approx(fit.conf_int(1 - level)[0], rel=1e-9)


@pytest.mark.parametrize("sizes", [UNEVEN, [1, 1, 30], [4] * 12])
def test_equals_bell_and_mccaffreys_matrices(sizes):
    """CR2 and its degrees of freedom for a regression on a constant, with every matrix written out."""
    values, clusters = clustered(sizes)
    n = len(values)
    x = np.ones((n, 1))
    residual_maker = np.eye(n) - x @ x.T / n
    columns, variance = [], 0.0
    for c in range(len(sizes)):
        rows = clusters == c
        block = residual_maker[np.ix_(rows, rows)]
        eigenvalues, vectors = np.linalg.eigh(block)
        root = vectors @ np.diag(eigenvalues**-0.5) @ vectors.T
        weights = root @ x[rows] / n
        variance += (weights.T @ residual_maker[rows] @ values).item() ** 2
        columns.append((residual_maker[:, rows] @ weights).ravel())
    g = np.column_stack(columns)
    eigenvalues = np.linalg.eigvalsh(g.T @ g)
    ours = cluster_t(values, clusters)
    assert ours.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert ours.df == pytest.approx(eigenvalues.sum() ** 2 / np.square(eigenvalues).sum(), rel=1e-9)
    assert ours.p_value == pytest.approx(2 * scipy_stats.t.sf(abs(ours.t), ours.df), rel=1e-9)


def test_uneven_clusters_have_fewer_degrees_of_freedom():
    fit = cluster_t(*clustered(UNEVEN))
    options = {"groups": clustered(UNEVEN)[1]}
    theirs = OLS(clustered(UNEVEN)[0], np.ones(30)).fit(cov_type="cluster", cov_kwds=options)
    assert fit.df < 6
    assert fit.standard_error > theirs.bse[0]  # statsmodels' CR1 makes no allowance for large clusters


def test_clusters_of_one_size_are_a_t_test_of_their_means():
    rng = np.random.default_rng(1)
    values, clusters = rng.normal(0.2, 1, 60), np.tile(list("abcdef"), 10)
    means = [values[clusters == c].mean() for c in "abcdef"]
    theirs = scipy_stats.ttest_1samp(means, 0)
    ours = cluster_t(values, clusters)
    assert ours.t == pytest.approx(theirs.statistic, rel=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert [ours.low, ours.high] == pytest.approx(list(theirs.confidence_interval()), rel=1e-9)


def test_without_clusters_it_is_students_t():
    values = np.random.default_rng(2).normal(0.2, 1, 25)
    assert cluster_t(values).p_value == pytest.approx(scipy_stats.ttest_1samp(values, 0).pvalue, rel=1e-9)
    assert cluster_t(values).n_clusters == 25


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([1.0], None, "one value only"),
        ([1.0, 2.0], ["a", "a"], "one cluster only"),
        ([2.0, 2.0, 2.0], None, "all values are equal"),
        ([0.1, 0.3, 0.3, 0.1], ["a", "a", "b", "b"], "all clusters have the same mean"),
    ],
)
def test_says_why_there_is_no_interval(values, clusters, reason):
    fit = cluster_t(values, clusters)
    assert fit.reason == reason
    assert fit.value == pytest.approx(np.mean(values))
    assert np.isnan([fit.low, fit.high, fit.p_value]).all()

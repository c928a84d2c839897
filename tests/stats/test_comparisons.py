from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats import contingency_tables

from counterpoise.core.errors import InputError
from counterpoise.stats import friedman, mcnemar


def test_friedman_equals_its_formula():
    rng = np.random.default_rng(0)
    scores = rng.normal([0, 0, 0.3, 0.6], 1, (25, 4))
    ranks = scipy_stats.rankdata(scores, axis=1)
    expected = 12 / (25 * 4 * 5) * (ranks.sum(axis=0) ** 2).sum() - 3 * 25 * 5
    test = friedman(pd.DataFrame(scores))
    assert test.statistic == pytest.approx(expected, abs=1e-9)
    assert test.p_value == pytest.approx(scipy_stats.chi2.sf(expected, 3), abs=1e-12)
    # Kendall's W from the spread of the rank sums.
    assert test.kendall_w == pytest.approx(12 * ranks.sum(axis=0).var() * 4 / (25**2 * (4**3 - 4)))


def test_friedman_with_ties_equals_scipy():
    scores = np.random.default_rng(1).integers(0, 3, (20, 3))
    theirs = scipy_stats.friedmanchisquare(*scores.T)
    assert friedman(scores).p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_friedman_says_why_not():
    with pytest.raises(InputError, match="three models or more, found 2"):
        friedman([[1, 2], [2, 1]])
    assert friedman([[1, 2, 3]]).reason == "one item only"
    assert friedman([[1, 1, 1], [2, 2, 2]]).reason == "the models are tied on every item"


def test_mcnemar_equals_the_binomial_test():
    a = [1] * 20 + [1] * 9 + [0] * 3 + [0] * 8
    b = [1] * 20 + [0] * 9 + [1] * 3 + [0] * 8
    test = mcnemar(a, b)
    assert (test.only_a, test.only_b, test.n) == (9, 3, 40)
    assert test.p_value == pytest.approx(scipy_stats.binomtest(9, 12).pvalue, abs=1e-12)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("discordant", [(9, 3), (1, 0), (4, 4), (40, 22)])
def test_mcnemar_equals_statsmodels(discordant, exact):
    only_a, only_b = discordant
    a, b = [1] * 5 + [1] * only_a + [0] * only_b, [1] * 5 + [0] * only_a + [1] * only_b
    theirs = contingency_tables.mcnemar([[5, only_a], [only_b, 0]], exact=exact, correction=False)
    ours = mcnemar(a, b, exact=exact)
    assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-12)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_mcnemar_takes_booleans_and_refuses_scores():
    assert mcnemar(np.array([True, False]), np.array([False, False])).only_a == 1
    with pytest.raises(InputError, match=r"b must hold right \(1\) and wrong \(0\) only, found 0.5"):
        mcnemar([1, 0], [1, 0.5])


def test_mcnemar_of_models_that_agree():
    test = mcnemar([1, 0, 1], [1, 0, 1])
    assert math.isnan(test.p_value)
    assert test.reason == "the models agree on every item"

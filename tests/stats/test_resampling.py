from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from counterpoise.stats.resampling import _bca_tails


@pytest.mark.parametrize("statistic", [np.mean, np.var, np.median])
def test_bca_tails_equal_scipys_on_scipys_own_draws(statistic):
    values = np.random.default_rng(0).exponential(size=30)
    theirs = scipy_stats.bootstrap(
        (values,), statistic, n_resamples=2_000, method="BCa", rng=np.random.default_rng(1)
    )
    jackknife = np.array([statistic(np.delete(values, i)) for i in range(30)])
    draws, strata = theirs.bootstrap_distribution, np.zeros(30, dtype=np.int64)
    tails = _bca_tails(np.array([0.025, 0.975]), float(statistic(values)), draws, jackknife, strata)
    expected = [theirs.confidence_interval.low, theirs.confidence_interval.high]
    assert np.quantile(draws, tails) == pytest.approx(expected, abs=1e-9)


def test_draws_that_tie_with_the_value_count_half_however_they_were_summed():
    draws = np.array([0.1, 0.2, 0.3, 0.1 + 0.2, 0.4, 0.5])  # 0.1 + 0.2 is 0.3 and a bit
    strata, flat = np.zeros(3, dtype=np.int64), np.ones(3)
    tails = _bca_tails(np.array([0.5]), 0.3, draws, flat, strata)
    assert tails == pytest.approx(scipy_stats.norm.cdf(2 * scipy_stats.norm.ppf([3 / 6])))


def test_bca_acceleration_of_strata_by_hand():
    """Davison & Hinkley: the influence within each stratum, over the cube and the square of its size."""
    rng = np.random.default_rng(1)
    strata = np.repeat([0, 1], [6, 12])
    values = np.where(strata == 0, rng.exponential(1.0, 18), rng.exponential(3.0, 18))
    weights = {0: 6 / 18, 1: 12 / 18}

    def mean(kept):
        return sum(weights[s] * values[kept & (strata == s)].mean() for s in (0, 1))

    jackknife = np.array([mean(np.arange(18) != i) for i in range(18)])
    influence = np.array(
        [weights[s] * (values[i] - values[strata == s].mean()) for i, s in enumerate(strata)]
    )
    sizes = np.where(strata == 0, 6, 12)
    a = (influence**3 / sizes**3).sum() / (6 * (influence**2 / sizes**2).sum() ** 1.5)
    draws = mean(np.ones(18, dtype=bool)) + np.linspace(-1, 1, 1001)  # symmetric: no bias to correct
    tails = _bca_tails(np.array([0.1, 0.9]), float(draws[500]), draws, jackknife, strata)
    z = scipy_stats.norm.ppf([0.1, 0.9])
    assert tails == pytest.approx(scipy_stats.norm.cdf(z / (1 - a * z)), abs=1e-9)

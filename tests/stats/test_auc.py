"""Areas under the ROC curve against scikit-learn, and their intervals against a bootstrap by hand and in simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats
from sklearn.metrics import roc_auc_score

from counterpoise import stats
from counterpoise.core.errors import InputError

RNG = np.random.default_rng(5)
TOXIC = RNG.random(300) < 0.3
SCORES = np.round(RNG.normal(size=300) + TOXIC, 1)  # with ties


def test_the_area_is_scikit_learns():
    assert stats.auc(SCORES[TOXIC], SCORES[~TOXIC]) == pytest.approx(roc_auc_score(TOXIC, SCORES), abs=1e-14)
    assert stats.auc([1.0, 1.0], [1.0]) == 0.5
    assert stats.auc([2.0], [1.0, 0.0]) == 1.0
    assert stats.auc([0.0], [1.0]) == 0.0


def test_the_area_is_mann_and_whitneys():
    u = scipy_stats.mannwhitneyu(SCORES[TOXIC], SCORES[~TOXIC]).statistic
    assert stats.auc(SCORES[TOXIC], SCORES[~TOXIC]) == pytest.approx(u / (TOXIC.sum() * (~TOXIC).sum()))


@pytest.mark.slow
def test_the_interval_is_that_of_a_bootstrap_by_hand():
    [fit] = stats.bootstrap_aucs(SCORES, [(TOXIC, ~TOXIC)], strata=TOXIC, n=4000, seed=1)
    rng = np.random.default_rng(9)
    drawn = [
        roc_auc_score(
            np.repeat([True, False], [TOXIC.sum(), (~TOXIC).sum()]),
            np.concatenate([rng.choice(SCORES[side], side.sum()) for side in (TOXIC, ~TOXIC)]),
        )
        for _ in range(4000)
    ]
    assert fit.value == pytest.approx(roc_auc_score(TOXIC, SCORES))
    assert [fit.low, fit.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.004)
    assert fit.standard_error == pytest.approx(np.std(drawn, ddof=1), rel=0.05)


def test_statistics_share_their_draws():
    """The difference of an area and itself is 0 in each draw; drawn apart, it would have a spread."""
    twice = [(TOXIC, ~TOXIC), (TOXIC, ~TOXIC)]
    [zero, double] = stats.bootstrap_aucs(
        SCORES, twice, lambda areas: np.stack([areas[:, 0] - areas[:, 1], areas.sum(axis=1)], axis=1)
    )
    assert (zero.value, zero.reason) == (0.0, "every draw gives the same value")
    assert double.value == pytest.approx(2 * roc_auc_score(TOXIC, SCORES))


def test_intervals_cover():
    """Normal scores one standard deviation apart have the area Phi(1 / sqrt 2); 200 samples of 40 and 80."""
    rng = np.random.default_rng(11)
    truth, covered = scipy_stats.norm.cdf(1 / np.sqrt(2)), 0
    toxic = np.arange(120) < 40
    for seed in range(200):
        scores = rng.normal(size=120) + toxic
        [fit] = stats.bootstrap_aucs(scores, [(toxic, ~toxic)], strata=toxic, n=500, seed=seed)
        covered += fit.low <= truth <= fit.high
    assert 0.90 <= covered / 200 <= 0.99


def test_generalised_means():
    assert stats.power_mean([0.6, 0.9], 1) == pytest.approx(0.75)
    assert stats.power_mean([0.6, 0.9], -1) == pytest.approx(scipy_stats.hmean([0.6, 0.9]))
    assert stats.power_mean([0.6, 0.9], -5) == pytest.approx(scipy_stats.pmean([0.6, 0.9], -5))
    assert stats.power_mean([[0.6, 0.6], [0.0, 1.0]], -5) == pytest.approx([0.6, 0.0])


def test_bad_input():
    with pytest.raises(InputError, match="at least one positive and one negative"):
        stats.bootstrap_aucs(SCORES, [(TOXIC, TOXIC & ~TOXIC)])
    with pytest.raises(InputError, match="cannot be 0"):
        stats.power_mean([0.5], 0)
    with pytest.raises(InputError, match="level"):
        stats.bootstrap_aucs(SCORES, [(TOXIC, ~TOXIC)], level=1.5)

"""The interval of a ratio against a bootstrap written out by hand, and its coverage."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise import stats
from counterpoise.core.errors import InputError

RNG = np.random.default_rng(3)
BEFORE = np.abs(RNG.normal(0.5, 0.3, 60))
AFTER = 0.4 * BEFORE + np.abs(RNG.normal(0, 0.05, 60))


def test_the_interval_is_that_of_a_bootstrap_by_hand():
    fit = stats.bootstrap_ratio(AFTER, BEFORE, n=20_000, method="percentile", seed=1)
    drawn = np.random.default_rng(8).integers(0, 60, (20_000, 60))
    ratios = AFTER[drawn].sum(axis=1) / BEFORE[drawn].sum(axis=1)
    assert fit.value == pytest.approx(AFTER.sum() / BEFORE.sum())
    assert [fit.low, fit.high] == pytest.approx(np.quantile(ratios, [0.025, 0.975]), abs=0.001)


def test_pairs_are_drawn_together():
    """Apart, two sums with such spread would have a far wider interval."""
    fit = stats.bootstrap_ratio(0.4 * BEFORE + 1e-6 * RNG.normal(size=60), BEFORE)
    assert fit.high - fit.low < 1e-4


def test_a_constant_ratio_has_no_interval_and_says_so():
    fit = stats.bootstrap_ratio(0.4 * BEFORE, BEFORE)
    assert fit.value == pytest.approx(0.4)
    assert np.isnan(fit.low)
    assert fit.reason == "every draw gives the same value"


def test_bad_input():
    with pytest.raises(InputError, match="of one length"):
        stats.bootstrap_ratio([1.0, 2.0], [1.0])
    assert stats.bootstrap_ratio([1.0, 2.0], [0.0, 0.0]).reason is not None

"""The mixed model of crossed settings and units, against numbers with known effects and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise import stats
from counterpoise.core.errors import InputError


def drawn(rng, difference, settings=20, units=20, slopes=0.3, spread=0.4, noise=0.5):
    of_setting, of_unit = np.repeat(np.arange(settings), 2 * units), np.tile(np.arange(2 * units), settings)
    is_first = of_unit < units
    side = np.where(is_first, 0.5, -0.5)
    values = (
        rng.normal(0, 1, settings)[of_setting]
        + rng.normal(0, spread, 2 * units)[of_unit]
        + (difference + rng.normal(0, slopes, settings)[of_setting]) * side
        + rng.normal(0, noise, len(of_unit))
    )
    return values, is_first, of_setting, of_unit


def test_the_estimate_of_a_balanced_table_is_the_difference_of_means():
    values, is_first, settings, units = drawn(np.random.default_rng(1), 0.8)
    fit = stats.crossed_mixed_model(values, is_first, settings, units)
    assert fit.value == pytest.approx(values[is_first].mean() - values[~is_first].mean(), abs=1e-6)
    assert fit.low < 0.8 < fit.high
    assert fit.n_clusters == 20


def test_the_standard_error_is_that_of_the_variance_components():
    values, is_first, settings, units = drawn(np.random.default_rng(2), 0.0, settings=30, units=15)
    fit = stats.crossed_mixed_model(values, is_first, settings, units)
    residual = values.copy()  # what is left of the variance, by the table's own mean squares
    table = residual.reshape(30, 2, 15)
    inner = table - table.mean(2, keepdims=True)
    of_units = inner.mean(0, keepdims=True)
    noise = np.square(inner - of_units).sum() / (29 * 2 * 14)
    variance = fit.sd_slopes**2 / 30 + 2 * fit.sd_units**2 / 15 + 2 * noise / (30 * 15)
    assert fit.standard_error == pytest.approx(np.sqrt(variance), rel=0.03)


@pytest.mark.slow
def test_no_difference_is_found_as_often_as_chance_allows():
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(150):
        values, *labels = drawn(rng, 0.0, settings=10, units=6)
        found += stats.crossed_mixed_model(values, *labels).p_value < 0.05
    assert found / 150 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_small_values_and_effects_that_do_not_vary_are_fitted_too():
    rng = np.random.default_rng(4)
    for _ in range(4):
        values, *labels = drawn(rng, 0.8, settings=10, units=10, slopes=0.0, spread=0.0)
        fit = stats.crossed_mixed_model(values / 1000, *labels)
        assert fit.reason is None
        assert fit.low < 0.0008 < fit.high


def test_what_cannot_be_fitted_has_a_reason():
    values, is_first, settings, units = drawn(np.random.default_rng(1), 0.8, settings=4, units=3)
    assert stats.crossed_mixed_model(np.ones(24), is_first, settings, units).reason == "all values are equal"
    one = stats.crossed_mixed_model(values[:6], is_first[:6], settings[:6], units[:6])
    assert (one.reason, np.isnan(one.value)) == ("one cluster only", True)
    with pytest.raises(InputError, match="both sides"):
        stats.crossed_mixed_model(values, np.ones(24), settings, units)


def test_a_model_that_does_not_converge_says_so(monkeypatch):
    from statsmodels.regression.mixed_linear_model import MixedLM

    values, *labels = drawn(np.random.default_rng(1), 0.8, settings=4, units=3)
    fit = MixedLM.fit

    def unfinished(self, **how):
        found = fit(self, **how)
        found.converged = False
        return found

    monkeypatch.setattr(MixedLM, "fit", unfinished)
    assert stats.crossed_mixed_model(values, *labels).reason == "the mixed model does not converge"

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.meta_analysis import combine_effects

from counterpoise.core.errors import InputError
from counterpoise.stats import random_effects


def effects_that_differ(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    variances = rng.uniform(0.01, 0.2, 12)
    return rng.normal(0.4, 0.5, 12) + rng.normal(size=12) * np.sqrt(variances), variances


def test_equals_statsmodels_where_effects_differ():
    varied = effects_that_differ()
    theirs = combine_effects(*varied, method_re="dl")
    ours = random_effects(*varied)
    assert theirs.tau2 > 0
    assert ours.tau2 == pytest.approx(theirs.tau2, rel=1e-9)
    assert ours.value == pytest.approx(theirs.mean_effect_re, rel=1e-9)
    assert ours.standard_error == pytest.approx(theirs.sd_eff_w_re, rel=1e-9)
    assert ours.q == pytest.approx(theirs.q, rel=1e-9)
    assert ours.i2 == pytest.approx(theirs.i2, rel=1e-9)
    assert ours.p_value == pytest.approx(
        2 * scipy_stats.norm.sf(abs(ours.value / ours.standard_error)), rel=1e-9
    )


def test_hartung_and_knapps_interval_equals_statsmodels():
    wider = 0
    for seed in range(10):
        varied = effects_that_differ(seed)
        theirs = combine_effects(*varied, method_re="dl", use_t=True)
        ours = random_effects(*varied, small_sample=True)
        if theirs.scale_hksj_re > 1:  # else the plain standard error stands
            wider += 1
            assert ours.standard_error == pytest.approx(math.sqrt(theirs.var_hksj_re), rel=1e-9)
            # conf_int gives the fixed, the random, and both again with Hartung & Knapp's scale.
            expected = list(theirs.conf_int(alpha=0.05, use_t=True)[3])
            assert [ours.low, ours.high] == pytest.approx(expected, rel=1e-9)
    assert wider > 2


def test_the_small_sample_interval_is_never_the_shorter():
    alike = [0.50, 0.51, 0.49, 0.50], [0.1, 0.2, 0.1, 0.3]
    plain, small = random_effects(*alike), random_effects(*alike, small_sample=True)
    assert small.standard_error == plain.standard_error
    assert small.high > plain.high


def test_a_variance_between_effects_cannot_be_negative():
    effects, variances = np.array([0.50, 0.51, 0.49, 0.50]), np.array([0.1, 0.2, 0.1, 0.3])
    with np.errstate(invalid="ignore"):
        theirs = combine_effects(effects, variances, method_re="dl")
    assert theirs.tau2 < 0  # why random_effects is written out
    fit = random_effects(effects, variances)
    assert (fit.tau2, fit.i2) == (0, 0)
    assert fit.value == pytest.approx(np.average(effects, weights=1 / variances))
    assert fit.standard_error == pytest.approx(1 / math.sqrt((1 / variances).sum()))


def test_one_effect_and_bad_variances():
    fit = random_effects([0.4], [0.1])
    assert fit.value == 0.4
    assert math.isnan(fit.p_value)
    assert "one effect only" in str(fit.reason)
    with pytest.raises(InputError, match="variances must be above 0, found 0"):
        random_effects([0.4, 0.5], [0.1, 0.0])

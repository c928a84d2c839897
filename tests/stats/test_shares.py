from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from counterpoise.core.errors import InputError
from counterpoise.stats import share


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.5]), min_size=1, max_size=60))
def test_equals_scipys_binomial_test_without_ties(differences):
    found = share(differences)
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    assert found.value == pytest.approx((wins + (len(differences) - wins - losses) / 2) / len(differences))
    assert found.n == len(differences)
    assert found.ties == len(differences) - wins - losses
    if wins + losses:
        assert found.p_value == pytest.approx(scipy_stats.binomtest(wins, wins + losses).pvalue)
    else:
        assert math.isnan(found.p_value)
    if not found.ties:
        theirs = scipy_stats.binomtest(wins, len(differences)).proportion_ci(method="wilson")
        assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=1e-12)


def test_by_hand():
    """7 of 10: Wilson's interval from its formula, Cohen's h from the arcsine."""
    found = share([1.0] * 7 + [-1.0] * 3)
    z = 1.959963984540054
    centre = (0.7 + z**2 / 20) / (1 + z**2 / 10)
    half = z * math.sqrt(0.7 * 0.3 / 10 + z**2 / 400) / (1 + z**2 / 10)
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half))
    assert found.h == pytest.approx(2 * math.asin(math.sqrt(0.7)) - math.pi / 2)
    assert found.p_value == pytest.approx(2 * (120 + 45 + 10 + 1) / 1024)


def test_nothing_to_count():
    with pytest.raises(InputError):
        share([])

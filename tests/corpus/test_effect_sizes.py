"""How large a difference is, and what an interval allows to say of it."""

from __future__ import annotations

import math

import pytest

from counterpoise.corpus.effect_sizes import SMALL_LOG_ODDS, judge, log_odds_effect, share_effect
from counterpoise.measures.base.units import COHENS_D, size_of

# The shares at which h = 2 asin sqrt(p) - pi / 2 reaches Cohen's conventions: p = (1 + sin h) / 2.
SHARES = {size: 50 * (1 + math.sin(h)) for size, h in {"small": 0.2, "moderate": 0.5, "large": 0.8}.items()}


def test_shares_at_cohens_conventions():
    assert {size: round(share, 1) for size, share in SHARES.items()} == {
        "small": 59.9,
        "moderate": 74.0,
        "large": 85.9,
    }
    sizes = ["negligible", "small", "moderate", "large"]
    for size, share in SHARES.items():
        below = sizes[sizes.index(size) - 1]
        for mirrored in (share, 100 - share):
            towards_even = 0.01 if mirrored < 50 else -0.01
            assert size_of(abs(share_effect()(mirrored)) + 1e-9, COHENS_D) == size
            assert size_of(share_effect()(mirrored + towards_even), COHENS_D) == below


def test_log_odds_at_cohens_conventions():
    assert log_odds_effect(math.pi / math.sqrt(3)) == pytest.approx(1)
    assert math.exp(SMALL_LOG_ODDS) == pytest.approx(1.437, abs=0.001)


@pytest.mark.parametrize(
    ("value", "low", "high", "p", "finding"),
    [
        (68, 66, 70, 1e-9, "differs"),
        (32, 30, 34, 1e-9, "differs"),
        (53, 52, 55, 1e-9, "negligible"),
        (44, 40, 49, 0.01, "negligible"),  # the estimate is
        (50, 45, 55, 1.0, "even"),
        (51, 45, 57, 0.01, "even"),  # significance alone says nothing
        (55, 40, 70, 0.4, "unclear"),
        (70, 49, 91, 0.001, "unclear"),  # the interval holds the ideal
        (70, 52, 88, 0.2, "unclear"),  # with so many tests it may be chance
        (math.nan, math.nan, math.nan, math.nan, "unclear"),
        (100, 100, 100, math.nan, "unclear"),  # no test
    ],
)
def test_what_an_interval_allows_to_say(value, low, high, p, finding):
    assert judge(value, low, high, p, ideal=50, effect=share_effect()).finding == finding


def test_an_effect_that_cannot_be_computed_is_unclear():
    judged = judge(0.3, 0.1, 0.5, 0.001, ideal=0, effect=lambda value: math.nan)
    assert judged.finding == "unclear"

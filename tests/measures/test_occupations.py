from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoise.measures.occupations import (
    balanced_row,
    balanced_share_row,
    women_row,
)
from counterpoise.measures.result import Ideal


@pytest.fixture
def items():
    """Ten occupations of each stereotype, unequally many sentences each; all read as male, with a bit of stereotype."""
    rng = np.random.default_rng(0)
    names = np.repeat([f"occupation {i}" for i in range(20)], rng.integers(2, 6, 20))
    male = np.array([int(name.split()[1]) < 10 for name in names])
    preference = rng.normal(2.0, 0.5, len(names)) + 0.3 * np.where(male, 1, -1)
    return pd.DataFrame(
        {
            "occupation": names,
            "stereotype": np.where(male, "male", "female"),
            "score": np.where(male, preference, -preference),
        }
    )


def test_a_balanced_mean_is_half_of_welchs_difference(items):
    row = balanced_row(items.score, items, level="overall", group="all", statistic="s", ideal=Ideal.at(0.0))
    means = items.groupby(["stereotype", "occupation"]).score.mean()
    welch = stats.ttest_ind(means["male"], -means["female"], equal_var=False)
    interval = welch.confidence_interval()
    assert row.value == pytest.approx((means["male"].mean() + means["female"].mean()) / 2)
    assert row.p_value == pytest.approx(welch.pvalue)
    assert (row.ci_low, row.ci_high) == pytest.approx((interval.low / 2, interval.high / 2))
    assert (row.n, row.clusters) == (len(items), 20)
    assert 0 < row.smallest_detectable < 1


def test_a_balanced_share(items):
    row = balanced_share_row(items.score, items, level="overall", group="all", statistic="s")
    shares = (items.score > 0).groupby([items.stereotype, items.occupation]).mean()
    assert row.value == pytest.approx(50 * (shares["male"].mean() + shares["female"].mean()))
    assert row.ideal.text == "50 %"
    share = row.value / 100
    assert row.effect_size == pytest.approx(
        2 * np.arcsin(np.sqrt(share)) - np.pi / 2
    )  # of this share, not another
    ties = items.assign(score=0.0)
    tie = balanced_share_row(ties.score, ties, level="overall", group="all", statistic="s")
    assert tie.value == 50
    assert tie.note == "all values are equal"


def test_a_share_stays_within_bounds(items):
    female = items[items.stereotype == "female"].copy()
    female.loc[female.index[0], "score"] = 1.0  # one of all
    row = balanced_share_row(female.score, female, level="group", group="g", statistic="s")
    assert row.ci_low == 0


@pytest.mark.parametrize(("kind", "function"), [("spearman", stats.spearmanr), ("pearson", stats.pearsonr)])
def test_correlation(kind, function):
    rng = np.random.default_rng(1)
    women = pd.Series(rng.uniform(0, 100, 30))
    preferences = 2 - 0.02 * women + rng.normal(0, 0.5, 30)
    women[4] = np.nan
    row = women_row(preferences, women, kind=kind, source="BLS", level="overall", group="all")
    known = function(preferences.drop(4), women.drop(4))
    assert row.value == row.effect_size == pytest.approx(known.statistic)
    assert row.p_value == pytest.approx(known.pvalue)
    assert row.ci_low < row.value < row.ci_high
    assert row.n == row.clusters == 29
    assert row.smallest_detectable == pytest.approx(0.5, abs=0.001)
    assert row.statistic == f"{kind.capitalize()}'s r with % women, BLS"


def test_two_occupations_have_no_correlation():
    two = pd.Series([1.0, 2.0])
    row = women_row(two, two, kind="pearson", source="BLS", level="overall", group="all")
    assert np.isnan(row.value)
    assert row.note == "2 pairs: a correlation needs three"

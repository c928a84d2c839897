from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoise.measures.base.rows import in_group
from counterpoise.measures.base.source import observe
from counterpoise.measures.pronouns.common.occupation_rows import (
    balanced_row,
    balanced_share_row,
    women_row,
)


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
    row = balanced_row(observe(items, "score"), "score", "s")
    means = items.groupby(["stereotype", "occupation"]).score.mean()
    welch = stats.ttest_ind(means["male"], -means["female"], equal_var=False)
    interval = welch.confidence_interval()
    assert row.value == pytest.approx((means["male"].mean() + means["female"].mean()) / 2)
    assert row.p_value == pytest.approx(welch.pvalue)
    assert (row.ci_low, row.ci_high) == pytest.approx((interval.low / 2, interval.high / 2))
    assert (row.n, row.clusters) == (len(items), 20)
    assert 0 < row.smallest_detectable < 1
    assert (row.ideal.value, row.level, row.group) == (0.0, "overall", "all")


def test_a_balanced_share(items):
    row = balanced_share_row(observe(items, "score"), "share", "s")
    shares = (items.score > 0).groupby([items.stereotype, items.occupation]).mean()
    assert row.value == pytest.approx(50 * (shares["male"].mean() + shares["female"].mean()))
    assert row.ideal.text == "50 %"
    share = row.value / 100
    assert row.effect_size == pytest.approx(
        2 * np.arcsin(np.sqrt(share)) - np.pi / 2
    )  # of this share, not another
    ties = items.assign(score=0.0)
    tie = balanced_share_row(observe(ties, "score"), "share", "s")
    assert tie.value == 50
    assert tie.note == "all values are equal"


def test_a_share_stays_within_bounds(items):
    female = items[items.stereotype == "female"].copy()
    female.loc[female.index[0], "score"] = 1.0  # one of all
    row = balanced_share_row(observe(female, "score"), "share", "s", at=in_group("g"))
    assert row.ci_low == 0


def test_unequally_many_occupations_are_no_plain_mean_over_them(items):
    """The source says so: with ten of each stereotype the row is one, with nine of one it is not."""
    fewer = items[items.occupation != "occupation 0"]
    for make in (balanced_row, balanced_share_row):
        row = make(observe(items, "score"), "score", "s")
        assert row.source.is_paired
        assert row.source.of_clusters(row.source.observe(items)).mean() == pytest.approx(row.value)
        assert not make(observe(fewer, "score"), "score", "s").source.is_paired


def beside(preferences, women):
    """One sentence of each occupation."""
    names = [f"occupation {i}" for i in range(len(women))]
    return observe(
        pd.DataFrame({"occupation": names, "preference": preferences, "women": women}), "preference"
    )


@pytest.mark.parametrize(("kind", "function"), [("spearman", stats.spearmanr), ("pearson", stats.pearsonr)])
def test_correlation(kind, function):
    rng = np.random.default_rng(1)
    women = pd.Series(rng.uniform(0, 100, 30))
    preferences = 2 - 0.02 * women + rng.normal(0, 0.5, 30)
    women[4] = np.nan
    row = women_row(beside(preferences, women), "women", kind, kind=kind, source="BLS")
    known = function(preferences.drop(4), women.drop(4))
    assert row.value == row.effect_size == pytest.approx(known.statistic)
    assert row.p_value == pytest.approx(known.pvalue)
    assert row.ci_low < row.value < row.ci_high
    assert row.n == row.clusters == 29
    assert row.smallest_detectable == pytest.approx(0.5, abs=0.001)
    assert row.statistic == f"{kind.capitalize()}'s r with % women, BLS"


def test_two_occupations_have_no_correlation():
    two = pd.Series([1.0, 2.0])
    row = women_row(beside(two, two), "women", "pearson", kind="pearson", source="BLS")
    assert np.isnan(row.value)
    assert row.note == "2 pairs: a correlation needs three"

"""Rows of several versions: against scipy, and traced to the items."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise import stats
from counterpoise.measures.base.result import make_summary, sources_of
from counterpoise.measures.base.version_rows import version_rows, with_versions

VERSIONS = ["male", "female", "they"]


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.3, 0.6, (30, 1)) + rng.normal(0, 0.02, (30, 3)) + np.array([0.0, 0.01, 0.05])
    return with_versions(pd.DataFrame({"topic": list("abcde") * 6}), scores, VERSIONS)


def summary_of(rows):
    return make_summary(rows, "m", "d", "corrected").set_index("key")


def test_pairs_means_and_holm_against_scipy(items):
    rows = summary_of(version_rows(items, VERSIONS))
    tested = [
        scipy_stats.ttest_rel(items.rating_male, items.rating_female),
        scipy_stats.ttest_rel(items.rating_male, items.rating_they),
        scipy_stats.ttest_rel(items.rating_female, items.rating_they),
    ]
    pairs = rows[rows.index.str.startswith("version_difference")]
    assert pairs.index.tolist() == [
        f"version_difference.{pair}" for pair in ("male_female", "male_they", "female_they")
    ]
    assert pairs.p_value.tolist() == pytest.approx([one.pvalue for one in tested])
    assert pairs.p_adjusted.tolist() == pytest.approx(stats.adjust([one.pvalue for one in tested]).tolist())
    assert pairs.ci_low.tolist() == pytest.approx([one.confidence_interval().low for one in tested])
    for version in VERSIONS:
        column = items[f"rating_{version}"]
        row = rows.loc[f"version_mean.{version}"]
        assert row.value == pytest.approx(column.mean())
        assert row.ci_high == pytest.approx(scipy_stats.ttest_1samp(column, 0).confidence_interval().high)


def test_the_largest_gap_leads_and_is_a_family_of_its_own(items):
    rows = version_rows(items, VERSIONS)
    gap = rows[0]
    assert (gap.key, gap.level) == ("largest_gap", "overall")
    assert gap.value == pytest.approx(items.rating_they.mean() - items.rating_male.mean())
    assert gap.note == "highest: they, lowest: male"
    assert gap.p_value == summary_of(rows).p_adjusted["largest_gap"] < 0.001
    assert rows[1].key == "largest_gap_by_chance"
    assert 0 < rows[1].value < gap.value


def test_every_row_is_found_again_in_the_items(items):
    rows = version_rows(items, VERSIONS, cluster="topic")
    values = summary_of(rows).value
    sources = sources_of(rows)
    assert set(sources) == {key for key in values.index if key != "largest_gap_by_chance"}
    for key, source in sources.items():
        assert source.has_columns(items)
        if source.is_paired:
            assert source.of_clusters(source.observe(items)).mean() == pytest.approx(values[key])


def test_intervals_count_clusters(items):
    rows = summary_of(version_rows(items, VERSIONS, cluster="topic"))
    by_topic = (items.rating_male - items.rating_they).groupby(items.topic).mean()
    interval = scipy_stats.ttest_1samp(by_topic, 0).confidence_interval()
    pair = rows.loc["version_difference.male_they"]
    assert [pair.ci_low, pair.ci_high] == pytest.approx([interval.low, interval.high])
    assert set(rows.clusters) == {5}

"""Comparisons: paired differences worked out a second time, and runs that cannot be compared."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import counterpoise as cp
import runs
import tiny
from counterpoise.core.errors import InputError, RunError


def saved(folder, *results, **options):
    return runs.save_run(folder, *results, **options)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    first = runs.word_result("one", lean=0.5, seed=1)
    second = runs.word_result("two", lean=0.2, seed=2)
    return first, second, saved(folder / "first", first), saved(folder / "second", second)


def test_differences_are_those_of_the_paired_t_test_over_words(two):
    first, second, *folders = two
    found = cp.compare(*folders)
    row = found.rows.iloc[0]
    means = [result.items.groupby("word").own.mean() for result in (first, second)]
    expected = stats.ttest_rel(means[1], means[0])
    interval = expected.confidence_interval()
    assert (row["first"], row["second"], row.statistic) == ("one", "two", "lean")
    assert row.difference == pytest.approx((means[1] - means[0]).mean())
    assert row.p_value == pytest.approx(expected.pvalue)
    assert (row.ci_low, row.ci_high) == pytest.approx((interval.low, interval.high))
    assert (row.n, row.clusters) == (60, 12)
    assert (row.value_first, row.value_second) == pytest.approx(
        (first.overall.value.iloc[0], second.overall.value.iloc[0])
    )


def test_absolute_values_shares_and_groups_are_compared_too(two):
    first, second, *folders = two
    rows = cp.compare(*folders).rows.set_index(["group", "statistic"])
    means = [result.items.groupby("word").own.mean() for result in (first, second)]
    absolute = stats.ttest_rel(means[1].abs(), means[0].abs())
    assert rows.loc[("all", "mean |lean| of words"), "p_value"] == pytest.approx(absolute.pvalue)
    wins = [100.0 * (result.items.own > 0) for result in (first, second)]
    assert rows.loc[("all", "% male"), "p_value"] == pytest.approx(stats.ttest_rel(wins[1], wins[0]).pvalue)
    of_women = [
        result.items[result.items.group == "female"].groupby("word").own.mean() for result in (first, second)
    ]
    expected = stats.ttest_rel(of_women[1], of_women[0]).pvalue
    assert rows.loc[("female professions", "lean"), "p_value"] == pytest.approx(expected)


def test_p_values_are_adjusted_within_measure_and_level(two):
    rows = cp.compare(*two[2:]).rows
    for _, family in rows.groupby(["measure", "level"]):
        expected = multipletests(family.p_value, method="holm")[1]
        assert family.p_adjusted.to_numpy() == pytest.approx(expected)


def test_the_items_that_changed_most_come_first(two):
    first, second, *folders = two
    changes = cp.compare(*folders).changes
    moved = (second.items.own - first.items.own).abs()
    assert changes.item[0] == first.items.text[moved.idxmax()]
    assert changes.change.abs().is_monotonic_decreasing
    assert changes.change[0] == pytest.approx(changes.value_second[0] - changes.value_first[0])


def test_only_items_that_both_have_count(two, tmp_path):
    first, _, folder, _ = two
    whole = runs.word_result("short", words=8, seed=5)
    row = cp.compare(folder, saved(tmp_path / "short", whole)).rows.iloc[0]
    kept = first.items[first.items.word.isin(whole.items.word)]
    means = [items.groupby("word").own.mean() for items in (kept, whole.items)]
    assert row.difference == pytest.approx((means[1] - means[0]).mean())
    assert (row.n, row.clusters) == (40, 8)
    assert row.note == "40 of 60 items are in both"


def test_real_models(tmp_path):
    models = [cp.load(tiny.save(kind, tmp_path / kind)) for kind in ("bert", "distilbert")]
    pairs = cp.data.stereotype_pairs().table.iloc[::12]
    results = [cp.measures.sld(model, cp.data.Pairs("own", pairs.reset_index(drop=True))) for model in models]
    folders = [saved(tmp_path / f"run{n}", result) for n, result in enumerate(results)]
    rows = cp.compare(*folders).rows
    expected = stats.ttest_rel(results[1].items.sld, results[0].items.sld).pvalue
    assert rows.p_value[0] == pytest.approx(expected)


def test_models_are_audited_first_and_a_second_time_read(few_questions, tmp_path):
    folders = [tiny.save(kind, tmp_path / kind) for kind in ("bert", "distilbert")]
    once = cp.compare(*folders, measures=["sld"], out=tmp_path / "out", cache=False)
    manifests = [tmp_path / "out" / name / "manifest.json" for name in ("1-bert", "2-distilbert")]
    before = [path.read_bytes() for path in manifests]
    again = cp.compare(*map(cp.load, folders), measures=["sld"], out=tmp_path / "out", cache=False)
    assert [path.read_bytes() for path in manifests] == before
    pd.testing.assert_frame_equal(once.rows, again.rows)


def test_three_models_are_ranked_with_ties(tmp_path):
    leans = {"near": 0.0, "also": 0.05, "far": 3.0}
    folders = [
        saved(tmp_path / name, runs.word_result(name, lean=lean, seed=n))
        for n, (name, lean) in enumerate(leans.items())
    ]
    found = cp.compare(*folders)
    ranks = found.ranking.set_index("model")["rank"].to_dict()
    assert ranks == {"near": 1, "also": 1, "far": 3}
    assert len(found.rows[found.rows.statistic == "lean"].query("level == 'overall'")) == 3
    # Holm's family has all pairs of models.
    family = found.rows[found.rows.level == "overall"]
    assert family.p_adjusted.to_numpy() == pytest.approx(multipletests(family.p_value, method="holm")[1])


def test_the_same_numbers_are_no_difference(tmp_path):
    result = runs.word_result()
    found = cp.compare(saved(tmp_path / "a", result), saved(tmp_path / "b", result))
    assert found.names == ("a", "b")  # the same model: told apart by folder
    assert "the same model, weight by weight" in found.notes[0]
    assert set(found.rows.note) == {"the same on every item"}
    assert not found.rows.difference.any()


def test_models_that_share_no_items_say_so(two, tmp_path):
    strange = runs.word_result("strange", seed=4)
    strange = replace(
        strange, items=strange.items.assign(text="no " + strange.items.text, word="x" + strange.items.word)
    )
    found = cp.compare(two[2], saved(tmp_path / "strange", strange))
    assert set(found.rows.note) == {"the two share no items"}
    assert found.rows.difference.isna().all()
    assert found.changes.empty


def test_items_that_do_not_give_the_number_of_the_summary_are_not_compared(two, tmp_path):
    """Of a folder that was changed by hand, say; nothing is taken for what it is not."""
    first, second, *_ = two
    bare = replace(first, items=first.items.iloc[:0])
    strange = replace(second, items=second.items.assign(own=second.items.own + 1))
    found = cp.compare(saved(tmp_path / "bare", bare), saved(tmp_path / "strange", strange))
    assert set(found.rows.note) == {"the items of one do not give the number of its summary"}
    assert found.rows.difference.isna().all()
    without = replace(second, items=second.items.drop(columns="own"))
    rows = cp.compare(two[2], saved(tmp_path / "without", without)).rows
    assert set(rows.note) == {"the items of two lack what it is computed of"}


def test_rows_that_only_one_has_are_not_compared(two, tmp_path):
    other = runs.word_result("other")
    changed = {"statistic": other.summary.statistic + ", otherwise", "key": other.summary.key + "_otherwise"}
    other = replace(other, summary=other.summary.assign(**changed))
    [row] = cp.compare(two[2], saved(tmp_path / "other", other)).rows.itertuples()
    assert row.note == "they have no statistic in common: lean and lean, otherwise"


def test_notes_say_what_differs_besides_the_model(two, tmp_path):
    half = saved(
        tmp_path / "half", runs.word_result("half"), runs.word_result("half", measure="more"), finished=False
    )
    manifest = json.loads((half / "manifest.json").read_text())
    manifest["options"]["variant"] = "published"
    (half / "manifest.json").write_text(json.dumps(manifest))
    notes = " | ".join(cp.compare(two[2], half).notes)
    assert "the run of half is not finished" in notes
    assert "more is not compared with one" in notes
    assert "the runs differ in variant" in notes


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda run: (run / "manifest.json").write_text("{"), "cannot read .*manifest.json"),
        (lambda run: (run / "summary.json").write_text('{"results": 3}'), "is damaged"),
        (lambda run: (run / "summary.json").write_text('{"results": []}'), "is damaged"),
        (lambda run: (run / "scores" / "own.parquet").write_bytes(b"PAR1"), "cannot read .*own.parquet"),
        (lambda run: (run / "skipped.parquet").unlink(), "cannot read .*skipped.parquet"),
    ],
)
def test_a_damaged_run_is_one_clear_line(two, tmp_path, damage, message):
    run = saved(tmp_path / "run", runs.word_result())
    damage(run)
    with pytest.raises(RunError, match=message):
        cp.compare(two[2], run)


def test_what_cannot_be_compared_is_said(two, tmp_path):
    with pytest.raises(InputError, match="needs two models or runs, found 1"):
        cp.compare(two[2])
    with pytest.raises(InputError, match="is compared with itself"):
        cp.compare(two[2], two[2])
    with pytest.raises(InputError, match="builtin is no run folder"):
        cp.compare(two[2], "builtin")
    with pytest.raises(RunError, match="update Counterpoise"):
        cp.compare(two[2], saved(tmp_path / "newer", runs.word_result(), schema=99))
    with pytest.raises(RunError, match="no measure in common: one has own; two has other"):
        cp.compare(two[2], saved(tmp_path / "other", runs.word_result("two", measure="other")))


def test_one_cluster_has_no_interval(tmp_path):
    folders = [saved(tmp_path / str(n), runs.word_result(str(n), words=2, seed=n)) for n in (1, 2)]
    few = cp.compare(*folders).rows.set_index(["group", "statistic"])
    row = few.loc[("female professions", "lean")]
    assert np.isnan(row.ci_low)
    assert row.note == "one value only"

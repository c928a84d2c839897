"""The numbers of a curve, worked out again from the items by scipy and statsmodels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import runs
from counterpoise.audit.run import Run
from counterpoise.studies.audits.curve import COLUMNS, trace

LEANS = {0: 0.3, 500: 0.32, 1000: 0.5, 3000: 0.9}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Runs of four steps: one measure that rises, and one that the first step lacks."""
    folder = tmp_path_factory.mktemp("steps")
    found = []
    for place, (step, lean) in enumerate(LEANS.items()):
        rising = runs.word_result(f"checkpoint-{step}", lean=lean, seed=place)
        late = replace(runs.word_result(measure="late", lean=0.1, seed=9 + place), model=rising.model)
        results = [rising, *([late] if step else [])]
        runs.save_run(folder / f"checkpoint-{step}", *results)
        found.append((step, f"checkpoint-{step}", Run.read(folder / f"checkpoint-{step}")))
    return found


@pytest.fixture(scope="module")
def curve(saved):
    return trace(saved)


def test_values_are_those_of_the_runs(saved, curve):
    assert list(curve.rows.columns) == COLUMNS
    rows = curve.rows[curve.rows.measure == "own"]
    assert rows.step.tolist() == list(LEANS)
    for (_, _, run), row in zip(saved, rows.itertuples(), strict=True):
        own = run.results["own"].headline
        assert (row.key, row.value, row.ci_low, row.ci_high) == (own.key, own.value, own.ci_low, own.ci_high)


def test_differences_are_paired_t_tests_over_words(saved, curve):
    rows = curve.rows[curve.rows.measure == "own"]
    first = saved[0][2].results["own"].items.groupby("word").own.mean()
    assert np.isnan(rows.difference.iloc[0])
    p_values = []
    for (_, _, run), row in list(zip(saved, rows.itertuples(), strict=True))[1:]:
        words = run.results["own"].items.groupby("word").own.mean()
        test = stats.ttest_rel(words[first.index], first)
        interval = test.confidence_interval()
        assert row.difference == pytest.approx(float((words - first).mean()))
        assert (row.difference_ci_low, row.difference_ci_high) == pytest.approx((interval.low, interval.high))
        assert row.p_value == pytest.approx(test.pvalue)
        assert row.difference_n == len(run.results["own"].items)
        p_values.append(test.pvalue)
    assert rows.p_adjusted.iloc[1:].tolist() == pytest.approx(
        multipletests(p_values, method="holm")[1].tolist()
    )


def test_a_measure_that_begins_later_is_compared_with_its_own_first_step(curve):
    rows = curve.rows[curve.rows.measure == "late"]
    assert rows.step.tolist() == [500, 1000, 3000]
    assert rows.difference.isna().tolist() == [True, False, False]
    assert curve.notes == ("late was not measured at step 0; its steps are compared with step 500",)


def test_each_measure_is_a_family_of_its_own(curve):
    for _, rows in curve.rows.groupby("measure"):
        tested = rows[rows.p_value.notna()]
        adjusted = multipletests(tested.p_value, method="holm")[1]
        assert tested.p_adjusted.tolist() == pytest.approx(adjusted.tolist())


def test_models_that_were_asked_for_different_things_are_not_compared(tmp_path):
    found = []
    for step, asked in ((0, "causal language model"), (1, "causal language model, answers as plain text")):
        result = replace(runs.word_result(seed=step), asked=asked)
        found.append((step, str(step), Run.read(runs.save_run(tmp_path / str(step), result))))
    curve = trace(found)
    assert curve.rows.difference.isna().all()
    assert curve.notes == (
        "own is not compared between kinds of model: answers that a model writes are no likelihoods: "
        "step 0 (a causal language model), step 1 (a model that writes answers)",
    )


def test_steps_with_the_same_weights_have_no_difference(tmp_path):
    same = [
        (step, str(step), Run.read(runs.save_run(tmp_path / str(step), runs.word_result())))
        for step in (0, 1)
    ]
    row = trace(same).rows.iloc[1]
    assert (row.difference, bool(row.is_same), row.note) == (0.0, True, "the same on every item")

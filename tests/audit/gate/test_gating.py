"""The three outcomes, the items needed, and changes from a baseline, against numbers worked out with scipy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import counterpoise as cp
from counterpoise.audit.gate.baseline import _of_distances, _paired_mean
from counterpoise.audit.gate.gating import worst
from counterpoise.core.errors import InputError, RunError
from counterpoise.measures.base.result import make_summary, sources_of
from counterpoise.measures.base.row_builders import correlation_row, mean_row, share_row
from counterpoise.measures.base.source import observe
from runs import save_run, word_result


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return save_run(tmp_path_factory.mktemp("runs") / "one", word_result("one", words=20, lean=0.3))


def word_means(result):
    return result.items.groupby("word", sort=False).own.mean()


def t_interval(values):
    return stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))


def only(result):
    [check] = result.checks
    return check


def test_the_interval_decides(one):
    low, high = t_interval(word_means(word_result("one", words=20, lean=0.3)))
    middle = (low + high) / 2
    for limit, wanted, code in ((high, "passes", 0), (middle, "cannot tell", 3), (low - 1e-6, "fails", 1)):
        result = cp.gate(one, [f"own.lean <= {limit + 1e-9:.12f}"])
        assert (only(result).outcome, result.exit_code) == (wanted, code)
    for limit, wanted in ((low - 1e-6, "passes"), (middle, "cannot tell"), (high + 1e-6, "fails")):
        assert only(cp.gate(one, [f"own.lean >= {limit:.12f}"])).outcome == wanted
    check = only(cp.gate(one, ["own.lean <= 0.3"]))
    assert (check.estimate.low, check.estimate.high) == pytest.approx((low, high), rel=1e-9)


def test_strict_and_the_order_of_exit_codes(one):
    unsure, failing = (
        f"own.lean <= {word_means(word_result('one', words=20, lean=0.3)).mean():.9f}",
        "own.lean <= -9",
    )
    assert cp.gate(one, [unsure]).exit_code == 3
    assert cp.gate(one, [unsure], strict=True).exit_code == 1
    assert cp.gate(one, ["own.lean <= 9", unsure]).exit_code == 3
    assert cp.gate(one, ["own.lean <= 9", unsure, failing]).exit_code == 1
    assert [worst(codes) for codes in ([3, 1, 2], [3, 1], [0, 3], [0])] == [2, 1, 3, 0]


def test_a_distance_has_two_limits(one):
    means = word_means(word_result("one", words=20, lean=0.3))
    low, high = t_interval(means)
    check = only(cp.gate(one, ["abs(own.lean - 0.5) <= 0.6"]))
    far = max(abs(low - 0.5), abs(high - 0.5))
    assert check.estimate.value == pytest.approx(abs(means.mean() - 0.5))
    assert check.estimate.high == pytest.approx(far)
    assert check.outcome == "passes"
    assert only(cp.gate(one, ["abs(own.lean - 9) <= 1"])).outcome == "fails"
    assert only(cp.gate(one, [f"abs(own.lean - {means.mean():.9f}) <= 1e-6"])).outcome == "cannot tell"


def test_items_needed_agrees_with_statsmodels(one):
    means = word_means(word_result("one", words=20, lean=0.3))
    for limit in (0.2, 0.25, 0.4, 0.6):
        check = only(cp.gate(one, [f"own.lean <= {limit}"]))
        wanted = TTestPower().solve_power(
            abs(means.mean() - limit) / means.std(ddof=1), power=0.8, alpha=0.05
        )
        assert check.needed == math.ceil(wanted)
        assert check.estimate.items == 20


def test_that_many_items_do_tell_four_times_in_five(one):
    """Brute force: draws of as many words as are said to be needed."""
    means = word_means(word_result("one", words=20, lean=0.3))
    limit = means.mean() + 0.1
    needed = only(cp.gate(one, [f"own.lean <= {limit:.9f}"])).needed
    draws = np.random.default_rng(0).normal(means.mean(), means.std(ddof=1), (4000, needed))
    half = stats.t.ppf(0.975, needed - 1) * draws.std(axis=1, ddof=1) / math.sqrt(needed)
    told = np.abs(draws.mean(axis=1) - limit) > half
    assert told.mean() == pytest.approx(0.8, abs=0.03)


def test_the_row_at_its_limit_needs_no_number_that_helps(tmp_path):
    items = pd.DataFrame({"text": list("abcd"), "word": list("abcd"), "own": [0.0, 1.0, 2.0, 3.0]})
    run = save_run(tmp_path / "run", remade(items, [mean_row(observe(items, "own"), "lean", "lean")]))
    check = only(cp.gate(run, ["own.lean <= 1.5"]))
    assert (check.outcome, check.needed) == ("cannot tell", None)


def remade(items, rows, model="made"):
    """A result of these items and rows."""
    return replace(
        word_result(model),
        items=items,
        summary=make_summary(rows, "own", "made", "corrected"),
        sources=sources_of(rows),
    )


def test_a_model_that_answers_everything_alike_never_passes(tmp_path):
    """Ties are no evidence of balance."""
    items = pd.DataFrame({"text": [f"t{n}" for n in range(300)], "own": 0.0})
    numbers = observe(items, "own")
    rows = [mean_row(numbers, "lean", "lean"), share_row(numbers, "share", "% above")]
    assert rows[1].value == 50.0
    run = save_run(tmp_path / "run", remade(items, rows))
    result = cp.gate(run, ["own.lean <= 1000", "abs(own.share - 50) <= 1000"])
    assert [check.outcome for check in result.checks] == ["cannot tell"] * 2
    assert result.exit_code == 3
    assert "same answer to all 300 items" in result.checks[1].why
    assert {check.needed for check in result.checks} == {None}


def test_a_measure_that_was_left_out_does_not_pass(tmp_path):
    run = save_run(tmp_path / "run", word_result(), left_out={"lpbs": "needs a masked language model"})
    result = cp.gate(run, ["own.lean <= 9", "lpbs.spearman <= 0.3"])
    assert [check.outcome for check in result.checks] == ["passes", "cannot tell"]
    assert result.exit_code == 3
    assert result.checks[1].why == "lpbs was not measured: needs a masked language model"


def test_a_rule_without_a_row_lists_the_rows(one):
    with pytest.raises(InputError, match=r"no row is called 'own.leen'; did you mean 'own.lean'") as error:
        cp.gate(one, ["own.lean <= 9", "own.leen <= 9"])
    assert "own.lean, own.mean_absolute, own.share_male, own.lean.female, own.lean.male" in str(error.value)
    assert "20 rows of single words such as own.lean.word.word0" in str(error.value)
    with pytest.raises(InputError, match=r"no row is called 'ppd.x'; there are: own\.lean"):
        cp.gate(one, ["ppd.x <= 9"])
    with pytest.raises(InputError, match="a gate needs a rule"):
        cp.gate(one, [])


def test_what_is_no_finished_run_is_refused(tmp_path):
    with pytest.raises(RunError, match="is not a run"):
        cp.gate(tmp_path, ["own.lean <= 9"])
    run = save_run(tmp_path / "run", word_result(), finished=False)
    with pytest.raises(RunError, match="is not finished"):
        cp.gate(run, ["own.lean <= 9"])


@pytest.fixture
def pair(tmp_path):
    """A run and its baseline on the same words, with different numbers."""
    results = word_result("one", words=20, lean=0.3), word_result("two", words=20, lean=0.5, seed=1)
    return (*results, *(save_run(tmp_path / result.model, result) for result in results))


def test_the_change_is_the_paired_difference(pair):
    before, after, baseline, run = pair
    differences = word_means(after) - word_means(before)
    low, high = t_interval(differences)
    result = cp.gate(run, ["own.lean <= 9"], baseline=baseline, margin=0.05)
    assert [str(check.rule) for check in result.checks] == ["own.lean <= 9", "change(own.lean) <= 0.05"]
    changed = result.checks[1].estimate
    assert (changed.value, changed.low, changed.high) == pytest.approx(
        (differences.mean(), low, high), rel=1e-9
    )
    for margin, wanted in (
        (high + 1e-6, "passes"),
        (low - 1e-6, "fails"),
        (differences.mean(), "cannot tell"),
    ):
        check = cp.gate(run, ["own.lean <= 9"], baseline=baseline, margin=max(margin, 0)).checks[1]
        assert check.outcome == wanted or margin < 0


def test_a_lower_limit_is_compared_downwards(pair):
    *_, baseline, run = pair
    result = cp.gate(run, ["own.lean >= -9"], baseline=baseline, margin=0.01)
    assert str(result.checks[1].rule) == "change(own.lean) >= -0.01"


def test_a_rule_about_a_change_replaces_the_one_of_the_margin(pair):
    *_, baseline, run = pair
    rules = ["own.lean <= 9", "change(own.lean) <= 4"]
    result = cp.gate(run, rules, baseline=baseline)
    assert [str(check.rule) for check in result.checks] == rules


@pytest.mark.parametrize(("before", "after"), [(0.5, 0.8), (-0.5, 0.8), (0.5, -0.8), (-0.8, -0.5)])
def test_the_change_of_a_distance_where_the_sides_are_clear(before, after, tmp_path):
    results = word_result("one", words=20, lean=before), word_result("two", words=20, lean=after, seed=1)
    baseline, run = (save_run(tmp_path / result.model, result) for result in results)
    signed = [
        np.sign(lean) * word_means(result) for lean, result in zip((before, after), results, strict=True)
    ]
    low, high = t_interval(signed[1] - signed[0])
    changed = only(cp.gate(run, ["change(abs(own.lean)) <= 0"], baseline=baseline)).estimate
    assert changed.value == pytest.approx(abs(signed[1].mean()) - abs(signed[0].mean()))
    assert (changed.low, changed.high) == pytest.approx((low, high), rel=1e-6)


def test_the_interval_of_a_distance_covers_where_the_side_is_not_clear():
    """Of 400 pairs of runs whose true means are 0 and 0.05, the truth is in 95 % of the intervals or more."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        before, after = pd.Series(rng.normal(0.05, 0.2, 15)), pd.Series(rng.normal(0.0, 0.2, 15))
        changed = _of_distances(
            lambda a, b, before=before, after=after: _paired_mean(a * after - b * before),
            "",
            after.mean(),
            before.mean(),
        )
        covered += changed.low <= -0.05 <= changed.high
    assert covered >= 0.95 * 400


def test_the_change_of_a_correlation_is_bootstrapped_over_words(tmp_path):
    rng = np.random.default_rng(0)
    share = rng.uniform(0, 100, 40)
    results = []
    for name, strength in (("one", 0.02), ("two", 0.01)):
        items = pd.DataFrame({"text": [f"t{n}" for n in range(40)], "word": [f"w{n}" for n in range(40)]})
        items["share"], items["own"] = share, -strength * share + rng.normal(0, 0.4, 40)
        source = observe(items, "own").as_source("correlation", "word", "share")
        rows = [
            correlation_row(items.own, items.share, "spearman", "spearman", source=source, kind="spearman")
        ]
        results.append(remade(items, rows, name))
    baseline, run = (save_run(tmp_path / result.model, result) for result in results)
    changed = only(cp.gate(run, ["change(own.spearman) <= 0"], baseline=baseline)).estimate
    before, after = (stats.spearmanr(result.items.own, result.items.share).statistic for result in results)
    assert changed.value == pytest.approx(after - before)
    data = tuple(np.asarray(column) for column in (results[0].items.own, results[1].items.own, share))
    reference = stats.bootstrap(
        data,
        lambda one, two, x: stats.spearmanr(two, x).statistic - stats.spearmanr(one, x).statistic,
        paired=True,
        vectorized=False,
        n_resamples=500,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert (changed.low, changed.high) == pytest.approx((reference.low, reference.high), abs=0.06)


def test_the_same_model_has_not_changed(one, tmp_path):
    again = save_run(tmp_path / "again", word_result("one", words=20, lean=0.3))
    result = cp.gate(again, ["own.lean <= 9", "abs(own.share_male - 50) <= 90"], baseline=one)
    assert [check.outcome for check in result.checks if check.rule.change] == ["passes", "passes"]
    assert result.exit_code == 0


def edited(folder, **changes):
    """The manifest of a run with other options."""
    run = cp.Run.read(folder)
    for name, value in changes.items():
        run.manifest["options" if name in run.manifest["options"] else name] = (
            run.manifest["options"] | {name: value} if name in run.manifest["options"] else value
        )
    run._save_manifest()


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"counterpoise": "0.0.1"}, "version of Counterpoise: 0.1.0 and 0.0.1"),
        ({"variant": "published"}, "variant: corrected and published"),
        ({"seed": 3}, "seed: 0 and 3"),
        ({"settings": {"n": 5}}, "settings: none and {'n': 5}"),
        ({"kind": "causal"}, "kind of model: masked and causal"),
    ],
)
def test_a_baseline_of_another_kind_or_version_is_refused_with_the_difference(changes, difference, pair):
    *_, baseline, run = pair
    edited(run, kind="masked")
    edited(baseline, **{"kind": "masked", **changes})
    with pytest.raises(RunError, match="cannot be the baseline of") as error:
        cp.gate(run, ["own.lean <= 9"], baseline=baseline)
    assert difference.replace("0.1.0", cp.__version__) in str(error.value)


def test_a_baseline_of_other_data_is_refused_with_the_difference(pair):
    *_, baseline, run = pair
    opened = cp.Run.read(baseline)
    opened.manifest["measures"]["own"]["dataset"] = "other"
    opened._save_manifest()
    with pytest.raises(RunError, match="data of own: made and other"):
        cp.gate(run, ["own.lean <= 9"], baseline=baseline)


def test_a_run_is_no_baseline_of_itself_and_a_margin_needs_one(one):
    with pytest.raises(RunError, match="cannot be its own baseline"):
        cp.gate(one, ["own.lean <= 9"], baseline=one)
    with pytest.raises(InputError, match="need a baseline"):
        cp.gate(one, ["own.lean <= 9"], margin=0.1)
    with pytest.raises(InputError, match="need a baseline"):
        cp.gate(one, ["change(own.lean) <= 9"])


def test_a_negative_margin_is_refused(pair):
    *_, baseline, run = pair
    with pytest.raises(InputError, match="a margin is 0 or more, not -1"):
        cp.gate(run, ["own.lean <= 9"], baseline=baseline, margin=-1)

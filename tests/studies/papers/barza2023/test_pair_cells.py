"""Numbers of sentence pairs, worked out again from the pairs that the cells kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise import stats
from counterpoise.models import load
from counterpoise.studies.papers.barza2023.pair_scores import PAIR, balanced, read_pairs, some_pairs
from finished_cells import table_of

pytestmark = pytest.mark.slow


def kept(cell):
    return pd.read_csv(cell.folder / "pairs.csv")


def after_gap(done, text):
    return [kept(one) for one in done["after_gap"] if one.factors["text"] == text]


def one_row(rows, **values):
    for name, value in values.items():
        rows = rows[rows[name] == value]
    [row] = rows.itertuples()
    return row


def test_asld_is_the_mean_of_absolute_differences(done, model):
    pairs = kept(done["sentences"][0])
    rows = table_of(done)
    of = rows[(rows.step == "sentences") & (rows.models == model) & (rows.statistic == "ASLD")]
    of = of.set_index("group").value
    assert of["all"] == pytest.approx(pairs.sld.abs().mean())
    by_category = pairs.sld.abs().groupby(pairs.category).mean()
    assert of.drop("all").to_dict() == pytest.approx(by_category.to_dict())
    whole = rows[(rows.step == "samples") & (rows.sentences == 6)].set_index("group")
    assert whole.value.to_dict() == pytest.approx(by_category.to_dict())  # a sample of all pairs is all pairs
    assert (whole.lowest == whole.highest).all()


def test_the_balanced_sld_weighs_women_and_men_alike(done, model):
    pairs = kept(done["sentences"][0])
    rows = table_of(done)
    means = pairs.groupby(["category", "about"]).sld.mean()
    row = one_row(rows, step="sentences", models=model, group="all", statistic="SLD, balanced")
    assert row.value == pytest.approx(means.mean())
    variances = pairs.groupby(["category", "about"]).sld.agg(lambda sld: sld.var() / len(sld))
    error = np.sqrt(variances.sum()) / 6
    df = variances.sum() ** 2 / (variances**2 / 2).sum()  # three pairs of each kind
    assert row.ci_high - row.value == pytest.approx(scipy_stats.t.ppf(0.975, df) * error)
    of_hostile = pairs[pairs.category == "hostile sexism"]
    women, men = (of_hostile.sld[of_hostile.about == about] for about in ("women", "men"))
    row = one_row(rows, step="sentences", models=model, group="hostile sexism", statistic="SLD, balanced")
    assert row.value == pytest.approx((women.mean() + men.mean()) / 2)
    # The sum of two means is the difference to the negative: Welch's test.
    welch = scipy_stats.ttest_ind(women, -men, equal_var=False)
    assert row.p_value == pytest.approx(welch.pvalue)
    low, high = welch.confidence_interval()
    assert (row.ci_low, row.ci_high) == pytest.approx((low / 2, high / 2))


def test_a_preference_for_male_words_is_not_in_the_balanced_sld(done):
    scores = read_pairs(done["sentences"][0].folder)
    towards = np.where(scores.index.get_level_values("about") == "men", 1.0, -1.0)
    shifted = pd.DataFrame([scores, scores + 5 * towards])
    assert balanced(shifted.iloc[[1]]).mean() == pytest.approx(balanced(shifted.iloc[[0]]).mean())


def test_balanced_values_have_the_spread_within_both_kinds():
    rng = np.random.default_rng(0)
    about = ["women"] * 30 + ["men"] * 10
    columns = pd.MultiIndex.from_arrays([["c"] * 40, about, list(range(40)), list(range(40))], names=PAIR)
    values = pd.DataFrame([np.r_[rng.normal(-1, 1, 30), rng.normal(4, 1, 10)]], columns=columns)
    exact = stats.stratified_t(values.iloc[0], about)
    linear = stats.cluster_t(balanced(values)[0])
    assert linear.value == pytest.approx(exact.value)
    assert linear.standard_error == pytest.approx(exact.standard_error)


def test_as_many_pairs_about_women_as_about_men():
    counts = some_pairs(6).table.groupby(["category", "about"]).size()
    assert set(counts) == {3}
    most = some_pairs(100).table.groupby(["category", "about"]).size()
    assert most["hostile sexism"].to_dict() == {"men": 33, "women": 67}
    assert len(some_pairs(None).table) == 344


def test_two_models_are_compared_pair_by_pair(done):
    first, second = (kept(one) for one in done["sentences"])
    both = first.merge(second, on=PAIR)
    row = one_row(table_of(done), step="compared", statistic="ASLD")
    assert row.value == pytest.approx((both.sld_y.abs() - both.sld_x.abs()).mean())
    assert row.p_value == pytest.approx(scipy_stats.ttest_rel(both.sld_y.abs(), both.sld_x.abs()).pvalue)


def test_what_the_swap_did_to_asld(done):
    rows = table_of(done)
    asld = {
        text: np.mean([pairs.sld.abs().mean() for pairs in after_gap(done, text)])
        for text in ("gap", "gap-unswapped")
    }
    untrained = kept(done["untrained"][0])
    assert asld["gap"] != asld["gap-unswapped"]
    row = one_row(
        rows, step="debiased", group="all", statistic="ASLD", compared="swapped GAP - unswapped GAP"
    )
    assert row.value == pytest.approx(asld["gap"] - asld["gap-unswapped"])
    assert (row.n, row.seeds, row.sentences) == (18, 2, 48)
    row = one_row(rows, step="debiased", group="all", statistic="ASLD", compared="swapped GAP - as it was")
    assert row.value == pytest.approx(asld["gap"] - untrained.sld.abs().mean())
    # Seeds and pairs as two crossed random effects: the standard error from the mean squares.
    table = np.array([pairs.sld.abs() - untrained.sld.abs() for pairs in after_gap(done, "gap")])
    of_seeds = table.shape[1] * table.mean(axis=1).var(ddof=1)
    of_pairs = table.shape[0] * table.mean(axis=0).var(ddof=1)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    of_rest = np.square(rest).sum() / (table.shape[1] - 1)
    error = np.sqrt(max(of_seeds + of_pairs - of_rest, of_seeds, of_pairs) / table.size)
    assert (row.ci_high + row.ci_low) / 2 == pytest.approx(row.value)
    assert (row.ci_high - row.value) / error > scipy_stats.norm.ppf(0.975)


def test_the_curve_and_its_paired_changes(done):
    rows = table_of(done)
    by_size = {
        size: np.mean([kept(one).sld.abs().mean() for one in done["learn"] if one.factors["size"] == size])
        for size in (24, 48)
    }
    curve = rows[(rows.step == "curve") & (rows.group == "all") & (rows.statistic == "ASLD")]
    untrained = kept(done["untrained"][0]).sld.abs().mean()
    levels = curve[curve.compared.isna()].set_index("sentences").value
    assert levels.to_dict() == pytest.approx({0: untrained, **by_size})
    assert one_row(curve, compared="this size - the size before").value == pytest.approx(
        by_size[48] - by_size[24]
    )
    since = curve[curve.compared == "trained - as it was"].set_index("sentences").value
    assert since[48] == pytest.approx(by_size[48] - untrained)


def test_examples_are_those_of_a_pseudo_log_likelihood(done, model):
    rows = table_of(done)
    examples = rows[(rows.step == "examples") & (rows.statistic == "PLL")]
    assert len(examples) == 6
    expected = load(model).pseudo_log_likelihood(examples.group.tolist())
    assert examples.value.to_numpy() == pytest.approx(expected, abs=1e-4)


def test_no_weights_are_left(done):
    left = [path for cells in done.values() for one in cells for path in one.folder.rglob("*.safetensors")]
    assert left == []

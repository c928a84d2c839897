"""Effect sizes from biases: the paper's numbers follow from the rows its authors printed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import printed
from counterpoise.measures.base.result import make_summary
from counterpoise.measures.probability.common.association_summary import association_test_rows, biases

# Output of the authors' notebook; the paper's table 3 has 1.126, .8495, .9572, .8864 without its sign, and for flowers
# .8744, which comes from words that the notebook does not have.
PUBLISHED_D = {
    "career/family": 1.1255236156571247,
    "math/arts": 0.8495404566140962,
    "science/arts": 0.9571936118517962,
    "black/white": -0.8864049736039777,
    "flowers/insects": 0.44577436955883154,
}
PUBLISHED_P = {
    "career/family": 0.0,
    "math/arts": 0.00236,
    "science/arts": 0.00057,
    "black/white": 0.0,
    "flowers/insects": 0.025,
}


def printed_biases(column="bias_minus_prior"):
    rows = printed.kurita_rows()
    harmless = rows.test == "flowers/insects"
    return rows.assign(harmless=harmless, pair="male - female", bias=rows[column])


def printed_items(table):
    """Items whose biases are these: one target to a group, and the female one no more likely than without."""
    male = table.assign(target_group="male", target="men", log_p_target=table.bias)
    female = table.assign(target_group="female", target="women", log_p_target=0.0)
    items = pd.concat([male, female], ignore_index=True).assign(log_p_prior=0.0)
    return items.assign(association=items.log_p_target)


def summary(table, variant):
    rows = association_test_rows(printed_items(table), "sum", variant, seed=0)
    return make_summary(rows, "lpbs_weat", "kurita", variant)


def test_items_have_the_printed_biases():
    table, found = printed_biases(), biases(printed_items(printed_biases()))
    assert set(found["pair"]) == {"male - female"}
    shared = ["test", "template", "attribute_group", "attribute", "bias"]
    assert found[shared].to_numpy().tolist() == table[shared].to_numpy().tolist()


@pytest.fixture(scope="module")
def corrected():
    return summary(printed_biases(), "corrected")


@pytest.fixture(scope="module")
def published():
    return summary(printed_biases(), "published")


def d_of(table, unit):
    found = table[(table.level == "overall") & table.statistic.str.startswith(unit)]
    return found.set_index("group")


@pytest.mark.slow
def test_the_papers_effect_sizes_follow_from_its_rows(published, corrected):
    for table in (published, corrected):
        found = d_of(table, "d over sentences")
        assert found.value.to_dict() == pytest.approx(PUBLISHED_D, abs=1e-5)
        assert found.n.tolist() == [48, 48, 48, 100, 100]


def test_the_papers_p_values_follow_too(published):
    """Shares of 100,000 draws, theirs without a seed: equal within four standard errors."""
    found = d_of(published, "d over sentences").p_value
    for test, p in PUBLISHED_P.items():
        assert found[test] == pytest.approx(p, abs=4 * math.sqrt(2 * max(p, 1e-5) / 100_000)), test


@pytest.mark.slow
def test_over_attributes(corrected):
    """An attribute as one observation: other numbers, and the prior no longer matters."""
    found = d_of(corrected, "d,")
    for test, some in printed_biases().groupby("test"):
        means = some.groupby(["attribute_group", "attribute"], sort=False).bias.mean()
        a, b = (means[group].to_numpy() for group in some.attribute_group.unique())
        d = (a.mean() - b.mean()) / np.concatenate([a, b]).std(ddof=1)
        assert found.value[test] == pytest.approx(d)
    assert found.value.tolist()[:4] == pytest.approx([1.541, 1.266, 1.454, -1.1075], abs=5e-4)
    assert found.clusters.tolist() == [16, 16, 16, 50, 50]
    without_prior = d_of(summary(printed_biases("bias"), "corrected"), "d,")
    assert without_prior.value.to_dict() == pytest.approx(found.value.to_dict(), abs=1e-5)


def test_the_prior_matters_over_sentences():
    found = d_of(summary(printed_biases("bias"), "published"), "d over sentences").value
    assert found.tolist()[:4] == pytest.approx([1.267, 0.780, 0.919, -0.980], abs=5e-4)


def test_p_is_adjusted_over_the_five_tests(corrected):
    found = d_of(corrected, "d,")
    assert found.p_adjusted.tolist() == pytest.approx(multipletests(found.p_value, method="holm")[1])
    assert d_of(corrected, "d over sentences").p_value.isna().all()


def test_exact_where_there_are_few_ways(corrected):
    """8 + 8 words: p is a whole number of the 12,870 partitions."""
    p = d_of(corrected, "d,").p_value["math/arts"]
    assert p * 12870 == pytest.approx(round(p * 12870), abs=1e-6)


def test_the_headline_leaves_out_the_harmless_test(corrected):
    values = d_of(corrected, "d,")
    assert corrected.value[0] == pytest.approx(values.value.drop("flowers/insects").abs().mean())
    assert corrected.statistic[0] == "mean |d| of tests (sum of targets)"
    assert values.ideal_text.tolist() == ["0"] * 4 + ["none"]


def test_rows_carry_interval_and_smallest_visible_bias(corrected):
    assert corrected[["ci_low", "ci_high"]].notna().all(axis=None)
    assert (d_of(corrected, "d,").smallest_detectable > 0.5).all()
    groups = corrected[corrected.level == "group"]
    assert groups.group.tolist()[:2] == ["career/family: career", "career/family: family"]
    means = printed_biases().query("test == 'career/family'").groupby("attribute_group").bias.mean()
    assert groups.value.tolist()[:2] == pytest.approx(means[["career", "family"]].tolist())
    words = corrected[corrected.level == "word"].set_index("group").value
    rows = printed_biases().query("test == 'math/arts' and attribute == 'algebra'")
    assert words["math/arts: algebra"] == pytest.approx(rows.bias.mean())


@pytest.fixture
def items():
    """Two sentences, two groups of which one has two words; the numbers are probabilities to reckon with."""
    columns = ["attribute_group", "attribute", "target_group", "target", "p", "prior"]
    rows = [
        ("a", "x", "female", "girls", 0.2, 0.1),
        ("a", "x", "female", "women", 0.1, 0.1),
        ("a", "x", "male", "men", 0.4, 0.1),
        ("b", "y", "female", "girls", 0.1, 0.1),
        ("b", "y", "female", "women", 0.3, 0.1),
        ("b", "y", "male", "men", 0.1, 0.1),
    ]
    table = pd.DataFrame(rows, columns=columns).assign(test="t", harmless=False, template="s")
    table["log_p_target"], table["log_p_prior"] = np.log(table.p), np.log(table.prior)
    return table.assign(association=table.log_p_target - table.log_p_prior)


def test_targets_as_a_sum_or_a_mean(items):
    """By hand: log(.4 / .1) - log(.3 / .2), and log 4 - (log 2 + log 1) / 2. Male comes first wherever it stands."""
    summed, mean = biases(items, "sum"), biases(items, "mean")
    assert summed.bias.tolist() == pytest.approx([math.log(4 / 1.5), math.log(1 / 2)])
    assert mean.bias.tolist() == pytest.approx([math.log(4) - math.log(2) / 2, -math.log(3) / 2])
    assert set(summed["pair"]) == {"male - female"}
    assert set(zip(summed["first"], summed["second"], strict=True)) == {("male", "female")}


def test_more_than_two_groups_are_compared_by_pairs(items):
    third = items[items.target_group == "male"].assign(target_group="neutral", log_p_target=math.log(0.3))
    found = biases(pd.concat([items, third], ignore_index=True))
    assert found["pair"].unique().tolist() == ["male - female", "female - neutral", "male - neutral"]
    assert found[found["pair"] == "male - neutral"].bias.tolist() == pytest.approx(
        [math.log(4 / 3), math.log(1 / 3)]
    )


def test_too_few_words_have_no_test_and_the_row_says_why(items):
    [row, *_] = association_test_rows(items, "sum", "corrected", seed=0)
    assert math.isnan(row.p_value)
    assert row.note == "too few values to have a spread"


def test_d_over_sentences_has_the_smallest_d_that_could_be_seen_in_its_own_unit(corrected):
    by_attribute, by_sentence = d_of(corrected, "d, "), d_of(corrected, "d over sentences")
    expected = by_attribute.smallest_detectable * by_sentence.value / by_attribute.value
    assert by_sentence.smallest_detectable.to_dict() == pytest.approx(expected.to_dict())


@pytest.mark.filterwarnings("error")
def test_biases_that_are_all_the_same_have_no_effect_size():
    table = printed_biases().assign(bias=1.0)
    rows = summary(table, "corrected")
    assert rows[rows.level == "overall"].value.isna().all()

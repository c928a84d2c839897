"""A difference is held against the noise between seeds: numbers by scipy, and what is said of them."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from counterpoise.studies.papers.jentzsch2022 import answers, seed_tables
from counterpoise.studies.papers.jentzsch2022.published import published_rows
from counterpoise.studies.papers.jentzsch2022.seeds import (
    contrast,
    contrasts,
    noise,
    pooled_contrasts,
    spread_test,
)

CONDITIONS = ("original", "R-pro", "R-weat", "R-all", "mix-pro", "mix-weat", "mix-all")


def make_rows(effect=0.0, seeds=3, bases=("builtin",), sizes=("own",)):
    """Every condition rated with every set: noise between seeds, and a total bias that `mix` lowers by an effect."""
    dice = np.random.default_rng(0)
    found = []
    for base in bases:
        for size in sizes:
            for condition in CONDITIONS:
                for seed in range(seeds):
                    for number, terms in enumerate(("pro", "weat", "all")):
                        total = 0.003 - effect * condition.startswith("mix") + 1e-4 * dice.normal()
                        found.append(
                            {
                                "base": base,
                                "condition": condition,
                                "batch_size": size,
                                "batch": 32 if size == "own" else size,
                                "seed": seed,
                                "terms": terms,
                                "own": condition == "original" or condition.endswith(terms),
                                "total": total,
                                "absolute": 0.004 + 0.001 * number + 1e-4 * dice.normal(),
                                "absolute_nonzero": 0.005 + 0.001 * number + 1e-5 * dice.normal(),
                                "accuracy": 0.9 + 0.01 * dice.normal(),
                            }
                        )
    return pd.DataFrame(found)


def test_two_groups_are_welch_s_t_test():
    """By the formula."""
    first, second = pd.Series([2.5, 2.1, 0.4, 1.2]), pd.Series([0.6, 0.1, 0.2, 0.4])
    parts = [some.var() / len(some) for some in (first, second)]
    df = sum(parts) ** 2 / sum(part**2 / 3 for part in parts)
    t = (second.mean() - first.mean()) / math.sqrt(sum(parts))
    p = 2 * scipy_stats.t(df).sf(abs(t))
    half = scipy_stats.t(df).ppf(0.975) * math.sqrt(sum(parts))

    found = contrast(first, second)
    assert found.p_value == pytest.approx(p, rel=1e-9)
    assert [found.low, found.high] == pytest.approx([found.difference - half, found.difference + half])
    assert found.p_value > 0.05
    assert (
        scipy_stats.ttest_ind(first, second).pvalue < 0.05
    )  # pooled, the noise of the first is taken for less


def test_the_spread_of_conditions_is_an_analysis_of_variance():
    """By the formula: the mean square between conditions over that within them."""
    values = {"original": [2.5, 2.1, 0.4], "R": [0.6, 0.1, 0.2], "mix": [0.9, 0.2, 0.5]}
    rows = pd.DataFrame([{"condition": name, "total": value} for name in values for value in values[name]])
    means = [sum(some) / 3 for some in values.values()]
    between = 3 * sum((mean - sum(means) / 3) ** 2 for mean in means) / 2
    within = sum((value - sum(some) / 3) ** 2 for some in values.values() for value in some) / 6
    f = between / within
    assert spread_test(rows, "total", "condition") == pytest.approx((f, scipy_stats.f(2, 6).sf(f)), rel=1e-9)
    alone = rows.drop_duplicates("condition")
    assert math.isnan(spread_test(alone, "total", "condition")[1])


def test_two_seeds_are_enough_for_the_spread_of_conditions():
    """Seven conditions of equal mean and noise, two seeds each: at .05 about one study in twenty differs."""
    dice = np.random.default_rng(0)
    conditions = [condition for condition in CONDITIONS for _ in range(2)]
    p_values = [
        spread_test(
            pd.DataFrame({"condition": conditions, "total": dice.normal(size=14)}), "total", "condition"
        )[1]
        for _ in range(1000)
    ]
    assert 0.03 <= np.mean(np.array(p_values) < 0.05) <= 0.07


def test_unequal_noise_makes_no_difference_of_its_own():
    """Two conditions of equal mean, one with three times the noise, four seeds: at .05 about one in twenty differs."""
    dice = np.random.default_rng(0)
    drawn = [(pd.Series(3 * dice.normal(size=4)), pd.Series(dice.normal(size=4))) for _ in range(1000)]
    assert 0.03 <= np.mean([contrast(*pair).p_value < 0.05 for pair in drawn]) <= 0.07


def test_a_planted_effect_is_found_and_noise_is_not():
    assert "0 of 12 differences are significant" in answers.by_training_data(make_rows())
    found = contrasts(make_rows(effect=0.002))
    clear = found[found.p_adjusted < 0.05]
    assert set(clear.condition) == {"mix-pro", "mix-weat", "mix-all"}
    assert set(clear.bias) == {"total"}
    assert clear.difference.to_numpy() == pytest.approx(-0.002, abs=3e-4)
    assert "3 of 12 differences are significant: builtin mix-pro (total -0.00" in answers.by_training_data(
        make_rows(effect=0.002)
    )


def test_sets_of_terms_together_make_one_difference():
    """Each seed's mean over the three sets, then Welch's t test by scipy; Holm over the tests of a bias."""
    rows = make_rows(effect=0.001, seeds=4, bases=("a", "b"))
    own = rows[rows.own].assign(kind=rows.condition.str.partition("-")[0])
    means = own.groupby(["base", "kind", "seed"]).total.mean()
    found = pooled_contrasts(rows)
    assert len(found) == 2 * 2 * 2
    total = found[found.bias == "total"]
    p_values = []
    for row in total.itertuples():
        tested = scipy_stats.ttest_ind(
            means[row.base, row.treatment], means[row.base, "original"], equal_var=False
        )
        assert row.p_value == pytest.approx(tested.pvalue)
        assert row.difference == pytest.approx(
            means[row.base, row.treatment].mean() - means[row.base, "original"].mean()
        )
        p_values.append(tested.pvalue)
    steps = [p * (4 - number) for number, p in enumerate(sorted(p_values))]
    holm = dict(zip(sorted(p_values), np.minimum(np.maximum.accumulate(steps), 1), strict=True))
    assert total.p_adjusted.tolist() == pytest.approx([holm[p] for p in p_values])


def test_the_answer_leads_with_sets_of_terms_together():
    text = answers.by_training_data(make_rows(effect=0.002))
    assert text.startswith("Total bias over all reviews, each seed's mean over the sets of terms")
    assert "builtin: removed " in text
    assert "mixed -0.002" in text
    assert "over these 2 tests 1 is significant" in text
    assert "decided after the data had been seen" in text
    assert answers.by_training_data(make_rows(seeds=1)).startswith("The largest change")


def test_what_could_be_detected_is_blank_below_two_degrees_of_freedom():
    two, four = (contrasts(make_rows(seeds=seeds)) for seeds in (2, 4))
    assert two.p_value.notna().all()
    assert two.detectable.isna().all()
    assert four.detectable.notna().all()
    assert "would be (median" not in answers.by_training_data(make_rows(seeds=2))


def test_with_one_seed_nothing_is_told_from_noise():
    rows = make_rows(seeds=1)
    assert math.isnan(noise(rows, "total").sd)
    assert "one seed only" in answers.by_training_data(rows)
    assert "one seed only" in answers.by_training_data(published_rows())


def test_the_published_answers_about_base_models():
    """The paper: large models are more biased than small ones. Of its own rows that holds for most, not for all."""
    text = answers.by_base(published_rows())
    assert "bertlarge has a larger bias than bertbase in 9 of 9 rows of table 1" in text
    assert "robertalarge has a larger bias than robertabase" in text
    assert answers.by_base(make_rows()).startswith("Not answered: there is one base model (builtin")


def test_two_sizes_are_compared_by_condition():
    """By the formula for clusters: squared sums of residuals, each scaled by what it leaves out."""
    rows = make_rows(bases=("builtin-half", "builtin-adapted"), seeds=2)
    grown = rows.base == "builtin-adapted"
    rows["absolute_nonzero"] += 0.001 * grown * (1 + rows.condition.map(CONDITIONS.index) / 10)
    own = rows[rows.own].set_index(["condition", "terms", "seed"])
    difference = (
        own[own.base == "builtin-adapted"].absolute_nonzero - own[own.base == "builtin-half"].absolute_nonzero
    )
    sums = (difference - difference.mean()).groupby("condition").sum()
    sizes = difference.groupby("condition").size()
    error = math.sqrt((sums**2 / (1 - sizes / 18)).sum()) / 18
    text = answers.by_base(rows)
    found = re.search(
        r"has a larger bias than builtin-half in 9 of 9 rows of table 1; mean difference \+(\S+) \[(\S+), (\S+)\]",
        text,
    )
    caution = "This is one pair of base models with 2 seeds, and the interval says nothing of other models or seeds."
    assert text.endswith(caution)
    losses = rows.base.map({"builtin-half": 3.481, "builtin-adapted": 2.854})
    assert answers.by_base(rows.assign(base_loss=losses)).endswith(
        "its mean training loss was 3.48 against 2.85 (over the run, not held-out)."
    )
    one_loss = rows.assign(base_loss=losses.where(losses < 3))
    assert answers.by_base(one_loss).endswith(caution)
    value, low, high = map(float, found.groups())
    assert value == pytest.approx(difference.mean(), abs=6e-5)
    # Seven conditions of unequal size: between four and six degrees of freedom.
    least, most = (scipy_stats.t(df).ppf(0.975) * error for df in (6, 3))
    assert least - 1e-4 <= (high - low) / 2 <= most + 1e-4


def test_more_terms_more_bias():
    text = answers.by_terms(make_rows())
    assert "rises from pro to weat to all in 21 of 21 training runs" in text
    assert "When the rating terms differ from the training terms" in text


def test_batch_sizes_are_compared_by_training():
    rows = make_rows(sizes=("own", 16, 8))
    text = answers.by_batch_size(rows)
    keys = ["condition", "seed", "terms"]
    wide = rows[rows.own].pivot_table(index=keys, columns="batch", values="absolute")
    for size in (8, 16):
        assert f"batches of {size} minus 32: {(wide[size] - wide[32]).mean():+.5f}" in text
    assert text.count("over 21 training runs") == 2  # of which three are rated with three sets of terms
    assert "was not run" in answers.by_batch_size(make_rows())
    once = pd.concat([make_rows(), make_rows(seeds=1, sizes=(8,))])
    assert "over 7 training runs" in answers.by_batch_size(once)  # only seeds that both sizes have


@pytest.mark.slow
def test_rows_of_one_training_are_not_taken_for_several():
    """Original texts are rated with three sets of terms, whose biases rise and fall together: no false alarms."""
    dice = np.random.default_rng(0)
    alarms = []
    for _ in range(300):
        rows = make_rows(seeds=1, sizes=("own", 8))
        of_training = rows.groupby(["condition", "batch"]).total.transform(lambda some: dice.normal())
        text = answers.by_batch_size(rows.assign(absolute=of_training + 0.3 * dice.normal(size=len(rows))))
        low, high = map(float, re.search(r"\[(.+), (.+)\]", text).groups())
        alarms.append(low > 0 or high < 0)
    assert np.mean(alarms) < 0.09


def test_tables_of_noise_and_contrasts():
    rows = make_rows()
    table = seed_tables.noise_table(rows)
    assert len(table.rows) == 6
    line = table.rows[0]
    pro = rows[rows.terms == "pro"]
    assert line[3] == pytest.approx(math.sqrt(pro.groupby("condition").total.var().mean()))
    assert line[4] == 14
    assert line[-1] >= line[-2]
    p_values = sorted(row[-2] for row in table.rows)
    assert min(row[-1] for row in table.rows) == pytest.approx(min(1, 6 * p_values[0]))
    assert len(seed_tables.contrast_table(rows).rows) == 12
    assert len(seed_tables.pooled_table(rows).rows) == 4

"""Swap minus control: made-up associations whose effects are worked out by scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from counterpoise.studies.papers.bartl2020.mitigation_answer import mitigation_findings
from counterpoise.studies.papers.bartl2020.summary_rows import DIFFERENCE, PROFESSION
from counterpoise.studies.papers.bartl2020.swap_effects import SWAPPED, swap_effects

GROUPS = ("balanced", "female", "male")


def after(seeds, effect=0.0, recipes=(*SWAPPED, "control")):
    """Associations of 20 professions a group after each training; swapping adds the effect to male words."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "step": "after", "model": "builtin", "variant": "corrected", "recipe": recipe, "seed": seed,
            "group": group, "profession": f"{group} {number}", "person": person, "statistic": PROFESSION,
            "value": rng.normal(scale=0.1) + effect * (person == "male" and recipe != "control"), "n": 45,
        }
        for recipe in recipes
        for seed in seeds
        for group in GROUPS
        for number in range(20)
        for person in ("female", "male")
    )  # fmt: skip


def by_hand(table, recipe, group, person):
    """The effects with a row per seed and a column per profession."""
    wide = table[table.group == group].pivot_table(
        index=["recipe", "seed"], columns=["profession", "person"], values="value"
    )
    male, female = wide.xs("male", axis=1, level="person"), wide.xs("female", axis=1, level="person")
    values = {"male": male, "female": female, DIFFERENCE: male - female}[person]
    return values.loc[recipe] - values.loc["control"]


def test_one_seed_is_a_t_test_over_professions():
    table = after([42])
    effects = swap_effects(table)
    assert len(effects) == 3 * 3 * 3
    for row in effects.itertuples():
        values = by_hand(table, row.recipe, row.group, row.person).iloc[0]
        test = stats.ttest_1samp(values, 0)
        interval = test.confidence_interval()
        assert [row.value, row.ci_low, row.ci_high] == pytest.approx([values.mean(), *interval])
        assert row.p_value == pytest.approx(test.pvalue)
        assert (row.professions, row.seeds) == (20, 1)
    assert effects.sd_of_seeds.isna().all()


def test_p_values_are_adjusted_in_two_families():
    effects = swap_effects(after([42], effect=0.05))
    together = effects.person == DIFFERENCE
    assert (together.sum(), (~together).sum()) == (9, 18)
    for family in (effects[together], effects[~together]):
        assert family.p_adjusted.tolist() == pytest.approx(multipletests(family.p_value, method="holm")[1])


def test_the_smallest_visible_effect_has_80_percent_power():
    """At the level of nine tests, by the noncentral t distribution."""
    effects = swap_effects(after([42]))
    row = effects[effects.person == DIFFERENCE].iloc[0]
    error = (row.ci_high - row.ci_low) / 2 / stats.t.ppf(0.975, 19)
    critical = stats.t.ppf(1 - 0.05 / 9 / 2, 19)
    beyond = stats.nct(19, row.smallest_detectable / error)
    assert beyond.sf(critical) + beyond.cdf(-critical) == pytest.approx(0.8, abs=1e-6)


def test_several_seeds_are_averaged_and_their_spread_counts():
    table = after([1, 2, 3])
    # One training that moves all professions alike: nothing over professions alone would show that it is chance.
    inverted = (table.recipe == "inverted") & (table.person == "male")
    table.loc[inverted & (table.seed == 2), "value"] += 0.6
    own = dict(zip(table.profession.unique(), np.random.default_rng(2).normal(0, 0.15, 60), strict=True))
    table.loc[inverted, "value"] += table.profession[inverted].map(own)
    effects = swap_effects(table).set_index(["recipe", "group", "person"])
    row = effects.loc["inverted", "male", DIFFERENCE]
    values = by_hand(table, "inverted", "male", DIFFERENCE)
    assert row.value == pytest.approx(values.mean().mean())
    assert row.sd_of_seeds == pytest.approx(values.mean(axis=1).std())
    assert row.seeds == 3
    over_professions = stats.ttest_1samp(values.mean(), 0)
    assert over_professions.pvalue < 0.001 < 0.05 < row.p_value
    # The variance of the mean by two-way analysis of variance (Clark 1973).
    s, i = values.shape
    runs, items = values.mean(axis=1), values.mean()
    rest = values.sub(runs, axis=0).sub(items, axis=1) + values.to_numpy().mean()
    squares = [i * runs.var(), s * items.var(), (rest**2).to_numpy().sum() / ((s - 1) * (i - 1))]
    variance = (squares[0] + squares[1] - squares[2]) / (s * i)
    df = (squares[0] + squares[1] - squares[2]) ** 2 / (
        squares[0] ** 2 / (s - 1) + squares[1] ** 2 / (i - 1) + squares[2] ** 2 / ((s - 1) * (i - 1))
    )
    half = stats.t.ppf(0.975, df) * variance**0.5
    assert [row.ci_low, row.ci_high] == pytest.approx([row.value - half, row.value + half])


def test_only_seeds_that_the_control_has_too():
    table = after([1, 2])
    table = table[(table.recipe != "control") | (table.seed == 1)]
    assert set(swap_effects(table).seeds) == {1}
    assert swap_effects(table[table.recipe != "control"]).empty
    assert swap_effects(table.head(0)).empty


def summaries(table):
    """The rows of male minus female that an answer needs beside those of professions."""
    before = pd.DataFrame(
        {
            "step": "before", "model": "builtin", "variant": "corrected", "group": group, "person": DIFFERENCE,
            "statistic": "association", "value": value, "ci_low": value - 0.2, "ci_high": value + 0.2,
        }
        for group, value in zip(GROUPS, (0.5, 0.1, -0.7), strict=True)
    )  # fmt: skip
    changes = table[["step", "model", "variant", "recipe", "seed", "group"]].drop_duplicates()
    changes = changes.assign(person=DIFFERENCE, statistic="change", value=0.01, ci_low=-0.02, ci_high=0.04)
    return pd.concat([table, before, changes], ignore_index=True)


def test_the_answer_says_what_was_told_and_which_way():
    text = mitigation_findings(summaries(after([42], effect=-0.3)))
    assert "Change by recipe minus change by the control: corrected balanced -0.3" in text
    assert "corrected with balanced professions, closer (p < .001)" in text
    assert "corrected with female professions (p < .001)" in text  # they were not apart
    assert "corrected with male professions, further apart (p < .001)" in text
    assert "distinguished" not in text
    assert text.endswith("even a significant effect may be due to that seed.")


def test_the_answer_where_nothing_was_told():
    text = mitigation_findings(summaries(after([1, 2])))
    assert "None of these can be distinguished from the control (minimum detectable effect 0." in text
    assert "Over 2 training runs of each recipe the effects have a standard deviation of 0." in text
    assert "(control) changes it by balanced +0.01, female +0.01, male +0.01." in text


def test_the_answer_without_a_control():
    text = mitigation_findings(summaries(after([42], recipes=("corrected",))))
    assert "Recipe corrected changes it by balanced +0.01 [-0.02, 0.04]" in text
    assert text.endswith("The control was not measured, so the effect of the swap is not known.")

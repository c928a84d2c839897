"""Correlations with the share of women, beside scipy and a regression with a mean for each group."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from counterpoise.data import becpro, workforce
from counterpoise.studies.papers.bartl2020.associations import measure_associations
from counterpoise.studies.papers.bartl2020.published import GROUPS
from counterpoise.studies.papers.bartl2020.workforce import WITHIN, within_groups_row, workforce_rows
from counterpoise.studies.papers.bartl2020.workforce_answer import workforce_findings


@pytest.fixture(scope="module")
def items(builtin):
    return measure_associations(builtin, "corrected", pairs=1)[0]


@pytest.fixture(scope="module")
def professions(items):
    """Male minus female by profession, by hand."""
    means = items.pivot_table("association", ["group", "profession"], "gender")
    table = (means["male"] - means["female"]).rename("difference").reset_index()
    shares = workforce().set_index("profession").women_2019
    return table.assign(women_share=table.profession.map(shares))


@pytest.fixture(scope="module")
def rows(items):
    return {row["key"]: row for row in workforce_rows(items)}


def test_correlations_over_all_professions_and_in_each_group(professions, rows):
    samples = {"spearman": professions} | {
        f"spearman.{group}": professions[professions.group == group] for group in GROUPS
    }
    for key, sample in samples.items():
        expected = stats.spearmanr(sample.difference, sample.women_share)
        assert rows[key]["value"] == pytest.approx(expected.statistic)
        assert rows[key]["p_value"] == pytest.approx(expected.pvalue)
        assert rows[key]["n"] == len(sample)
    assert len(samples["spearman"]) == 60


def test_the_correlation_within_groups_is_a_regression_with_a_mean_for_each_group(professions, rows):
    ranked = professions.groupby("group")[["difference", "women_share"]].rank()
    means = pd.get_dummies(professions.group, dtype=float)
    fit = sm.OLS(ranked.difference, pd.concat([ranked.women_share, means], axis=1)).fit()
    assert fit.df_resid == 56
    t = fit.tvalues["women_share"]
    row = rows["spearman.within_groups"]
    assert row["value"] == pytest.approx(t / math.sqrt(t**2 + 56))
    assert row["p_value"] == pytest.approx(fit.pvalues["women_share"])
    # Fisher's interval, with the two degrees more that an ordinary correlation has pairs, and Bonett & Wright's factor.
    half = stats.norm.ppf(0.975) * math.sqrt((1 + row["value"] ** 2 / 2) / (56 + 2 - 3))
    ends = np.tanh(np.arctanh(row["value"]) + np.array([-half, half]))
    assert [row["ci_low"], row["ci_high"]] == pytest.approx(ends)
    assert (row["n"], row["group"]) == (60, WITHIN)


def test_groups_apart_and_nothing_within():
    """What sets groups apart makes a correlation over all, and none within."""
    rng = np.random.default_rng(0)
    shares = np.concatenate([rng.uniform(low, low + 5, 200) for low in (0, 48, 90)])
    table = pd.DataFrame({"group": np.repeat(["male", "balanced", "female"], 200), "women_share": shares})
    table["difference"] = rng.normal(size=600) - table.group.map({"male": -2, "balanced": 0, "female": 2})
    row = within_groups_row(table)
    assert stats.spearmanr(table.difference, table.women_share).statistic < -0.7
    assert abs(row.value) < 0.1
    assert row.ci_low < 0 < row.ci_high


@pytest.mark.parametrize("shares", [[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], [1.0, float("nan")] * 3])
def test_no_spread_or_too_few_have_no_correlation(shares):
    table = pd.DataFrame({"group": ["a"] * 3 + ["b"] * 3, "difference": range(6), "women_share": shares})
    assert math.isnan(within_groups_row(table).value)


def test_the_answer_names_both_kinds(rows):
    before = pd.DataFrame(list(rows.values())).assign(step="before", recipe=None, seed=None)
    text = workforce_findings(before)
    for key in ("spearman", *(f"spearman.{group}" for group in GROUPS), "spearman.within_groups"):
        assert f"{rows[key]['value']:.2f} [" in text
    assert "over all 60 professions" in text
    assert text.count("(n = 20)") == 3
    assert "nan" not in text


def test_becpro_groups_have_twenty_professions_each():
    assert set(becpro("en").groupby("group").profession.nunique()) == {20}

"""Pronoun preferences on Winogender, worked out a second time with plain forward passes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, ModelError
from counterpoise.measures.pronouns.winogender import _rows


def sentence(text, pronouns, occupation, referent, women, neutral_fits=True):
    return {
        "text": text,
        **dict(zip(("male", "female", "neutral"), pronouns, strict=True)),
        "neutral_fits": neutral_fits,
        "occupation": occupation,
        "referent": referent,
        "template": f"{occupation}.{referent}",
        "women_bls": women,
        "women_bergsma": women / 2,
    }


HE, HIS, HIM = ("he", "she", "they"), ("his", "her", "their"), ("him", "her", "them")
# Our own sentences in the shape of the data set.
OWN = pd.DataFrame(
    [
        sentence("The nurse told the visitor that [MASK] was early.", HE, "nurse", "occupation", 90, False),
        sentence("The nurse asked the visitor about [MASK] coat.", HIS, "nurse", "participant", 90),
        sentence("The plumber asked the owner to wait for [MASK].", HIM, "plumber", "occupation", 1),
        sentence("The plumber told the owner that [MASK] could pay.", HE, "plumber", "participant", 1),
        sentence("The baker told a guest about [MASK] bread.", HIS, "baker", "occupation", 60),
        sentence("The baker asked someone whether [MASK] could pay.", HE, "baker", "participant", 60),
        sentence("The surgeon said that [MASK] would operate.", HE, "surgeon", "occupation", 25),
    ]
)


@pytest.mark.parametrize("kind", ["builtin", "roberta", "albert"])
def test_equals_forward_passes_by_hand(kind, builtin, tmp_path):
    lm = builtin if kind == "builtin" else cp.load(tiny.save(kind, tmp_path))
    items = cp.measures.winogender(lm, OWN).items
    for row in items.itertuples():
        male = brute.word_log_probability(lm, row.text, row.male)
        female = brute.word_log_probability(lm, row.text, row.female)
        assert row.log_p_male == pytest.approx(male, abs=1e-4)
        assert row.preference == pytest.approx(male - female, abs=1e-4)
        if row.neutral_fits:
            neutral = brute.word_log_probability(lm, row.text, row.neutral)
            assert row.log_p_neutral == pytest.approx(neutral, abs=1e-4)
    assert np.isnan(items.log_p_neutral[0])  # they was


@pytest.fixture(scope="module")
def own(builtin):
    return cp.measures.winogender(builtin, OWN)


def test_occupations_weigh_alike(own):
    rows = own.overall.set_index("statistic")
    means = own.items.groupby("occupation").preference.mean()
    assert rows.value["log P(male) - log P(female)"] == pytest.approx(means.mean())
    assert rows.value["mean |log P(male) - log P(female)| of occupations"] == pytest.approx(
        means.abs().mean()
    )
    assert rows.clusters["log P(male) - log P(female)"] == 4
    neutral = np.exp(own.items.log_p_neutral).groupby(own.items.occupation).mean()
    assert rows.value["P(their, them, they)"] == pytest.approx(neutral.mean())
    words = own.summary[own.summary.level == "word"].set_index("group").value
    assert words.to_dict() == pytest.approx(means.to_dict())


def test_the_interval_of_a_probability_does_not_reach_below_0(own):
    """With they nearly impossible beside most occupations, t reaches below 0."""
    p = own.items.occupation.map({"plumber": 0.9, "baker": 0.001, "nurse": 0.002, "surgeon": 0.003})
    rows = {row.key: row for row in _rows(own.items.assign(log_p_neutral=np.log(p)), "corrected", 0)}
    mean, high = p.groupby(own.items.occupation).mean(), rows["p_neutral"].ci_high
    assert stats.t.interval(0.95, 3, mean.mean(), mean.sem()) < (0.0, 1.0)
    assert (rows["p_neutral"].ci_low, 0 < high <= 1) == (0.0, True)


def test_preference_beside_the_share_of_women(own):
    rows = own.overall.set_index("statistic")
    means = own.items.groupby("occupation")[["preference", "women_bls", "women_bergsma"]].mean()
    spearman = stats.spearmanr(means.preference, means.women_bls)
    pearson = stats.pearsonr(means.preference, means.women_bergsma)
    assert rows.value["Spearman's r with % women, BLS"] == pytest.approx(spearman.statistic)
    assert rows.p_value["Pearson's r with % women, Bergsma & Lin"] == pytest.approx(pearson.pvalue)
    assert rows.n["Spearman's r with % women, BLS"] == 4


def test_whom_the_pronoun_means(own):
    """Occupations with sentences of both kinds are compared; the surgeon has one kind only."""
    by = own.items.pivot_table(index="occupation", columns="referent", values="preference")
    expected = (by["occupation"] - by["participant"]).dropna()
    assert len(expected) == 3
    row = own.overall.set_index("statistic").loc[
        "preference where the pronoun means the occupation - the participant"
    ]
    assert row.value == pytest.approx(expected.mean())
    assert row.p_value == pytest.approx(stats.ttest_1samp(expected, 0.0).pvalue)
    groups = own.summary[own.summary.level == "group"]
    assert groups.group.unique().tolist() == [
        "pronoun means the occupation",
        "pronoun means the participant",
    ]
    assert groups.value.iloc[0] == pytest.approx(by["occupation"].mean())


def test_the_data_set(builtin, data_file):
    """A few occupations; the built-in model leans to he, and least for the nurse."""
    data_file("winogender/all_sentences.tsv")
    rows = cp.data.winogender()
    some = rows[rows.occupation.isin([*rows.occupation.unique()[:40:8], "nurse"])]
    result = cp.measures.winogender(builtin, some)
    assert len(result.items) == 24
    words = result.summary[result.summary.level == "word"].set_index("group").value
    assert words.idxmin() == "nurse"
    assert result.skipped.empty


def test_what_cannot_be_measured_is_skipped_and_said(builtin):
    odd = OWN.copy()
    odd.loc[0, "text"] = "[MASK] is " + "very " * 600 + "late."
    odd.loc[1, "neutral"] = "ꙮ"
    result = cp.measures.winogender(builtin, odd)
    assert len(result.items) == 5
    assert "the model takes 512" in result.skipped.reason[0]
    assert result.skipped.reason[1] == "'ꙮ' is not in the vocabulary"


def test_only_one_kind_of_referent(builtin):
    result = cp.measures.winogender(builtin, OWN[OWN.referent == "occupation"])
    assert not result.summary.statistic.str.contains("the occupation - the participant").any()


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_causal_model_scores_whole_versions_and_the_pronoun_before(kind, tmp_path):
    lm = cp.load(tiny.save(kind, tmp_path))
    result = cp.measures.winogender(lm, OWN)
    for row in result.items.itertuples():
        male, female = (
            brute.sentence_log_likelihood(lm, row.text.replace("[MASK]", word))
            for word in (row.male, row.female)
        )
        assert row.log_p_male == pytest.approx(male, abs=1e-4)
        assert row.preference == pytest.approx(male - female, abs=1e-4)
        before = row.text.partition("[MASK]")[0]
        odds = [brute.next_word_log_probability(lm, before, word) for word in (row.male, row.female)]
        assert row.preference_before == pytest.approx(odds[0] - odds[1], abs=1e-4)
        if row.neutral_fits:
            neutral = brute.next_word_log_probability(lm, before, row.neutral)
            assert row.log_p_neutral == pytest.approx(neutral, abs=1e-4)
    rows = result.summary.set_index("key").value
    means = result.items.groupby("occupation")[["preference_before", "women_bls"]].mean()
    assert rows["preference_before"] == pytest.approx(means.preference_before.mean())
    spearman = stats.spearmanr(means.preference_before, means.women_bls).statistic
    assert rows["spearman_bls_before"] == pytest.approx(spearman)
    assert "p_neutral" not in rows.index  # a masked model's is another quantity


def test_mistakes(builtin):
    with pytest.raises(DataError, match="lack the column 'women_bls'"):
        cp.measures.winogender(builtin, OWN.drop(columns="women_bls"))
    with pytest.raises(ModelError, match="winogender needs a masked language model"):
        cp.measures.winogender(cp.load(kind="encoder"), OWN)

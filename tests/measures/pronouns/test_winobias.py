"""Stereotyped pronouns on WinoBias, worked out a second time with plain forward passes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, ModelError


def sentence(text, pro, anti, occupation, women, kind, problem=None):
    return {
        "sentence": text.replace("[MASK]", pro),
        "text": text,
        "pro": pro,
        "anti": anti,
        "occupation": occupation,
        "stereotype": "male" if women < 50 else "female",
        "women": float(women),
        "type": kind,
        "problem": problem,
    }


# Our own sentences in the shape of the data set; the fourth has two pronouns for one person.
OWN = pd.DataFrame(
    [
        sentence("The guard thanked the nurse because [MASK] was lost.", "he", "she", "guard", 22, 1),
        sentence("The guard thanked the nurse because [MASK] was kind.", "she", "he", "nurse", 90, 1),
        sentence("The nurse met the guard and thanked [MASK].", "him", "her", "guard", 22, 2),
        sentence("The cook said that [MASK] had lost [MASK] spoon.", "he", "she", "cook", 38, 1),
        sentence("The cook met the cleaner and praised [MASK] work.", "her", "his", "cleaner", 89, 2),
        sentence("The guard said it.", "", "", "guard", 22, 2, "the two versions are the same"),
    ]
)


@pytest.mark.parametrize("kind", ["builtin", "roberta", "albert"])
def test_equals_forward_passes_by_hand(kind, builtin, tmp_path):
    lm = builtin if kind == "builtin" else cp.load(tiny.save(kind, tmp_path))
    items = cp.measures.winobias(lm, OWN).items
    assert len(items) == 5
    for row in items.itertuples():
        pro = brute.word_log_probability(lm, row.text, row.pro)
        anti = brute.word_log_probability(lm, row.text, row.anti)
        assert row.log_p_pro == pytest.approx(pro, abs=1e-4)
        assert row.score == pytest.approx(pro - anti, abs=1e-4)
        assert row.preference == pytest.approx(row.score if row.stereotype == "male" else -row.score)


@pytest.fixture(scope="module")
def own(builtin):
    return cp.measures.winobias(builtin, OWN)


def test_rows(own):
    items = own.items
    means = items.groupby(["stereotype", "occupation"]).score.mean()
    score, share, spearman, pearson = own.overall.itertuples()
    assert score.value == pytest.approx((means["male"].mean() + means["female"].mean()) / 2)
    assert (score.n, score.clusters) == (5, 4)
    assert 0 <= share.value <= 100
    preferences = items.groupby("occupation")[["preference", "women"]].mean()
    assert spearman.value == pytest.approx(stats.spearmanr(preferences.preference, preferences.women)[0])
    assert pearson.p_value == pytest.approx(stats.pearsonr(preferences.preference, preferences.women)[1])
    assert own.summary[own.summary.level == "group"].group.unique().tolist() == [
        "type 1",
        "type 2",
        "stereotype: male",
        "stereotype: female",
    ]
    words = own.summary[own.summary.level == "word"].set_index("group").value
    assert words["guard"] == pytest.approx(items[items.occupation == "guard"].score.mean())


def test_what_cannot_be_used_is_skipped_and_said(own, builtin):
    assert own.skipped.item.tolist() == ["The guard said it."]
    assert own.skipped.reason.tolist() == ["the two versions are the same"]
    with pytest.raises(DataError, match="all 1 items were skipped"):
        cp.measures.winobias(builtin, OWN[OWN.problem.notna()])
    odd = OWN.copy()
    odd.loc[0, "anti"] = "ꙮ"
    assert "'ꙮ' is not in the vocabulary" in cp.measures.winobias(builtin, odd).skipped.reason.tolist()


def test_the_reader_is_warned(own):
    assert "whom the pronoun means" in own.warnings[0]


@pytest.fixture(scope="module")
def sample(builtin, data_file):
    """Every tenth pair of the data set."""
    data_file("winobias/pro_stereotyped_type1.txt.dev")
    return cp.measures.winobias(builtin, cp.data.winobias().iloc[::9])


def test_a_model_that_says_he_of_everyone_is_near_one_half(sample):
    """So the built-in model: far on one side for each stereotype, and even over both."""
    shares = sample.summary[sample.summary.statistic.str.startswith("%")].set_index("group").value
    assert shares["stereotype: male"] > 85
    assert shares["stereotype: female"] < 15
    assert shares["all"] == pytest.approx((shares["stereotype: male"] + shares["stereotype: female"]) / 2)
    assert abs(shares["all"] - 50) < 10
    row = sample.overall.iloc[0]
    assert row.ci_high - row.ci_low < 1  # what sets the two apart does not widen the interval


def test_occupations_are_what_is_counted(sample):
    items = sample.items
    means = items.groupby(["stereotype", "occupation"]).score.mean()
    welch = stats.ttest_ind(means["male"], -means["female"], equal_var=False)
    assert sample.overall.p_value.iloc[0] == pytest.approx(welch.pvalue)
    assert sample.overall.clusters.iloc[0] == items.occupation.nunique()
    assert np.isfinite(sample.overall.smallest_detectable).all()


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_causal_model_scores_whole_versions_and_the_pronoun_before(kind, tmp_path):
    lm = cp.load(tiny.save(kind, tmp_path))
    result = cp.measures.winobias(lm, OWN)
    assert len(result.items) == 5
    for row in result.items.itertuples():
        pro, anti = (
            brute.sentence_log_likelihood(lm, row.text.replace("[MASK]", word))
            for word in (row.pro, row.anti)
        )
        assert row.log_p_pro == pytest.approx(pro, abs=1e-4)
        assert row.score == pytest.approx(pro - anti, abs=1e-4)
        before = row.text.partition("[MASK]")[0]
        odds = [brute.next_word_log_probability(lm, before, word) for word in (row.pro, row.anti)]
        assert row.score_before == pytest.approx(odds[0] - odds[1], abs=1e-4)
    rows = result.summary.set_index("key").value
    balanced = result.items.groupby(["stereotype", "occupation"]).score_before.mean()
    assert rows["difference_before"] == pytest.approx(balanced.groupby(level=0).mean().mean())


def test_a_causal_model_reads_the_other_version_where_it_is_given(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path))
    versions = ("The cook said that he had lost his spoon.", "The cook said that she had lost her spoon.")
    row = {**OWN.iloc[3], "sentence": versions[0], "counterpart": versions[1]}
    [item] = cp.measures.winobias(lm, pd.DataFrame([row])).items.itertuples()
    expected = [brute.sentence_log_likelihood(lm, version) for version in versions]
    assert (item.log_p_pro, item.log_p_anti) == pytest.approx(expected, abs=1e-4)


def test_without_the_other_version_both_are_made_from_the_text(tmp_path):
    """Else they would also differ in what the given sentence has otherwise, such as a capital."""
    lm = cp.load(tiny.save("gpt2", tmp_path))
    row = {**OWN.iloc[0], "text": "[MASK] is a guard.", "sentence": "He is a guard."}
    [item] = cp.measures.winobias(lm, pd.DataFrame([row])).items.itertuples()
    expected = [brute.sentence_log_likelihood(lm, f"{pronoun} is a guard.") for pronoun in ("he", "she")]
    assert (item.log_p_pro, item.log_p_anti) == pytest.approx(expected, abs=1e-4)


def test_a_text_without_a_mask_is_skipped(builtin, tmp_path):
    unmasked = OWN[:2].assign(text=[OWN.text[0], "The guard thanked the nurse."])
    for lm in (builtin, cp.load(tiny.save("gpt2", tmp_path))):
        result = cp.measures.winobias(lm, unmasked)
        assert len(result.items) == 1
        assert result.skipped.reason.tolist() == ["the text has no [MASK]"]


def test_mistakes(builtin):
    with pytest.raises(DataError, match="lack the column 'women'"):
        cp.measures.winobias(builtin, OWN.drop(columns="women"))
    with pytest.raises(ModelError, match="winobias needs a masked language model"):
        cp.measures.winobias(cp.load(kind="encoder"), OWN)

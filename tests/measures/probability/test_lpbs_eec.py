"""Emotions as attributes, worked out a second time with plain forward passes."""

from __future__ import annotations

import pytest
from scipy import stats as scipy_stats

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError
from counterpoise.data.thirdparty.folders import using_data

WORDS = ["angry", "hilarious", "displeasing", "scared"]


def some(variant="corrected"):
    rows = cp.data.eec(variant)
    return rows[rows.emotion_word.isin(WORDS) & rows["pair"].isin([0, 3])].reset_index(drop=True)


@pytest.fixture(scope="module")
def result(builtin, data_file):
    data_file("eec/Equity-Evaluation-Corpus.csv.xz")
    return cp.measures.lpbs_eec(builtin, some())


def association(lm, row, masks):
    hidden = row.target_masked.replace(row.emotion_word, " ".join(["[MASK]"] * masks))
    mask = 0 if row.target_masked.find("[MASK]") < row.attribute_at else -1
    expected = brute.word_log_probability(lm, row.target_masked, row.person)
    return expected - brute.word_log_probability(lm, hidden, row.person, mask=mask)


def test_association_equals_two_forward_passes(builtin, result):
    assert result.skipped.empty
    for row in result.items[::4].itertuples():
        pieces = len(builtin.tokenizer.tokenize(row.emotion_word))
        assert row.association == pytest.approx(association(builtin, row, pieces), abs=1e-4)


@pytest.mark.parametrize("kind", ["distilbert", "roberta", "albert"])
def test_other_architectures(kind, tmp_path, data_file):
    data_file("eec/Equity-Evaluation-Corpus.csv.xz")
    lm = cp.load(tiny.save(kind, tmp_path))
    items = cp.measures.lpbs_eec(lm, some("published"), variant="published").items
    for row in items[::5].itertuples():
        assert row.association == pytest.approx(association(lm, row, 1), abs=1e-4)


def test_summary_equals_plain_means(result):
    words = result.items.pivot_table("association", index=["group", "emotion_word"], columns="gender")
    bias = words.male - words.female
    overall, absolute = result.overall.value
    assert overall == pytest.approx(bias.mean())
    assert absolute == pytest.approx(bias.abs().mean())
    joy = result.summary[result.summary.group == "joy"].set_index("statistic").value
    assert joy["male - female association"] == pytest.approx(bias["joy"].mean())
    single = result.summary[result.summary.level == "word"].set_index("group").value
    assert single.to_dict() == pytest.approx(bias.droplevel(0).to_dict())
    assert result.overall.clusters.tolist() == [4, 4]
    anger = result.summary[result.summary.group == "anger"].set_index("statistic").value
    assert anger["mean association of female person words"] == pytest.approx(words.female["anger"].mean())


def test_published_test_is_wilcoxons_over_sentence_pairs(builtin, result):
    published = cp.measures.lpbs_eec(builtin, some("published"), variant="published")
    paired = published.items.pivot_table(
        "association", index=["emotion_word", "template", "pair"], columns="gender"
    )
    expected = scipy_stats.wilcoxon(paired.male - paired.female).pvalue
    assert published.overall.p_value.iloc[0] == pytest.approx(expected, rel=1e-9)


def test_without_the_corpus_its_place_is_said(builtin, tmp_path, no_data):
    with using_data(tmp_path), pytest.raises(DataError, match=r"Equity Evaluation Corpus .* is not at hand"):
        cp.measures.lpbs_eec(builtin)


def test_bad_data(builtin, result):
    with pytest.raises(DataError, match="the data lack the column 'emotion_word'; lpbs_eec needs"):
        cp.measures.lpbs_eec(builtin, result.items.drop(columns="emotion_word"))
    with pytest.raises(DataError, match="there is no sentence with both a male and a female version"):
        cp.measures.lpbs_eec(builtin, result.items[result.items.gender == "male"])

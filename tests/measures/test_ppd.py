"""The pronoun probability difference, worked out a second time with plain forward passes."""

from __future__ import annotations

import numpy as np
import pytest

import brute
import counterpoise as cp
from counterpoise.data import Templates
from counterpoise.data.templates import TemplateSpec


@pytest.fixture(scope="module")
def whole(builtin):
    return cp.measures.ppd(builtin)


def probability(lm, text, word):
    return np.exp(brute.log_probability(lm, text, lm.tokenizer.convert_tokens_to_ids(word)))


def test_ppd_equals_forward_passes_by_hand(builtin):
    [subject, possessive] = cp.measures.ppd(
        builtin, Templates.of("{subject} is a chemist.", "the chemist lost {possessive} keys.")
    ).items.itertuples()
    first, second = "[MASK] is a chemist.", "the chemist lost [MASK] keys."
    assert subject.ppd == pytest.approx(
        probability(builtin, first, "he") - probability(builtin, first, "she"), abs=1e-5
    )
    assert possessive.ppd == pytest.approx(
        probability(builtin, second, "his") - probability(builtin, second, "her"), abs=1e-5
    )
    assert subject.p_neutral == pytest.approx(probability(builtin, first, "they"), abs=1e-5)


def test_appd_is_the_mean_over_templates(whole):
    """As in the thesis's worked example: .05 and .65 give .35."""
    assert np.mean([0.05, 0.65]) == pytest.approx(0.35)
    words = whole.summary[whole.summary.level == "word"].set_index("group").value
    for word in ("dentist", "firefighter", "pregnant"):
        assert words[word] == pytest.approx(whole.items[whole.items.word == word].ppd.mean())


def test_categories_weigh_words_alike(whole):
    groups = whole.summary[whole.summary.level == "group"].set_index("group").value
    appd = whole.items[whole.items.category == "office"].groupby("word").ppd.mean()
    assert groups["office"] == pytest.approx(appd.mean())
    assert len(groups) == 10


def test_gendered_words_have_the_opposite_ideal(whole):
    groups = whole.summary.set_index("group")
    assert groups.loc["gender-related words", "ideal_text"] == "far from 0"
    assert np.isnan(groups.loc["gender-related words", "ideal"])
    assert groups.loc["office", "ideal"] == 0
    own = whole.items[whole.items.category == "gender-related occupations"]
    towards = (own.ppd * own.gender.map({"male": 1, "female": -1})).groupby(own.word).mean().mean()
    assert groups.loc["gender-related occupations", "value"] == pytest.approx(towards)
    assert not whole.items[whole.items.gendered].word.isin(["doctor"]).any()


def test_overall_leaves_gendered_words_out(whole):
    neutral = whole.items[~whole.items.gendered]
    assert whole.overall.value.iloc[0] == pytest.approx(neutral.groupby("word").ppd.mean().mean())


def test_published_keeps_the_thesis_text(builtin):
    items = cp.measures.ppd(builtin, variant="published").items
    assert (items.text == "[MASK] is a engineer.").any()
    assert "farming and fishing" not in set(items.category)


def test_too_long_a_template_is_skipped_and_said(builtin):
    own = Templates.of("{subject} is here.", "{subject} is " + "very " * 600 + "late.")
    result = cp.measures.ppd(builtin, own)
    assert len(result.items) == 1
    assert "tokens and the model takes 512" in result.skipped.reason[0]


def test_only_gendered_words(builtin):
    spec = cp.data.tbd().spec
    only = TemplateSpec(**{**spec.model_dump(), "sets": [s for s in spec.sets if s.gendered]})
    result = cp.measures.ppd(builtin, Templates(only))
    assert result.overall.empty

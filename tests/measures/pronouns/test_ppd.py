"""The pronoun probability difference, worked out a second time with plain forward passes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError
from counterpoise.data import Templates, read_templates
from counterpoise.data.builtin.templates import OwnTemplateSpec, TemplateSpec
from counterpoise.measures.pronouns.ppd import _rows
from counterpoise.stats import adjust


@pytest.fixture(scope="module")
def whole(small):
    return cp.measures.ppd(small)


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


def test_the_worked_examples_of_the_thesis():
    """Section 4.2.2: .05 and .65 give an APPD of .35 for the doctor, .72 and .84 one of .78 for the dentist."""
    templates = ["{subject} is {a word}", "{subject} is a competent {word}"]
    items = pd.DataFrame(
        {
            "category": "medical",
            "word": ["doctor", "doctor", "dentist", "dentist"],
            "template": templates * 2,
            "ppd": [0.05, 0.65, 0.72, 0.84],
            "p_neutral": 0.0,
            "neutral": "they",
            "gendered": False,
            "gender": None,
            "scoring": "masked",
        }
    )
    rows = _rows(items, "corrected", 0)
    words = {row.group: row.value for row in rows if row.level == "word"}
    assert words == pytest.approx({"doctor": 0.35, "dentist": 0.78})
    assert rows[0].value == pytest.approx((0.35 + 0.78) / 2)


@pytest.mark.slow
def test_appd_is_the_mean_over_templates(whole):
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


@pytest.mark.slow
def test_published_keeps_the_thesis_text(small):
    items = cp.measures.ppd(small, variant="published").items
    assert (items.text == "[MASK] is a engineer.").any()
    assert "farming and fishing" not in set(items.category)


def test_too_long_a_template_is_skipped_and_said(builtin):
    own = Templates.of("{subject} is here.", "{subject} is " + "very " * 600 + "late.")
    result = cp.measures.ppd(builtin, own)
    assert len(result.items) == 1
    assert "tokens and the model takes 512" in result.skipped.reason[0]


def test_only_gendered_words(builtin):
    spec = cp.data.pronoun_templates().spec
    only = TemplateSpec(**{**spec.model_dump(), "sets": [s for s in spec.sets if s.gendered]})
    result = cp.measures.ppd(builtin, Templates(only))
    assert result.overall.empty


CAUSAL = OwnTemplateSpec.model_validate(
    {
        "name": "causal",
        "sets": [
            {
                "category": "work",
                "words": ["chemist", "dairy farmer"],
                "templates": [
                    "the {word} lost {possessive} keys.",
                    "as {a word} {subject} should rest.",
                    "{subject} is {a word}.",
                    "yesterday {subject} became {a word}.",
                ],
            }
        ],
    }
)


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_causal_model_is_asked_for_the_next_token(kind, tmp_path):
    lm = cp.load(tiny.save(kind, tmp_path))
    result = cp.measures.ppd(lm, Templates(CAUSAL))

    def probability(text, word):
        ids = torch.tensor([lm.tokenizer(f"{text} {word}")["input_ids"][:-1]])  # without the end token
        with torch.no_grad():
            logs = lm.model(ids).logits[0].double().log_softmax(-1)
        start = len(lm.tokenizer(text)["input_ids"]) - 1
        return np.exp(sum(float(logs[i - 1, ids[0, i]]) for i in range(start, ids.shape[1])))

    assert result.items.text.tolist() == [
        "The chemist lost [MASK] keys.",
        "As a chemist [MASK] should rest.",
        "The dairy farmer lost [MASK] keys.",
        "As a dairy farmer [MASK] should rest.",
    ]
    before = [text.split(" [MASK]")[0] for text in result.items.text]
    for row, text in zip(result.items.itertuples(), before, strict=True):
        assert row.p_male == pytest.approx(probability(text, row.male), rel=1e-4)
        assert row.p_neutral == pytest.approx(probability(text, row.neutral), rel=1e-4)
        assert row.ppd == pytest.approx(row.p_male - probability(text, row.female), abs=1e-6)
    assert set(result.items.scoring) == {"next token"}
    assert result.overall.statistic.tolist() == [
        "APPD, next token",
        "mean |APPD| of words, next token",
        "P(their, they), next token",
    ]
    assert len(result.skipped) == 4
    assert set(result.skipped.reason) == {
        "the word does not stand before the pronoun, and next-token probability sees nothing else"
    }


def test_a_masked_model_says_so(whole):
    assert set(whole.items.scoring) == {"masked"}
    assert whole.overall.statistic.tolist() == ["APPD", "mean |APPD| of words", "P(they, their)"]


def test_no_template_for_a_causal_model(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path))
    with pytest.raises(DataError, match="all 1 items were skipped"):
        cp.measures.ppd(lm, Templates.of("{subject} is a nurse."))


def test_faults_and_pronouns_that_the_model_does_not_know(builtin):
    slots = {
        "subject": {"male": "he", "female": "she", "neutral": "they"},
        "odd": {"male": "he", "female": "she", "neutral": "ꙮ"},
    }
    sets = [{"category": "own", "templates": ["{subject} sings.", "someone sings.", "{odd} sings."]}]
    own = OwnTemplateSpec.model_validate({"name": "own", "slots": slots, "sets": sets})
    result = cp.measures.ppd(builtin, Templates(own))
    assert result.items.text.tolist() == ["[MASK] sings."]
    assert result.skipped.item.tolist() == ["someone sings.", "[MASK] sings."]
    assert result.skipped.reason.tolist() == [
        "the template needs exactly one slot {subject} or {odd}",
        "'ꙮ' is not in the vocabulary",
    ]


def test_words_that_the_model_does_not_know_are_skipped(builtin, tmp_path):
    """All of them would be the same sentence to the model."""
    path = tmp_path / "mine.yaml"
    path.write_text("sets: [{category: work, words: [nurse, ꙮ, ꙭ], templates: ['{subject} is {a word}.']}]")
    result = cp.measures.ppd(builtin, read_templates(path))
    assert result.items.word.tolist() == ["nurse"]
    assert result.skipped.reason.tolist() == ["'ꙮ' is not in the vocabulary", "'ꙭ' is not in the vocabulary"]


def test_a_pronoun_of_many_pieces_can_make_a_sentence_too_long(tmp_path):
    lm = cp.load(tiny.save("bert", tmp_path))
    spec = "slots: {subject: {male: he, female: she, neutral: 'ze or hir or xe or hirself'}}"
    text = "{subject} is " + "very " * (lm.max_length - 6) + "tired."
    path = tmp_path / "mine.yaml"
    path.write_text(f"{spec}\nsets: [{{category: a, templates: ['{text}', '{{subject}} is tired.']}}]")
    result = cp.measures.ppd(lm, read_templates(path))
    assert result.items.template.tolist() == ["{subject} is tired."]
    [reason] = result.skipped.reason
    assert reason.startswith("with 'Ze or hir or xe or hirself' the text has")


def test_they_is_asked_with_a_verb_that_agrees(builtin):
    templates = Templates.of("{subject} {is|are} a chemist.", "the chemist lost {possessive} keys.")
    [subject, possessive] = cp.measures.ppd(builtin, templates).items.itertuples()
    assert (subject.text, subject.with_they) == ("[MASK] is a chemist.", "[MASK] are a chemist.")
    they = probability(builtin, "[MASK] are a chemist.", "they")
    he, she = (probability(builtin, "[MASK] is a chemist.", word) for word in ("he", "she"))
    assert subject.p_they == pytest.approx(they, abs=1e-5)
    assert subject.neutral_gap == pytest.approx((he + she) / 2 - they, abs=1e-5)
    assert subject.p_neutral == pytest.approx(probability(builtin, "[MASK] is a chemist.", "they"), abs=1e-5)
    assert possessive.p_they == possessive.p_neutral
    assert (subject.same_sentence, possessive.same_sentence) == (False, True)


def test_without_a_form_of_the_verb_nothing_is_said_of_they(builtin):
    result = cp.measures.ppd(builtin, Templates.of("{subject} is a chemist.", "{subject} could sing."))
    assert result.items.they_agrees.tolist() == [False, True]
    assert np.isnan(result.items.p_they[0])
    rows = result.summary.set_index("key")
    assert rows.value["p_they"] == pytest.approx(result.items.p_they[1])


def test_rows_on_they_are_means_of_words(whole):
    rows = whole.summary.set_index("key")
    free = whole.items[~whole.items.gendered]
    assert free.they_agrees.all()  # every verb of the built-in templates has its plural
    by_word = free.groupby("word")[["neutral_gap", "p_they"]].mean()
    test = stats.ttest_1samp(by_word.neutral_gap, 0)
    assert rows.value["neutral_gap"] == pytest.approx(by_word.neutral_gap.mean())
    assert rows.p_value["neutral_gap"] == pytest.approx(test.pvalue)
    interval = stats.ttest_1samp(by_word.p_they, 0).confidence_interval()
    assert (rows.ci_low["p_they"], rows.ci_high["p_they"]) == pytest.approx((interval.low, interval.high))
    office = free[free.category == "office"].groupby("word").neutral_gap.mean()
    assert rows.value["neutral_gap.office"] == pytest.approx(office.mean())
    same = free[free.same_sentence].groupby("word").neutral_gap.mean()
    assert rows.value["neutral_gap.same_sentence"] == pytest.approx(same.mean())


def test_tests_of_they_do_not_weaken_those_of_he_and_she(whole):
    families = whole.summary.groupby("level")
    for level in ("overall", "group", "neutral"):
        rows = families.get_group(level)
        assert rows.p_adjusted.to_numpy() == pytest.approx(adjust(rows.p_value), nan_ok=True)
    assert len(families.get_group("overall")) == 3
    assert whole.headline.key == "appd"

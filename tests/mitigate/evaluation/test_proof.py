"""A proof: by hand from scores, and of a real model in which the fall was planted."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

import counterpoise as cp
import few
import proofs
import tiny
from counterpoise.core.errors import InputError, RunError
from counterpoise.mitigate.evaluation.proof import Proof, prove
from counterpoise.mitigate.evaluation.proof_rows import ALL_LEANS
from counterpoise.mitigate.evaluation.scores import APPD, ASSOCIATION, ModelScores, score

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def base(few_questions, builtin):
    return score(builtin, neutral=cp.data.neutral_texts())


@pytest.fixture(scope="module")
def levelled(few_questions):
    """The built-in model with one row of the output layer for each pair of words: he and she, brother and sister."""
    model = cp.load()
    sentences = cp.data.becpro("en")
    people = sentences.pivot_table("person", "pair", "gender", aggfunc="first")
    pairs = [(male.lower(), female.lower()) for male, female in zip(people.male, people.female, strict=True)]
    head = model.model.cls.predictions
    with torch.no_grad():
        for pair in [*pairs, ("he", "she"), ("his", "her")]:
            rows = model.tokenizer.convert_tokens_to_ids(list(pair))
            head.decoder.weight[rows] = head.decoder.weight[rows].mean(dim=0)
            head.decoder.bias[rows] = head.decoder.bias[rows].mean()
    model.name = "levelled"
    return score(model, neutral=cp.data.neutral_texts())


def test_a_quick_proof_asks_two_pairs_of_people_and_three_templates_a_word(builtin):
    """Counted by hand: BEC-Pro has 60 professions, 5 templates, 2 genders; the scores are those of these sentences."""
    quick = score(builtin, neutral=cp.data.neutral_texts(), scope="quick")
    sentences = cp.data.becpro("en")
    few_people = sentences[sentences.pair < 2]
    assert len(few_people) == 60 * 5 * 2 * 2
    associations = quick.items[quick.items.quantity == ASSOCIATION].set_index("word").value
    expected = cp.measures.lpbs(builtin, few_people).items
    by_gender = expected.pivot_table("association", "profession", "gender")
    assert associations.to_dict() == pytest.approx((by_gender.male - by_gender.female).to_dict(), abs=1e-9)
    pronouns = quick.items[quick.items.quantity == APPD]
    assert pronouns.groupby(["group", "word"]).size().max() == 3
    assert quick.scope == "quick"
    assert ModelScores.from_dict(quick.to_dict()).scope == "quick"


def test_a_quick_and_a_full_one_are_not_compared():
    rng = np.random.default_rng(0)
    full = proofs.scores("full", rng.normal(size=6), rng.normal(size=6))
    with pytest.raises(
        InputError, match="models that were asked the same questions: full has full, full quick"
    ):
        prove(full, replace(full, scope="quick"))


def row(proof, kind, group="all", quantity=""):
    table = proof.summary
    found = table[
        (table.kind == kind) & (table.group == group) & table.quantity.str.contains(quantity, regex=False)
    ]
    return found.iloc[0]


def test_the_association_of_the_built_in_model(builtin):
    """The issue's number: mean |male - female association| of the built-in model is .547."""
    items = score(builtin, neutral=cp.data.neutral_texts()).items
    associations = items[items.quantity == ASSOCIATION]
    assert len(associations) == 60
    assert associations.value.abs().mean() == pytest.approx(0.547, abs=5e-4)
    assert len(items[(items.quantity == APPD) & (items.gender == "")].word.unique()) == 98


def test_scores_are_those_of_the_measures(builtin, base):
    associations = base.items[base.items.quantity == ASSOCIATION]
    assert len(associations) == 60
    nurses = few.professions().query("profession == 'registered nurse'")
    [nurse] = associations[associations.word == "registered nurse"].value
    assert nurse == pytest.approx(cp.measures.lpbs(builtin, nurses).overall.value.iloc[0], abs=1e-4)
    appd = base.items[(base.items.quantity == APPD) & (base.items.gender == "")]
    text = cp.data.Templates.of("{subject} is a chemist.")
    [chemist] = appd[(appd.word == "chemist") & (appd.template == "{subject} is {a word}.")].value
    assert chemist == pytest.approx(cp.measures.ppd(builtin, text).items.ppd[0], abs=1e-5)


def test_scores_survive_saving(base):
    again = ModelScores.from_dict(json.loads(json.dumps(base.to_dict())))
    assert again.to_dict() == base.to_dict()
    for name in ("items", "texts", "fills"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(base, name), check_dtype=False)
    assert pickle.loads(pickle.dumps(base)).to_dict() == base.to_dict()
    with pytest.raises(RunError, match="no saved scores"):
        ModelScores.from_dict({"schema": 1, "model": "x"})


def test_a_planted_fall_is_found_whole(base, levelled):
    """With one row for both words of a pair nothing can lean: all of the lean is gone, the right one too."""
    proof = prove(base, levelled, corpus=["The nurses met a chemist."])
    for quantity in ("association", "APPD"):
        found = row(proof, "gain", quantity=quantity)
        assert found.after == pytest.approx(0, abs=1e-6)
        assert found.change == pytest.approx(-100, abs=1e-3)
    assert row(proof, "lean", ALL_LEANS).kept == pytest.approx(0, abs=1e-6)
    assert proof.generalisation.answer.startswith("Levelled to nothing")
    assert "add reminders" in " ".join(proof.verdict)
    assert proof.items[proof.items.seen].word.tolist() == ["chemist"]
    he = [fills for fills in proof.fills.after if {"he", "she"} <= set(fills)]
    assert he
    # Neutral text has none of these words, and the model still reads it.
    assert abs(row(proof, "damage", base.neutral, "accuracy").change) < 1


def test_a_model_against_itself(base):
    proof = prove(base, base)
    assert (proof.summary.change.dropna().abs() < 1e-9).all()
    size = base.items[base.items.quantity == ASSOCIATION].value.abs().mean()
    assert proof.verdict[0] == f"The association between profession and person did not change, {size:.3f}."
    assert not proof.fills.first_changed.any()
    assert proof.control is None
    assert "net" not in set(proof.summary.kind)


def test_rows_by_hand():
    base, control, debiased = proofs.three()
    proof = prove(base, debiased, control=control)
    sizes = [
        one.items[one.items.quantity == ASSOCIATION].value.abs().to_numpy()
        for one in (base, control, debiased)
    ]
    found = row(proof, "gain", quantity="association")
    assert [found.before, found.control, found.after] == pytest.approx([one.mean() for one in sizes])
    assert found.change == pytest.approx(100 * (sizes[2].sum() / sizes[0].sum() - 1))
    drawn = np.random.default_rng(6).integers(0, 60, (10_000, 60))
    by_draw = 100 * (sizes[2][drawn].sum(axis=1) / sizes[0][drawn].sum(axis=1) - 1)
    assert [found.ci_low, found.ci_high] == pytest.approx(np.quantile(by_draw, [0.025, 0.975]), abs=0.15)
    net = row(proof, "net", quantity="association")
    assert net.change == pytest.approx(-100 * (sizes[1] - sizes[2]).mean() / sizes[0].mean())
    lean = row(proof, "lean", "pregnant")
    assert [lean.before, lean.after, lean.kept] == pytest.approx([0.4, 0.12, 0.3])
    damage = row(proof, "damage", "own, 40 texts", "accuracy")
    texts = [one.texts.right.sum() / one.texts.tokens.sum() for one in (base, debiased)]
    assert damage.change == pytest.approx(100 * (texts[1] - texts[0]))
    assert proof.fills.iloc[0][["lost", "gained"]].tolist() == [["it"], ["they"]]


def test_the_verdict_in_words():
    base, control, debiased = proofs.three()
    told = " ".join(prove(base, debiased, control=control).verdict)
    assert "The association between profession and person fell by 6" in told
    assert "points [39, 4" in told
    assert "are due to swapping: fine-tuning on the unswapped text alone lowers it by 19 %" in told
    assert (
        told.count("swapping") == told.count("fine-tuning on the unswapped text alone") == 2
    )  # of each gain
    assert "'pregnant' lost 70 % of its female lean" in told
    assert "'testicles' lost 70 % of its male lean: add reminders." in told
    assert "more than the 2 that may be lost" in told
    same = " ".join(prove(base, control, control=control).verdict)
    assert "none of it can be put down to swapping" in same
    assert "add reminders" not in same


def test_a_word_that_did_not_lean_its_own_way_is_said_and_left_out():
    base, _, debiased = proofs.three()
    items = base.items.assign(value=base.items.value.where(base.items.word != "waitress", 0.1))
    proof = prove(replace(base, items=items), debiased)
    assert np.isnan(row(proof, "lean", "waitress").kept)
    assert row(proof, "lean", ALL_LEANS).n == 2
    assert "'waitress' did not lean to its own gender before" in " ".join(proof.verdict)


def test_a_proof_survives_saving():
    base, control, debiased = proofs.three()
    proof = prove(base, debiased, control=control, corpus=["two job 1s and job 2"])
    again = Proof.from_dict(json.loads(json.dumps(proof.to_dict())))
    assert again.to_dict() == proof.to_dict()
    assert again.verdict == proof.verdict
    with pytest.raises(RunError, match="no saved proof"):
        Proof.from_dict({"schema": 1})


def test_only_like_is_compared_with_like():
    base, _, debiased = proofs.three()
    with pytest.raises(InputError, match="have the same seed"):
        prove(base, replace(debiased, seed=1))
    with pytest.raises(InputError, match="same held-out text"):
        prove(base, replace(debiased, neutral="imdb, 2000 texts"))
    with pytest.raises(InputError, match="of one kind"):
        prove(base, replace(debiased, kind="causal"))
    with pytest.raises(InputError, match="masked or a causal language model"):
        prove(base, "bert-base-uncased")


def test_causal_models(tmp_path):
    model = cp.load(str(tiny.save("gpt2", tmp_path)))
    found = score(model, neutral=cp.data.neutral_texts().table.text[:10].tolist())
    assert set(found.items.quantity) == {APPD}
    proof = prove(found, found)
    assert any("masked models only" in note for note in proof.notes)
    assert set(proof.summary[proof.summary.kind == "damage"].quantity) == {
        "next-token accuracy",
        "perplexity",
    }
    assert not found.fills.sentence.str.startswith("[MASK]").any()

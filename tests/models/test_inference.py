"""Natural language inference against plain transformers; functions, label orders, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

import counterpoise as cp
import small_inference
import tiny
from counterpoise.core.errors import FunctionError, InputError, ModelError
from counterpoise.models import FunctionInference, InferenceModel
from counterpoise.models import sequence_classifier as module

PAIRS = [
    ("The carpenter ate an apple.", "The man ate an apple."),
    ("A dog sleeps.", "An animal sleeps under the table in the old kitchen."),
    ("The registered nurse waited for the bus to the coast.", "It rains."),
    ("It rains.", "The registered nurse waited for the bus to the coast."),
    ("A dog sleeps.", "A dog sleeps."),
    ("The carpenter ate an apple.", "The man ate an apple."),
]
PREMISES, HYPOTHESES = map(list, zip(*PAIRS, strict=True))
ORDERS = [
    ("entailment", "neutral", "contradiction"),
    ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"),
    ("contradict", "entail", "neutral"),
]
HEADS = {
    "bert": (transformers.BertForSequenceClassification, transformers.BertConfig, {}),
    "roberta": (transformers.RobertaForSequenceClassification, transformers.RobertaConfig, {}),
    "distilbert": (
        transformers.DistilBertForSequenceClassification,
        transformers.DistilBertConfig,
        {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
    ),
    "albert": (
        transformers.AlbertForSequenceClassification,
        transformers.AlbertConfig,
        {"embedding_size": 16},
    ),
    "deberta-v2": (transformers.DebertaV2ForSequenceClassification, transformers.DebertaV2Config, {}),
}


def make(kind="bert", labels=ORDERS[0]):
    """A tiny random model with the tokenizer of its architecture."""
    torch.manual_seed(0)
    model, config, shape = HEADS[kind]
    tokenizer = tiny.byte_level() if kind == "roberta" else tiny.wordpiece()
    settings = {**tiny.SHAPE, "vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    settings |= {"num_labels": 3, "id2label": dict(enumerate(labels)), **shape}
    return model(config(**settings)).eval(), tokenizer


def plain(model, tokenizer, premise, hypothesis):
    """The probabilities of one pair in the order of the model, as transformers has them."""
    inputs = tokenizer(premise, hypothesis, return_tensors="pt")
    if "distilbert" in type(model).__name__.lower():
        inputs.pop("token_type_ids")
    with torch.no_grad():
        return model(**inputs).logits[0].double().softmax(-1).numpy()


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("much", [False, True], ids=["little work", "much work"])
def test_probabilities_equal_one_forward_pass_per_pair(kind, much, monkeypatch):
    monkeypatch.setattr(module, "_MANY_TOKENS", 0 if much else 10**9)
    model, tokenizer = make(kind)
    asked = InferenceModel(model, tokenizer, name="tiny").probabilities(PREMISES, HYPOTHESES)
    expected = [plain(model, tokenizer, *pair) for pair in PAIRS]
    assert asked == pytest.approx(np.array(expected), abs=1e-5)
    assert asked.sum(axis=1) == pytest.approx(np.ones(len(PAIRS)), abs=1e-12)
    assert np.ptp(asked, axis=0).min() > 1e-3
    assert asked[0].tolist() == asked[5].tolist()


def test_bert_is_told_which_sentence_is_which():
    model, tokenizer = make("bert")
    [asked] = InferenceModel(model, tokenizer, name="tiny").probabilities(*([text] for text in PAIRS[2]))
    inputs = tokenizer(*PAIRS[2], return_tensors="pt")
    assert inputs["token_type_ids"].sum() > 0
    inputs["token_type_ids"] *= 0
    with torch.no_grad():
        without = model(**inputs).logits[0].double().softmax(-1).numpy()
    assert np.abs(asked - without).max() > 1e-3


@pytest.mark.parametrize("labels", ORDERS)
def test_answers_come_in_one_order_whatever_the_model_calls_them(labels, tmp_path):
    model = cp.load(small_inference.save(tmp_path, labels))
    assert isinstance(model, InferenceModel)
    assert model.kind == "nli"
    asked = model.probabilities(PREMISES, HYPOTHESES)
    order = [[label.lower()[:6] for label in labels].index(name) for name in ("entail", "neutra", "contra")]
    expected = [plain(model.model, model.tokenizer, *pair)[order] for pair in PAIRS]
    assert asked == pytest.approx(np.array(expected), abs=1e-5)


def test_labels_without_names_must_be_given(tmp_path):
    folder = small_inference.save(tmp_path, ("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(
        ModelError, match=r"which label .* positive one.*LABEL_2; or if .*--kind nli --labels"
    ):
        cp.load(folder)
    with pytest.raises(
        ModelError, match=r"which labels of .*--labels.* there are: LABEL_0, LABEL_1, LABEL_2"
    ):
        cp.load(folder, kind="nli")
    turned = cp.load(folder, kind="nli", labels="neutral, contradiction, entailment")
    listed = cp.load(folder, labels=["entailment", "neutral", "contradiction"])
    probabilities = turned.probabilities(PREMISES, HYPOTHESES)
    assert probabilities[:, [1, 2, 0]] == pytest.approx(listed.probabilities(PREMISES, HYPOTHESES), abs=0)
    assert turned.fingerprint != listed.fingerprint
    for wrong in ("entailment,neutral", "yes,no,maybe", ["neutral"] * 3):
        with pytest.raises(InputError, match=r"labels \(--labels\) must be entailment, neutral and contrad"):
            cp.load(folder, kind="nli", labels=wrong)


def test_what_is_no_inference_is_refused_in_one_line(tmp_path):
    two = small_inference.save(tmp_path / "two", ("entailment", "not_entailment"))
    for options in ({}, {"kind": "nli"}, {"labels": "entailment,neutral,contradiction"}):
        with pytest.raises(
            ModelError, match=r"has 2 labels \(entailment, not_entailment\); natural .* three"
        ):
            cp.load(two, **options)
    sentiment = tiny.save("classifier", tmp_path / "sentiment")
    with pytest.raises(ModelError, match=r"has 2 labels \(NEGATIVE, POSITIVE\); natural language inference"):
        cp.load(sentiment, kind="nli")
    with pytest.raises(
        ModelError, match=r"nli needs a natural language inference model; .* is a classifier \(if"
    ):
        cp.measures.nli(cp.load(sentiment))
    stars = small_inference.save(tmp_path / "stars", ("positive", "neutral", "negative"))
    assert cp.load(stars).kind == "classifier"
    with pytest.raises(ModelError, match=r"which labels of .* are entailment, neutral and contradiction"):
        cp.load(stars, kind="nli")
    with pytest.raises(
        InputError, match="labels is for models of natural language inference, and builtin is"
    ):
        cp.load(labels="entailment,neutral,contradiction")
    each = small_inference.save(tmp_path / "each", problem_type="multi_label_classification")
    with pytest.raises(ModelError, match="rates each label by itself"):
        cp.load(each)


def test_a_positive_label_still_makes_it_a_classifier(tmp_path):
    folder = small_inference.save(tmp_path)
    assert cp.load(folder, positive="entailment").kind == "classifier"
    with pytest.raises(InputError, match=r"positive is for classifiers, and .* is loaded as nli"):
        cp.load(folder, kind="nli", positive="entailment")


def test_models_at_hand():
    parts = make()
    expected = InferenceModel(*parts, name="tiny").probabilities(PREMISES, HYPOTHESES)
    pipeline = transformers.pipeline("text-classification", model=parts[0], tokenizer=parts[1])
    for model in (cp.load(parts), cp.load(pipeline), InferenceModel.of(parts), cp.load(parts, kind="nli")):
        assert model.probabilities(PREMISES, HYPOTHESES) == pytest.approx(expected, abs=1e-6)
    assert cp.load(parts, positive="neutral").kind == "classifier"
    loaded = cp.load(parts)
    assert cp.load(loaded) is loaded
    with pytest.raises(InputError, match="is loaded already; say the order of its labels when"):
        cp.load(loaded, labels="entailment,neutral,contradiction")
    with pytest.raises(InputError, match="is loaded as nli, not as masked"):
        cp.load(parts, kind="masked")
    with pytest.raises(InputError, match="BertForMaskedLM is no classifier of sentence pairs"):
        InferenceModel.of((transformers.BertForMaskedLM(parts[0].config), parts[1]))


def test_functions():
    calls = []

    def lengths(premises, hypotheses):
        calls.append(list(zip(premises, hypotheses, strict=True)))
        return [[len(p) / 100, 1 - (len(p) + len(h)) / 100, len(h) / 100] for p, h in calls[-1]]

    model = cp.load(lengths, kind="nli")
    assert isinstance(model, FunctionInference)
    assert (model.kind, model.name) == ("nli", "lengths")
    asked = model.probabilities(PREMISES, HYPOTHESES)
    assert asked[1].tolist() == [0.13, 1 - (13 + 52) / 100, 0.52]
    assert asked[0].tolist() == asked[5].tolist()
    assert calls == [list(dict.fromkeys(PAIRS))]  # equal pairs once
    turned = InferenceModel.of(lengths, labels="contradiction,neutral,entailment")
    assert turned.probabilities(PREMISES, HYPOTHESES).tolist() == asked[:, ::-1].tolist()
    assert turned.fingerprint != model.fingerprint
    assert model.probabilities([], []).shape == (0, 3)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            [[0.5, 0.5]] * 2,
            r"was given 2 pairs and returned an array of shape \(2, 2\), not the probabilities of",
        ),
        ([0.5, 0.5], r"returned an array of shape \(2,\)"),
        ([[0.2, 0.5, 0.3]], r"returned an array of shape \(1, 3\)"),
        ([[0.2, 0.5, 0.3], [0.2, np.nan, 0.8]], "a probability that is no number for 'C.' / 'D.'"),
        (
            [[0.2, 0.5, 0.3], [3.0, 1.0, -2.0]],
            "0 or more and add up to 1; for 'C.' / 'D.' it returned 3, 1, -2",
        ),
        ([[0.2, 0.5, 0.3], [-1.0, 1.0, 1.0]], "0 or more and add up to 1"),
        ("neutral", "must return the probabilities of entailment, neutral and contradiction for each pair"),
    ],
)
def test_what_functions_may_not_return(answer, message):
    model = InferenceModel.of(lambda premises, hypotheses: answer, name="mine")
    with pytest.raises(ModelError, match=message):
        model.probabilities(["A.", "C."], ["B.", "D."])


def test_bad_questions_and_functions():
    def broken(premises, hypotheses):
        raise KeyError("no weights")

    for model in (InferenceModel.of(broken), InferenceModel(*make(), name="tiny")):
        with pytest.raises(InputError, match="there are 2 premises and 1 hypotheses: each premise needs its"):
            model.probabilities(["A.", "C."], ["B."])
        with pytest.raises(InputError, match="must be a list of texts, not one text"):
            model.probabilities("A.", ["B."])
        with pytest.raises(InputError, match="empty"):
            model.probabilities(["A."], [" "])
    with pytest.raises(FunctionError, match="broken raised an error: KeyError: 'no weights'"):
        InferenceModel.of(broken).probabilities(["A."], ["B."])
    with pytest.raises(InputError, match="int cannot be measured"):
        cp.load(3, kind="nli")
    with pytest.raises(InputError, match="labels is for models of natural language inference"):
        cp.load(broken, labels="entailment,neutral,contradiction")

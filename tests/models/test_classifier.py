"""Classifiers against plain transformers: every kind of head, long texts, pipelines and functions."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
import transformers

import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError, ModelError
from counterpoise.models import Classifier, FunctionClassifier
from counterpoise.models import sequence_classifier as module

TEXTS = ["He is a nurse.", "My sister wants to become an electrician.", "The engineer quit.", "She sings."]
HEADS = {
    "bert": (transformers.BertForSequenceClassification, transformers.BertConfig, {}),
    "roberta": (transformers.RobertaForSequenceClassification, transformers.RobertaConfig, {}),
    "electra": (
        transformers.ElectraForSequenceClassification,
        transformers.ElectraConfig,
        {"embedding_size": 16},
    ),
    "albert": (
        transformers.AlbertForSequenceClassification,
        transformers.AlbertConfig,
        {"embedding_size": 16},
    ),
    "distilbert": (
        transformers.DistilBertForSequenceClassification,
        transformers.DistilBertConfig,
        {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
    ),
}


def make(kind="bert", positive=None, labels=("negative", "positive"), **changes):
    """A tiny random classifier."""
    torch.manual_seed(0)
    model, config, shape = HEADS[kind]
    tokenizer = tiny.wordpiece()
    settings = {
        **tiny.SHAPE,
        "vocab_size": len(tokenizer),
        "pad_token_id": 0,
        "id2label": dict(enumerate(labels)),
    }
    made = model(config(**{**settings, "num_labels": len(labels), **shape, **changes})).eval()
    return Classifier(made, tokenizer, name="tiny", positive=positive)


def plain_logits(classifier, text):
    inputs = classifier.tokenizer(text, return_tensors="pt")
    inputs.pop("token_type_ids", None)  # zeros, which is what models take without them; some take none
    with torch.no_grad():
        return classifier.model(**inputs).logits[0].double()


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("much", [False, True], ids=["little work", "much work"])
def test_ratings_equal_one_forward_pass_per_text(kind, much, monkeypatch):
    monkeypatch.setattr(module, "_MANY_TOKENS", 0 if much else 10**9)
    classifier = make(kind)
    expected = [float(plain_logits(classifier, text).softmax(-1)[1]) for text in TEXTS]
    assert classifier.rate(TEXTS) == pytest.approx(expected, abs=1e-6)
    assert max(expected) - min(expected) > 1e-4


def test_the_last_layer_is_computed_at_the_first_token_only(monkeypatch):
    monkeypatch.setattr(module, "_MANY_TOKENS", 0)
    classifier = make("bert")
    shapes = []
    last = classifier.model.bert.encoder.layer[-1].intermediate
    last.register_forward_hook(lambda layer, inputs, output: shapes.append(tuple(inputs[0].shape)))
    classifier.rate(TEXTS)
    assert shapes[0] == (1, 5, 32)  # the proof, with the shortest text
    assert set(shapes[2:]) == {(len(TEXTS), 32)}  # the work


def test_ratings_do_not_saturate():
    """In single precision both would be 1."""
    classifier = make("bert")
    with torch.no_grad():
        classifier.model.classifier.weight.mul_(0)
        classifier.model.classifier.bias.copy_(torch.tensor([0.0, 20.0]))
    [rating] = classifier.rate(TEXTS[:1])
    assert 0 < 1 - rating == pytest.approx(np.exp(-20), rel=1e-6)


def test_several_classes_several_labels_and_regressions():
    three = make(labels=("anger", "joy", "fear"), positive="Joy")
    logits = plain_logits(three, TEXTS[0])
    assert three.rate(TEXTS[:1])[0] == pytest.approx(float(logits.softmax(-1)[1]), abs=1e-6)
    assert three.predict(TEXTS[:1]) == [("anger", "joy", "fear")[int(logits.argmax())]]
    many = make(labels=("toxic", "rude"), positive="toxic", problem_type="multi_label_classification")
    assert many.rate(TEXTS[:1])[0] == pytest.approx(
        float(plain_logits(many, TEXTS[0]).sigmoid()[0]), abs=1e-6
    )
    score = make(labels=("LABEL_0",))
    assert score.rate(TEXTS[:1])[0] == pytest.approx(float(plain_logits(score, TEXTS[0])[0]), abs=1e-6)
    with pytest.raises(ModelError, match="gives a score and no label"):
        score.predict(TEXTS)
    with pytest.raises(InputError, match="a regression: it has a score and no label 'joy'"):
        make(labels=("LABEL_0",), positive="joy")


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        (("neg", "POS"), 1),
        (("Positive", "Neutral", "Negative"), 0),
        (("LABEL_0", "LABEL_1"), 1),
        (("0", "1"), 1),
        (("toxic", "severe_toxic", "obscene"), 0),
        (("not-hate", "HATE"), 1),
        (("obscene", "neither", "Hate_Speech"), 2),
        (("offensive", "positive"), 1),
    ],
)
def test_the_positive_label_is_found(labels, number):
    assert make(labels=labels).positive == number


def test_an_unknown_positive_label_is_one_clear_line():
    with pytest.raises(ModelError, match=r"which label of tiny is the positive one\? Say it .*anger, joy"):
        make(labels=("anger", "joy"))
    with pytest.raises(ModelError, match="the positive one"):
        make(labels=("LABEL_0", "LABEL_1", "LABEL_2"))
    with pytest.raises(InputError, match=r"no label of tiny 'hoy'.*did you mean 'joy'"):
        make(labels=("anger", "joy"), positive="hoy")


def test_load_takes_the_positive_label(tmp_path):
    folder = tiny.save("classifier", tmp_path / "model")
    plain, turned = cp.load(folder), cp.load(folder, kind="classifier", positive="negative")
    assert turned.rate(TEXTS) == pytest.approx(1 - plain.rate(TEXTS), abs=1e-9)
    with pytest.raises(InputError, match="positive is for classifiers, and builtin is loaded as masked"):
        cp.load(positive="joy")


def test_long_texts_are_cut_and_counted():
    classifier = make()
    assert classifier.max_length == 80
    long, same_beginning = "nurse " * 100, "nurse " * 200
    exact = "nurse " * 78  # with the two special tokens just as long as the model reads
    found = classifier.ratings([long, same_beginning, exact, "nurse"])
    assert found.truncated.tolist() == [True, True, False, False]
    assert found.inputs.tolist() == [0, 0, 0, 1]
    assert found.scores[0] == found.scores[1] == found.scores[2]
    ids = classifier.tokenizer(long, truncation=True, max_length=80, return_tensors="pt")
    with torch.no_grad():
        expected = classifier.model(**ids).logits[0].double().softmax(-1)[1]
    assert found.scores[0] == pytest.approx(float(expected), abs=1e-6)


def test_a_shorter_length_can_be_chosen():
    loaded = make()
    short = Classifier(loaded.model, loaded.tokenizer, name="short", max_length=4)
    assert short.ratings(["he is", "he is here"]).truncated.tolist() == [False, True]
    assert short.rate(["he is here"])[0] == short.rate(["he is there"])[0]
    with pytest.raises(InputError, match="max_length must be 3 or more"):
        Classifier(loaded.model, loaded.tokenizer, name="short", max_length=2)


def test_equal_texts_are_rated_once():
    asked = []

    def function(texts):
        asked.extend(texts)
        return [len(text) for text in texts]

    assert Classifier.of(function).rate(["a", "bb", "a", "a"]).tolist() == [1, 2, 1, 1]
    assert asked == ["a", "bb"]


def test_a_pipeline():
    classifier = make()
    pipeline = transformers.TextClassificationPipeline(model=classifier.model, tokenizer=classifier.tokenizer)
    wrapped = Classifier.of(pipeline, name="wrapped")
    assert wrapped.rate(TEXTS) == pytest.approx(classifier.rate(TEXTS))
    [scores] = pipeline(TEXTS[:1], top_k=None)
    said = {entry["label"]: entry["score"] for entry in scores}
    assert wrapped.rate(TEXTS[:1])[0] == pytest.approx(said["positive"], abs=1e-6)


def test_functions():
    classifier = Classifier.of(lambda texts: np.full(len(texts), 0.7), name="always")
    assert isinstance(classifier, FunctionClassifier)
    assert classifier.kind == "classifier"
    assert classifier.predict(["a", "b"]) == ["positive", "positive"]
    assert (
        classifier.fingerprint != Classifier.of(lambda texts: [0.1] * len(texts), name="always").fingerprint
    )
    for answer, message in [
        ([0.5], "2 texts and returned an array of shape"),
        (["a", "b"], "a number for each text"),
        ([0.5, float("nan")], "no number for 'b'"),
    ]:
        with pytest.raises(ModelError, match=message):
            Classifier.of(lambda texts, answer=answer: answer).rate(["a", "b"])
    with pytest.raises(InputError, match="int cannot be measured: give a function"):
        Classifier.of(3)
    with pytest.raises(InputError, match="no labels to choose from"):
        Classifier.of(len, positive="joy")


def test_bad_input():
    classifier = make()
    assert classifier.rate([]).tolist() == []
    for texts, message in [("he", "not one text"), ([3], "must be a string"), (["a", "  "], "is empty")]:
        with pytest.raises(InputError, match=message):
            classifier.rate(texts)
    classifier.model.classifier.bias.data.fill_(np.nan)
    with pytest.raises(ModelError, match="no numbers for 'fine'"):
        classifier.rate(["fine"])


def test_decoders_without_padding_are_asked_one_by_one():
    torch.manual_seed(0)
    tokenizer = tiny.byte_level()
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=32,
        n_layer=2,
        n_head=4,
        initializer_range=0.4,
        id2label={0: "neg", 1: "pos"},
    )
    model = transformers.GPT2ForSequenceClassification(config).eval()
    assert model.config.pad_token_id is None
    classifier = Classifier(model, tokenizer, name="decoder")
    expected = [float(plain_logits(classifier, text).softmax(-1)[1]) for text in TEXTS]
    assert classifier.rate(TEXTS) == pytest.approx(expected, abs=1e-6)


def test_ratings_of_a_loaded_classifier(tmp_path):
    classifier = cp.load(tiny.save("classifier", tmp_path))
    for value, text in zip(classifier.rate(TEXTS), TEXTS, strict=True):
        with torch.no_grad():
            ids = torch.tensor([classifier.tokenizer(text)["input_ids"]])
            expected = classifier.model(ids).logits[0].double().softmax(-1)[1]
        assert value == pytest.approx(float(expected), abs=1e-6)


def test_the_other_label(tmp_path):
    loaded = cp.load(tiny.save("classifier", tmp_path))
    opposite = cp.models.Classifier(loaded.model, loaded.tokenizer, name="x", positive="negative")
    assert opposite.rate(TEXTS) == pytest.approx(1 - loaded.rate(TEXTS), abs=1e-6)
    with pytest.raises(InputError, match="did you mean 'positive'"):
        cp.models.Classifier(loaded.model, loaded.tokenizer, name="x", positive="postive")


FUNCTION = """
from counterpoise.models import Classifier

def rate(texts):
    known = {"good", "fine", "great"}
    return [sum(word in {"good", "fine", "great", "lovely"} for word in text.split()) / 9 for text in texts]

print(Classifier.of(rate).fingerprint)
"""


@pytest.mark.slow
def test_the_fingerprint_of_a_function_is_the_same_in_every_process():
    """Its comprehensions are code of their own, and sets have another order in every process."""

    def fingerprint(function, seed):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", function]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout

    first = fingerprint(FUNCTION, "1")
    assert fingerprint(FUNCTION, "2") == first
    assert fingerprint(FUNCTION.replace("lovely", "nice"), "1") != first
    assert fingerprint(FUNCTION.replace("sum(", "len("), "1") != first

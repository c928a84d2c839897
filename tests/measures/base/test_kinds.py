"""What a model was asked as, and what helps where a measure needs another kind of model."""

from __future__ import annotations

import pytest

import counterpoise as cp
from counterpoise.core.errors import InputError
from counterpoise.measures.base.kinds import asked_as, misfit


class Named:
    def __init__(self, kind):
        self.kind, self.name = kind, "mine"


@pytest.mark.parametrize(
    ("needs", "kind", "reason"),
    [
        (
            ("encoder",),
            "causal",
            "a causal language model (kind='encoder', on the command line --kind encoder,",
        ),
        (("encoder",), "vectors", "word vectors (give a folder or hub name of an encoder)"),
        (("masked", "causal"), "encoder", "a sentence encoder (if its files include the head of a masked"),
        (("masked",), "causal", "a causal language model (give a masked language model, such as bert-base-"),
        (("masked", "causal"), "vectors", "word vectors (give a language model)"),
        (("vectors",), "masked", "a masked language model (give a file of word vectors, such as glove.txt)"),
        (("classifier",), "masked", "a masked language model (give a folder or hub name of a classifier)"),
        (("nli",), "masked", "(give a folder or hub name of a model with the labels entailment, neutral and"),
        (
            ("nli",),
            "classifier",
            "a classifier (if its labels are entailment, neutral and contradiction, load",
        ),
        (
            ("encoder",),
            "nli",
            "a natural language inference model (kind='encoder', on the command line --kind",
        ),
    ],
)
def test_the_reason_names_what_would_help(needs, kind, reason):
    assert reason in misfit(needs, Named(kind))


def test_what_is_no_model_is_named_by_its_class():
    with pytest.raises(InputError, match=r"^int cannot be measured: give "):
        cp.measures.seat(3)


def test_what_each_kind_is_asked_as(small_folder):
    masked = cp.load(small_folder)
    assert asked_as(masked) == "masked language model"
    encoder = cp.models.Encoder
    assert asked_as(encoder.of(masked)) == "sentence encoder, mean pooling"
    assert asked_as(encoder.of(masked, layer=2)) == "sentence encoder, mean pooling"  # the last of two
    assert asked_as(encoder.of(masked, "cls", 1)) == "sentence encoder, cls pooling, layer 1"
    assert asked_as(encoder.of(masked, layer=(0, -1))) == "sentence encoder, mean pooling, layer 0, layer -1"
    assert asked_as(cp.models.Classifier.of(lambda texts: [0.5] * len(texts))) == "classifier"


def test_a_result_says_what_was_asked(small_folder):
    test = cp.data.WordTest.of("t", ["he"], ["she"], ["math"], ["art"])
    result = cp.measures.seat(cp.load(small_folder, kind="encoder", pooling="cls"), test)
    assert result.asked == "sentence encoder, cls pooling"

"""A masked language model asked as an encoder: the vectors of its body, of the same weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

import counterpoise as cp
import tiny
from counterpoise.models.views import views

TEXTS = ["She is a nurse.", "The engineer lost his keys."]


@pytest.mark.parametrize("kind", tiny.MASKED)
def test_the_view_gives_the_mean_of_the_last_layer_by_plain_transformers(kind, tmp_path):
    folder = tiny.save(kind, tmp_path)
    masked, encoder = views(cp.load(folder, device="cpu"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    body = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        # Some models of transformers 4 refuse the token types that their tokenizer gives.
        inputs = [tokenizer(text, return_tensors="pt") for text in TEXTS]
        outputs = [body(one["input_ids"], attention_mask=one["attention_mask"]) for one in inputs]
        expected = [output.last_hidden_state[0].mean(0).numpy() for output in outputs]
    assert np.allclose(encoder.sentence_vectors(TEXTS), expected, atol=1e-5)
    assert type(masked) is cp.models.MaskedLM


def test_the_weights_are_there_once(small):
    _, encoder = views(small)
    assert encoder.name == small.name
    own = {weights.data_ptr() for weights in small.model.parameters()}
    assert {weights.data_ptr() for weights in encoder.model.parameters()} <= own


def test_answers_are_the_same_before_and_after(small):
    before = small.pseudo_log_likelihood(TEXTS)
    _, encoder = views(small)
    encoder.sentence_vectors(TEXTS)
    assert small.pseudo_log_likelihood(TEXTS).tolist() == before.tolist()


def test_other_kinds_are_what_they_are(tmp_path):
    for kind in ("gpt2", "classifier", "encoder"):
        model = cp.load(tiny.save(kind, tmp_path / kind))
        assert views(model) == (model,)


def test_a_model_whose_body_cannot_be_run_alone_has_no_such_view(small, monkeypatch):
    monkeypatch.setattr(type(small.model), "base_model", property(lambda model: model))
    assert views(small) == (small,)

"""The attention that tokens get, read a second time from single sentences."""

from __future__ import annotations

import copy

import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise.core.errors import ModelError
from counterpoise.models.scoring.attention import attention_received

SENTENCES = ["He is a nurse.", "My sister wants to become an electrician.", "She is a nurse."]


@pytest.mark.parametrize("kind", tiny.MASKED)
def test_equals_the_mean_over_layers_heads_and_attending_tokens(kind, tmp_path):
    lm = cp.load(tiny.save(kind, tmp_path))
    eager = copy.deepcopy(lm.model)
    eager.set_attn_implementation("eager")
    for weights, sentence in zip(attention_received(lm, SENTENCES), SENTENCES, strict=True):
        ids = torch.tensor([lm.tokenizer(sentence)["input_ids"]])
        with torch.no_grad():
            layers = eager(input_ids=ids, output_attentions=True).attentions
        expected = torch.cat(layers).mean(0).mean(0).mean(0)
        assert weights == pytest.approx(expected.numpy(), abs=1e-5)
        assert weights.sum() == pytest.approx(1.0, abs=1e-4)


def test_the_model_is_left_as_it_was(builtin):
    before = builtin.model.config._attn_implementation
    [log_likelihood] = builtin.pseudo_log_likelihood(SENTENCES[:1])
    attention_received(builtin, SENTENCES)
    assert builtin.model.config._attn_implementation == before
    assert builtin.pseudo_log_likelihood(SENTENCES[:1]) == pytest.approx([log_likelihood])


def test_a_model_that_does_not_show_it(builtin, monkeypatch):
    monkeypatch.setattr(builtin.model, "set_attn_implementation", lambda name: None)
    monkeypatch.setattr(
        type(builtin.model),
        "forward",
        lambda self, input_ids, output_attentions: type("Output", (), {"attentions": None}),
    )
    with pytest.raises(ModelError, match="does not show its attention"):
        attention_received(builtin, SENTENCES)

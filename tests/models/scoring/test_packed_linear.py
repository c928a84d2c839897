"""Packed layers give what the plain ones give, also after training."""

from __future__ import annotations

import pytest
import torch

import brute
import counterpoise as cp
import tiny
from counterpoise.models.scoring import packed_linear
from counterpoise.models.scoring.packed_linear import PackedLinear, can_pack, pack_linears

SENTENCE = "The nurse lost her keys."


@pytest.fixture
def lm(tmp_path):
    return cp.load(tiny.save("bert", tmp_path))


def test_packed_layers_are_used_where_the_machine_has_them(lm):
    modules = {type(module) for module in lm.engine.split.body.modules()}
    assert (PackedLinear in modules) == can_pack(lm.model)
    assert torch.nn.Linear in {
        type(module) for module in lm.model.modules()
    }  # the model itself stays as it is


def test_a_packed_layer_gives_what_the_layer_gives():
    torch.manual_seed(0)
    plain = torch.nn.Sequential(torch.nn.Linear(24, 40), torch.nn.GELU(), torch.nn.Linear(40, 8, bias=False))
    if not can_pack(plain):
        pytest.skip("needs onednn")
    values = torch.randn(3, 7, 24)
    with torch.inference_mode():
        assert torch.allclose(pack_linears(plain)(values), plain(values), atol=1e-5)


def test_long_sums_beside_huge_values():
    """Against products in float64; the first 100 inputs are as large as those that follow are small."""
    torch.manual_seed(0)
    layer = torch.nn.Linear(4000, 50)
    if not can_pack(layer):
        pytest.skip("needs onednn")
    values = torch.randn(20, 4000)
    values[:, :100] *= 1e4
    expected = torch.nn.functional.linear(values.double(), layer.weight.double(), layer.bias.double())
    with torch.inference_mode():
        exact, whole = (
            (PackedLinear(layer, exact=exact)(values) - expected).abs().mean().item()
            for exact in (True, False)
        )
    assert exact < 4e-4
    assert exact <= whole


def test_causal_models_are_packed_where_memory_suffices(tmp_path, monkeypatch):
    lm = cp.load(tiny.save("llama", tmp_path), device="cpu")
    if not can_pack(lm.model):
        pytest.skip("needs onednn")
    parts, scored = lm.engine.parts, lm.token_log_probs([SENTENCE])[0]
    assert {PackedLinear} == {
        type(module) for module in (parts.body.layers[0].mlp.up_proj, parts.output.product)
    }
    size = sum(layer.weight.nbytes for layer in lm.model.model.modules() if type(layer) is torch.nn.Linear)
    monkeypatch.setattr(packed_linear, "_free_memory", lambda: 2 * size)
    plain = cp.models.CausalLM(lm.model, lm.tokenizer, name="plain")
    assert plain.engine.parts.body is lm.model.model
    assert plain.token_log_probs([SENTENCE])[0] == pytest.approx(scored, abs=1e-5)


def test_of_a_model_in_half_precision_the_output_layer_is_packed(tmp_path):
    lm = cp.load(tiny.save("llama", tmp_path), device="cpu", dtype="bf16")
    if not can_pack(lm.model, (torch.bfloat16,)):
        pytest.skip("needs onednn")
    parts = lm.engine.parts
    assert parts.body is lm.model.model
    states = torch.randn(5, 32, dtype=torch.bfloat16)
    expected = states.double() @ lm.model.lm_head.weight.detach().double().T
    with torch.inference_mode():
        found = parts.output.product(states)
    assert found.dtype == torch.float32
    assert torch.allclose(found.double(), expected, atol=1e-5)


def test_the_memory_that_is_free():
    assert 1e7 < packed_linear._free_memory() <= float("inf")


@pytest.mark.parametrize("change", ["trained", "replaced"])
def test_changed_weights_are_seen(lm, change):
    before = lm.pseudo_log_likelihood([SENTENCE])
    layer = lm.model.bert.encoder.layer[0].output.dense
    if change == "trained":
        with torch.no_grad():
            layer.weight.mul_(3.0)
    else:
        layer.weight = torch.nn.Parameter(layer.weight.detach() * 3.0)
    [after] = lm.pseudo_log_likelihood([SENTENCE])
    assert after != pytest.approx(before[0], abs=1e-3)
    assert after == pytest.approx(brute.pseudo_log_likelihood(lm, SENTENCE), abs=1e-4)

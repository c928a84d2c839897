"""Packed layers give what the plain ones give, also after training."""

from __future__ import annotations

import pytest
import torch

import brute
import counterpoise as cp
import tiny
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

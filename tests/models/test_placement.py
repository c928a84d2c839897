"""Where the weights of a causal model go, and in which precision."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
import transformers

import counterpoise as cp
import tiny
from adapters import log_likelihood
from counterpoise.cli.main import run
from counterpoise.core.errors import CounterpoiseError, ModelError

TEXTS = [
    "The nurse said that she was tired.",
    "The nurse said that he was tired.",
    "My sister wants to become an electrician.",
]
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.save("llama", tmp_path_factory.mktemp("llama"))


def complaint(*args, **options):
    with pytest.raises(CounterpoiseError) as error:
        cp.load(*args, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def without_package(monkeypatch, *missing):
    from importlib import util

    theirs = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name, *a: None if name in missing else theirs(name, *a))


def saved_as(dtype, folder, into):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=DTYPES[dtype])
    model.save_pretrained(into)
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(into)
    return into


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_causal_model_is_loaded_as_it_was_saved(dtype, folder, tmp_path):
    saved = saved_as(dtype, folder, tmp_path)
    model = cp.load(saved)
    assert {weights.dtype for weights in model.model.parameters()} == {DTYPES[dtype]}
    assert model.precision == dtype
    assert "dtype" not in model.details  # nothing was asked for
    for asked in ("float32", "float64"):
        other = cp.load(saved, dtype=asked)
        assert {str(weights.dtype) for weights in other.model.parameters()} == {f"torch.{asked}"}
        assert (other.precision, other.details["dtype"]) == (asked, asked)


def test_other_kinds_are_loaded_in_float32(tmp_path):
    saved = tiny.save("bert", tmp_path)
    model = transformers.AutoModelForMaskedLM.from_pretrained(saved, dtype=torch.bfloat16)
    model.save_pretrained(saved)
    assert cp.load(saved).precision == "float32"


@pytest.fixture(scope="module")
def expected(folder):
    """By plain transformers, one text at a time."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return np.array([log_likelihood(model, tokenizer(text)["input_ids"]) for text in TEXTS])


OFFLOADED_LAYER = {"model.embed_tokens": "cpu", "model.layers.0": "cpu", "model.layers.1": "disk"}
OFFLOADED_LAYER |= {"model.norm": "cpu", "model.rotary_emb": "cpu", "lm_head": "cpu"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "device_map",
    [
        "auto",
        {"": "cpu"},
        OFFLOADED_LAYER,
        {**OFFLOADED_LAYER, "model.embed_tokens": "disk"},
        {**OFFLOADED_LAYER, "lm_head": "disk"},
        {**OFFLOADED_LAYER, "model.embed_tokens": "disk", "model.layers.0": "disk", "lm_head": "disk"},
    ],
    ids=["auto", "cpu", "layer", "embeddings", "head", "nearly all"],
)
def test_a_model_on_several_devices_gives_the_same(device_map, folder, expected):
    whole, divided = cp.load(folder), cp.load(folder, device_map=device_map)
    assert divided.details == {"device_map": device_map}
    assert divided.device.type == "cpu"
    assert divided.log_likelihood(TEXTS) == pytest.approx(whole.log_likelihood(TEXTS), abs=1e-5)
    assert divided.log_likelihood(TEXTS) == pytest.approx(expected, abs=1e-4)
    pair = ["he", "she"]
    assert divided.next_log_odds(TEXTS, pair) == pytest.approx(whole.next_log_odds(TEXTS, pair), abs=1e-5)
    assert divided.fingerprint == whole.fingerprint


def test_device_maps_that_cannot_be(folder, tmp_path, monkeypatch):
    assert "there is no device map 'autos'" in complaint(folder, device_map="autos")
    assert "leave out device (--device) cpu" in complaint(folder, device_map="auto", device="cpu")
    masked = tiny.save("bert", tmp_path / "bert")
    assert "device_map (--device-map) is for causal language models" in complaint(masked, device_map="auto")
    without_package(monkeypatch, "accelerate")
    assert complaint(folder, device_map="auto") == (
        "device_map (--device-map) needs the package accelerate: pip install 'counterpoise[llm]'"
    )


def test_quantising_needs_a_gpu(folder, tmp_path, capsys):
    for bits in ("4bit", "8bit"):
        message = f"quantize (--quantize) {bits} needs an NVIDIA GPU, and the device is cpu"
        assert complaint(folder, quantize=bits, device="cpu") == message
        out = tmp_path / "out"
        for command in (["audit", "--out", str(out)], ["serve-model", "--port", "0"]):
            assert run([*command, str(folder), "--quantize", bits, "--device", "cpu"]) == 2
            assert capsys.readouterr() == ("", f"counterpoise: {message}\n")
            assert not out.exists()


def test_quantisations_that_cannot_be(folder, tmp_path):
    assert "there is no quantisation '3bit'" in complaint(folder, quantize="3bit")
    masked = tiny.save("bert", tmp_path / "bert")
    assert "quantize (--quantize) is for causal language models" in complaint(masked, quantize="4bit")
    message = complaint(folder, quantize="4bit", dtype="float64", device="cpu")
    assert message.startswith("dtype (--precision) float64 is not for a quantised model")


def test_without_bitsandbytes_a_clear_line(monkeypatch):
    from counterpoise.models.quantization import bitsandbytes_config

    without_package(monkeypatch, "bitsandbytes")
    with pytest.raises(
        ModelError, match=r"needs the package bitsandbytes: pip install 'counterpoise\[llm\]'"
    ):
        bitsandbytes_config("4bit", None, None, torch.device("cuda"))


METHODS = {
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False},
    "awq": {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True},
    "bitsandbytes": {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
    "unheard-of": {"quant_method": "unheard-of", "bits": 3},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_quantised_folder_whose_package_is_missing(method, tmp_path, monkeypatch):
    tiny.save("llama", tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "quantization_config": METHODS[method]}))
    without_package(monkeypatch, "bitsandbytes")
    message = complaint(tmp_path)
    assert str(tmp_path) in message
    assert method in message
    assert complaint(tmp_path, quantize="4bit") == (
        f"{tmp_path} is quantised already ({method}): leave out quantize (--quantize)"
    )


@pytest.mark.parametrize("kind", ["gpt2-without-pad", "llama"])
def test_a_model_without_a_padding_token_scores_as_one_text_at_a_time(kind, tmp_path):
    tiny.save(kind, tmp_path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "pad_token_id": None}))
    model = cp.load(tmp_path)
    assert model.tokenizer.pad_token is None
    plain = [log_likelihood(model.model, list(encoded.ids)) for encoded in model.encode(TEXTS)]
    assert model.log_likelihood(TEXTS) == pytest.approx(np.array(plain), abs=1e-4)

"""A GGUF file gives the same numbers as the model it was written from."""

from __future__ import annotations

import json

import gguf
import numpy as np
import pytest
from tokenizers import processors

import counterpoise as cp
import tiny
from counterpoise.cli.main import run
from counterpoise.core.errors import ModelError

END, END_ID = "<|endoftext|>", 2  # as in the real GPT-2, one token begins and ends texts
TEXTS = ["He is a nurse.", "My sister wants to become an electrician."]


def write_gguf(lm: cp.models.CausalLM, path) -> None:
    """A GPT-2 in the names and layout of llama.cpp."""
    config, tokenizer = lm.model.config, lm.tokenizer
    writer = gguf.GGUFWriter(str(path), "gpt2")
    writer.add_context_length(config.n_positions)
    writer.add_embedding_length(config.n_embd)
    writer.add_feed_forward_length(4 * config.n_embd)
    writer.add_block_count(config.n_layer)
    writer.add_head_count(config.n_head)
    writer.add_layer_norm_eps(config.layer_norm_epsilon)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    writer.add_token_list([END if number == END_ID else token for token, number in vocabulary])
    writer.add_token_types(
        [gguf.TokenType.CONTROL if i < 5 else gguf.TokenType.NORMAL for i in range(len(vocabulary))]
    )
    merges = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["merges"]
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    writer.add_bos_token_id(END_ID)
    writer.add_eos_token_id(END_ID)
    names = {
        "transformer.wte.weight": "token_embd.weight",
        "transformer.wpe.weight": "position_embd.weight",
        "transformer.ln_f": "output_norm",
    }
    parts = {"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output"}
    parts |= {"ln_2": "ffn_norm", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
    names |= {
        f"transformer.h.{i}.{a}": f"blk.{i}.{b}" for i in range(config.n_layer) for a, b in parts.items()
    }
    for name, weights in lm.model.named_parameters():
        stem, _, kind = name.rpartition(".")
        array = weights.detach().numpy()
        if kind == "weight" and ".c_" in name:
            array = array.T  # GPT-2 keeps its layers the other way round
        writer.add_tensor(names.get(name) or f"{names[stem]}.{kind}", np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return cp.load(tiny.save("gpt2", tmp_path_factory.mktemp("gpt2")))


@pytest.fixture(scope="module")
def path(original, tmp_path_factory):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    write_gguf(original, path)
    return path


def test_a_gguf_file_is_a_causal_model(original, path, capsys):
    loaded = cp.load(path)
    assert capsys.readouterr() == ("", "")  # no progress bar of others
    assert type(loaded) is cp.models.CausalLM
    assert loaded.precision == "float32"
    assert loaded.details == {"quantization": {"method": "gguf", "type": "F32"}}
    # The folder's tokenizer puts tokens of its own around a text; the file's leaves that to the reader.
    original.tokenizer.backend_tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    plain = cp.models.CausalLM(
        original.model, original.tokenizer, name="folder", start=original.tokenizer.eos_token
    )
    for found, expected in zip(loaded.token_log_probs(TEXTS), plain.token_log_probs(TEXTS), strict=True):
        assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.999])
def test_a_file_that_was_cut_short(share, path, tmp_path, capsys):
    """Cut within its magic number, its settings, its vocabulary and its weights."""
    whole = path.read_bytes()
    part = tmp_path / "part.gguf"
    part.write_bytes(whole[: 4 + int(share * len(whole))])
    assert run(["audit", str(part), "--measures", "sld", "--out", str(tmp_path / "out")]) == 2
    message = (
        f"{part} is not a whole GGUF file: it was cut short or is damaged ({part.stat().st_size:,} bytes)"
    )
    assert capsys.readouterr() == ("", f"counterpoise: {message}; get it again\n")
    assert not (tmp_path / "out").exists()


def test_another_file_of_that_name(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"PK")
    with pytest.raises(ModelError, match=r"model\.gguf is no GGUF file: it does not begin with GGUF"):
        cp.load(path)


def test_without_the_reader_a_clear_line(tmp_path, monkeypatch):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"needs the package gguf: pip install 'counterpoise\[llm\]'"):
        cp.load(path)

"""Causal models against plain transformers and numpy."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
import transformers
from tokenizers import processors

import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError, ModelError
from counterpoise.models import CausalLM

TEXTS = [
    "He is a nurse.",
    "My sister wants to become an electrician.",
    "The engineer decided to quit her job.",
]


@pytest.mark.parametrize("kind", ["gpt2", "llama", "gpt_neox"])
@pytest.mark.parametrize("start", ["bos", "eos", "none"])
def test_causal_log_likelihood(kind, start, tmp_path):
    """With a beginning-of-text token, with an end-of-text token in its place, and with neither."""
    lm = cp.load(tiny.save(kind, tmp_path))
    if start != "bos":
        lm.tokenizer.bos_token = None
        lm.tokenizer.backend_tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    if start == "none":
        lm.tokenizer.eos_token = None
    lm = CausalLM(lm.model, lm.tokenizer, name=start)  # which chooses how texts start
    first = {"bos": [0], "eos": [2], "none": []}[start]
    for value, tokens, text in zip(lm.log_likelihood(TEXTS), lm.token_log_probs(TEXTS), TEXTS, strict=True):
        plain = [token for token in lm.tokenizer(text)["input_ids"] if token not in (0, 2)]
        plain += [2] if start == "bos" else []  # this tokenizer ends texts too
        ids = first + plain
        with torch.no_grad():
            logs = lm.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        expected = [float(logs[i - 1, ids[i]]) for i in range(1, len(ids))]
        assert tokens == pytest.approx(np.array(expected), abs=1e-4)
        assert value == pytest.approx(sum(expected), abs=1e-4)


def test_a_model_that_reads_images_too(tmp_path):
    """Gemma 3, whose vocabulary and length stand in the configuration of its language model."""
    tokenizer = tiny.byte_level()
    torch.manual_seed(0)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    size |= {"intermediate_size": 64, "vocab_size": len(tokenizer), "head_dim": 8, "initializer_range": 0.4}
    images = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    images |= {"image_size": 28, "patch_size": 14}
    config = transformers.Gemma3Config(
        text_config={**size, "max_position_embeddings": 50}, vision_config=images, mm_tokens_per_image=4
    )
    transformers.Gemma3ForConditionalGeneration(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    lm = cp.load(tmp_path)
    assert (type(lm), lm.max_length) == (CausalLM, 50)
    for text, value in zip(TEXTS, lm.log_likelihood(TEXTS), strict=True):
        ids = lm.tokenizer(text)["input_ids"]
        with torch.no_grad():
            logs = lm.model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
        assert value == pytest.approx(sum(float(logs[i, token]) for i, token in enumerate(ids[1:])), abs=1e-4)


def test_an_encoder_decoder_is_no_causal_model(tmp_path):
    config = {"architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "is_encoder_decoder": True}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "model.safetensors").write_bytes(bytes(1_000_000))
    with pytest.raises(ModelError, match=r"cannot tell what .* is"):
        cp.load(tmp_path)


def test_the_start_token_counts_towards_the_length(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path))
    lm.tokenizer.bos_token = None
    lm.tokenizer.backend_tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    lm = CausalLM(lm.model, lm.tokenizer, name="eos")
    texts = [" nurse" * n for n in range(55, 70)]
    lengths = [1 + len(lm.tokenizer(text)["input_ids"]) for text in texts]
    assert 64 in lengths
    assert [reason is None for reason in lm.problems(texts)] == [length <= 64 for length in lengths]


def test_causal_log_probs_at_some_positions(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path))
    [whole] = lm.token_log_probs(TEXTS[:1])
    [some] = lm.token_log_probs(TEXTS[:1], [[1, 3]])
    assert some.tolist() == whole[[0, 2]].tolist()
    with pytest.raises(InputError, match="the first token has none before it"):
        lm.token_log_probs(TEXTS[:1], [[0]])


def test_causal_bad_input(tmp_path):
    lm = cp.load(tiny.save("gpt2", tmp_path))
    with pytest.raises(InputError, match="the text is empty"):
        lm.log_likelihood(["", "fine"])
    lm.model.transformer.wte.weight.data.fill_(np.nan)
    with pytest.raises(ModelError, match="no numbers for 'fine'"):
        lm.log_likelihood(["fine"])

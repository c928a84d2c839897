"""The scoring of causal models, worked out a second time with plain transformers, one text at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

import counterpoise as cp
import tiny
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import InputError, ModelError
from counterpoise.models.causal import CausalLM
from counterpoise.models.scoring import output_layer

TEXTS = [
    "The nurse said that she was tired.",
    "The nurse said that he was tired.",
    "The nurse said that",
    "My sister wants to become an electrician.",
    "The engineer decided to quit her job.",
]


def plain(lm: CausalLM, text: str) -> np.ndarray:
    """log P of every token but the first, by the model as transformers has it, in float64 after the logits."""
    [encoded] = lm.encode([text])
    with torch.no_grad():
        logits = lm.model(torch.tensor([encoded.ids])).logits[0].double()
    targets = torch.tensor(encoded.ids[1:])[:, None]
    return logits[:-1].log_softmax(-1).gather(-1, targets)[:, 0].numpy()


def shaped(kind: str, tokenizer) -> torch.nn.Module:
    """Architectures that do something to their logits, count positions otherwise, or look at a window."""
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    size |= {"intermediate_size": 64, "vocab_size": len(tokenizer), "initializer_range": 0.4}
    torch.manual_seed(0)
    if kind.startswith("gemma2"):  # caps its logits
        window = 16 if kind.endswith("narrow") else 4096
        config = transformers.Gemma2Config(
            **size, head_dim=8, final_logit_softcapping=3.0, sliding_window=window
        )
        return transformers.Gemma2ForCausalLM(config)
    if kind == "cohere":  # scales its logits
        return transformers.CohereForCausalLM(transformers.CohereConfig(**size, logit_scale=0.2))
    if kind == "granite":  # divides its logits
        return transformers.GraniteForCausalLM(transformers.GraniteConfig(**size, logits_scaling=4.0))
    if kind == "bloom":  # has no positions but distances (ALiBi)
        config = transformers.BloomConfig(hidden_size=32, n_layer=2, n_head=4, vocab_size=len(tokenizer))
        config.initializer_range = 0.4
        return transformers.BloomForCausalLM(config)
    config = transformers.MambaConfig(
        hidden_size=32, num_hidden_layers=2, vocab_size=len(tokenizer), state_size=4
    )
    return transformers.MambaForCausalLM(config)


SHARING = {"gpt2": True, "llama": True, "gpt_neox": True, "gemma2": True, "cohere": True, "granite": True}


@pytest.mark.parametrize("kind", [*SHARING, "bloom", "mamba"])
def test_equals_one_text_at_a_time(kind, tmp_path):
    if kind in ("gpt2", "llama", "gpt_neox"):
        lm = cp.load(tiny.save(kind, tmp_path))
    else:
        tokenizer = tiny.byte_level()
        lm = CausalLM(shaped(kind, tokenizer), tokenizer, name=kind)
    for text, values in zip(TEXTS, lm.token_log_probs(TEXTS), strict=True):
        assert values == pytest.approx(plain(lm, text), abs=1e-4)
    assert lm.engine.parts.shares == SHARING.get(kind, False)
    assert (lm.engine.parts.body is not None) or kind == "mamba" or not SHARING.get(kind, False)


def test_texts_longer_than_the_window_of_attention(monkeypatch):
    """Rows that texts share would reach beyond the window, so that no row has branches."""
    tokenizer = tiny.byte_level()
    lm = CausalLM(shaped("gemma2 narrow", tokenizer), tokenizer, name="narrow")
    long = " ".join(TEXTS[:2])
    texts = [long, long.replace("tired. The", "late. The")]
    assert min(len(encoded.ids) for encoded in lm.encode(texts)) > 16
    read = []
    states = lm.engine.parts.states
    monkeypatch.setattr(type(lm.engine.parts), "states", lambda _, rows: read.extend(rows) or states(rows))
    for text, values in zip(texts, lm.token_log_probs(texts), strict=True):
        assert values == pytest.approx(plain(lm, text), abs=1e-4)
    assert read
    assert all(row.branches is None for row in read)


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    return cp.load(tiny.save("llama", tmp_path_factory.mktemp("llama")))


def test_in_pieces_of_the_vocabulary_and_small_batches_the_same(llama, monkeypatch):
    whole = llama.token_log_probs(TEXTS)
    monkeypatch.setitem(output_layer._MOST_LOGITS, "cpu", 3000)  # two states at once
    small = CausalLM(llama.model, llama.tokenizer, name="small", token_budget=8)
    for a, b in zip(small.token_log_probs(TEXTS), whole, strict=True):
        assert a == pytest.approx(b, abs=1e-5)


def test_half_precision_sums_in_single_precision(tmp_path):
    """Logits of bfloat16 weights are not rounded to bfloat16, whose steps are 1/16 at 8."""
    lm = cp.load(tiny.save("llama", tmp_path), dtype="bf16")
    with torch.no_grad():
        [encoded] = lm.encode(TEXTS[:1])
        states = lm.model.model(torch.tensor([encoded.ids])).last_hidden_state[0].detach()
        exact = states.double() @ lm.model.lm_head.weight.detach().double().T
    found = lm.engine.parts.output.logits(states).detach()
    assert found.dtype == torch.float32
    assert float((found - exact).abs().max()) < 1e-4
    rounded = (states @ lm.model.lm_head.weight.T).detach()
    assert float((rounded - exact).abs().max()) > 1e-3


@pytest.mark.parametrize("error", [KeyError("cache"), AssertionError(), NotImplementedError("no")])
def test_a_model_that_does_not_split_is_asked_whole(error, tmp_path):
    lm = unusual(tmp_path, error)
    assert lm.engine.parts.body is None
    assert lm.token_log_probs(TEXTS[:1])[0] == pytest.approx(plain(lm, TEXTS[0]), abs=1e-4)


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory."), MemoryError()])
def test_a_lack_of_memory_does_not_pass_for_a_model_that_does_not_split(error, tmp_path):
    lm = unusual(tmp_path, error)
    with pytest.raises(ModelError, match="there is not enough memory for a short text with unusual"):
        lm.token_log_probs(TEXTS[:1])


def unusual(folder, error):
    """A model whose layers only the whole model can call."""
    lm = cp.load(tiny.save("llama", folder))
    layers = lm.model.model.forward

    def forward(*given, use_cache=None, **options):
        if use_cache is False:  # as the engine calls it
            raise error
        return layers(*given, use_cache=use_cache, **options)

    lm.model.model.forward = forward
    return CausalLM(lm.model, lm.tokenizer, name="unusual")


def test_log_odds_are_the_difference_of_log_probabilities(llama):
    texts = ["The nurse said that ", "The phlebotomist lost ", ""]
    for pair in (["he", "she"], ["xylophonist", "he"]):
        he, she = llama.next_log_probs(texts, pair).T
        assert llama.next_log_odds(texts, pair) == pytest.approx(he - she, abs=1e-4)
    per_text = [["he", "she"], ["his", "her"], ["she", "he"]]
    found = llama.next_log_odds(texts, per_text)
    assert found == pytest.approx(-np.diff(llama.next_log_probs(texts, per_text))[:, 0], abs=1e-4)
    with pytest.raises(InputError, match="log-odds are of two words"):
        llama.next_log_odds(texts, ["he", "she", "they"])
    assert llama.next_log_odds([], ["he", "she"]).shape == (0,)


def test_log_odds_compute_two_rows_of_the_output_layer(llama, monkeypatch):
    monkeypatch.setattr(output_layer.OutputLayer, "logits", lambda *_: pytest.fail("the whole vocabulary"))
    pair = ["father", "woman"]
    assert [len(llama.tokenizer.tokenize(f" {word}")) for word in pair] == [1, 1]
    assert np.isfinite(llama.next_log_odds(["The nurse met a "], pair)).all()


def test_answers_are_kept(llama, tmp_path):
    lm = CausalLM(llama.model, llama.tokenizer, name="kept")
    lm.cache = ScoreCache(tmp_path / "scores.sqlite")
    first = lm.token_log_probs(TEXTS)
    asked = []
    lm.engine._score = lambda *given: asked.append(given)
    again = lm.token_log_probs(TEXTS[::-1])
    assert not asked
    for a, b in zip(again[::-1], first, strict=True):
        assert a.tolist() == b.tolist()


def test_weights_that_changed_are_used(tmp_path):
    lm = cp.load(tiny.save("llama", tmp_path))
    before = lm.log_likelihood(TEXTS)
    with torch.no_grad():
        lm.model.model.layers[0].mlp.up_proj.weight.mul_(2)
    after = lm.log_likelihood(TEXTS)
    assert np.abs(after - before).min() > 1e-3
    assert after[0] == pytest.approx(plain(lm, TEXTS[0]).sum(), abs=1e-4)

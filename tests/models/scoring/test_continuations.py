"""Words after a text, worked out a second time with plain transformers, one row and one forward pass at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise.core.errors import InputError
from counterpoise.models.causal import CausalLM

TEXTS = ["The nurse said that ", "As a dairy farmer ", "", "The phlebotomist lost ", "It is ("]
WORDS = ["he", "she", "their", "xylophonist"]  # the last has several tokens in every vocabulary


def model_of(kind, folder):
    """A tiny model; "llama-unigram" has a vocabulary of words with a leading bar, as SentencePiece makes them."""
    if kind != "llama-unigram":
        return cp.load(tiny.save(kind, folder))
    torch.manual_seed(0)
    tokenizer = tiny.unigram()
    model = tiny._MODELS["llama"](tokenizer)
    return CausalLM(model, tokenizer, name="llama-unigram")


def brute_force(lm, text, word):
    tokenizer = lm.tokenizer
    space = " " if text.endswith(" ") else ""
    before = tokenizer(text.rstrip(" "), add_special_tokens=False)["input_ids"]
    whole = tokenizer(text.rstrip(" ") + space + word, add_special_tokens=False)["input_ids"]
    assert whole[: len(before)] == before
    ids = [tokenizer.bos_token_id, *whole]
    with torch.no_grad():
        logs = lm.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return sum(float(logs[i - 1, ids[i]]) for i in range(1 + len(before), len(ids)))


@pytest.mark.parametrize("kind", ["gpt2", "llama", "gpt_neox", "llama-unigram"])
def test_equals_one_forward_pass_per_word(kind, tmp_path):
    lm = model_of(kind, tmp_path)
    found = lm.next_log_probs(TEXTS, WORDS)
    expected = [[brute_force(lm, text, word) for word in WORDS] for text in TEXTS]
    assert found == pytest.approx(np.array(expected), abs=1e-4)
    assert len(lm.tokenizer.tokenize(" xylophonist")) > 2


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    return cp.load(tiny.save("gpt2", tmp_path_factory.mktemp("gpt2")))


def test_words_of_their_own_for_each_text(gpt2):
    found = gpt2.next_log_probs(TEXTS[:2], [["he", "she"], ["their", "he"]])
    table = gpt2.next_log_probs(TEXTS[:2], WORDS)
    assert found == pytest.approx(np.array([table[0, [0, 1]], table[1, [2, 0]]]), abs=1e-5)


def test_in_small_batches_the_same(gpt2):
    table = gpt2.next_log_probs(TEXTS, WORDS)
    small = CausalLM(gpt2.model, gpt2.tokenizer, name="small", token_budget=8)
    assert small.next_log_probs(TEXTS, WORDS) == pytest.approx(table, abs=1e-5)


def test_the_words_of_a_vocabulary_share_all_of_the_probability(gpt2):
    """Over all tokens that may come next the probabilities sum to 1; single-token words are part of that."""
    words = [gpt2.tokenizer.decode([token]) for token in range(len(gpt2.tokenizer))]
    single = sorted({w[1:] for w in words if w[0] == " " and w[1:].isalpha()})
    total = np.exp(gpt2.next_log_probs(["The nurse said that "], single)).sum()
    assert 0 < total <= 1 + 1e-6


def test_mistakes(gpt2):
    with pytest.raises(InputError, match="must be a word, not ' '"):
        gpt2.next_log_probs(["The nurse "], [" "])
    with pytest.raises(InputError, match="1 texts and 2 lists"):
        gpt2.next_log_probs(["The nurse "], [["he"], ["she"]])
    with pytest.raises(InputError, match="tokens and the model takes 64"):
        gpt2.next_log_probs(["very " * 80], ["he"])
    assert gpt2.next_log_probs([], ["he", "she"]).shape == (0, 2)


def test_melting(gpt2):
    """Where a text ends inside of a word, what follows is part of that word's token and not a word of its own."""
    with pytest.raises(InputError, match="'rse' melts into a longer token"):
        gpt2.next_log_probs(["The nu"], ["rse"])


def test_a_model_without_a_first_token(gpt2):
    tokenizer = tiny.byte_level()
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.bos_token = tokenizer.eos_token = None
    bare = CausalLM(gpt2.model, tokenizer, name="bare")
    assert bare.next_log_probs(["The nurse said that "], ["he"]).shape == (1, 1)
    with pytest.raises(InputError, match="bare has no token to begin a text with"):
        bare.next_log_probs([""], ["xylophonist"])

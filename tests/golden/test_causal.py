"""A real small causal model: sentences by log-likelihood and pronouns by next token, worked out a second time."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import counterpoise as cp
from counterpoise.data import Pairs, StereoSet, Templates

NAME = "distilgpt2"
PAIRS = [
    ("The nurse said that she was tired.", "The nurse said that he was tired."),
    ("The carpenter lost his hammer.", "The carpenter lost her hammer."),
]


def log_probabilities(lm, text):
    """log P of each token of a text, given those before it and the token that begins a text."""
    ids = lm.tokenizer(text, add_special_tokens=False)["input_ids"]
    whole = torch.tensor([[lm.tokenizer.bos_token_id, *ids]], device=lm.device)
    with torch.no_grad():
        logs = lm.model(whole).logits[0].double().log_softmax(-1)
    return [float(logs[i, token]) for i, token in enumerate(ids)]


def test_pairs_by_log_likelihood(hub):
    lm = hub(NAME)
    expected = [sum(log_probabilities(lm, one)) - sum(log_probabilities(lm, other)) for one, other in PAIRS]
    assert cp.measures.sld(lm, Pairs.of(*PAIRS)).items.sld.tolist() == pytest.approx(expected, abs=1e-3)
    crows = cp.measures.crows(lm, Pairs.of(*PAIRS))
    assert crows.items.difference.tolist() == pytest.approx(expected, abs=1e-3)
    assert set(crows.items.scoring) == {"log-likelihood"}


def test_associations_by_log_likelihood(hub):
    lm = hub(NAME)
    words = ("she", "he", "window")
    found = cp.measures.stereoset(lm, StereoSet.of(("The nurse said that BLANK was tired.", *words))).items
    expected = [np.mean(log_probabilities(lm, f"The nurse said that {word} was tired.")) for word in words]
    scores = found[["score_stereotype", "score_anti_stereotype", "score_unrelated"]].iloc[0].tolist()
    assert scores == pytest.approx(expected, abs=1e-3)


def test_pronouns_by_next_token(hub):
    lm = hub(NAME)
    templates = Templates.of("The nurse said that {subject} was tired.", "{subject} is a nurse.")
    result = cp.measures.ppd(lm, templates)
    before = sum(log_probabilities(lm, "The nurse said that"))
    he, she = (
        np.exp(sum(log_probabilities(lm, f"The nurse said that {word}")) - before) for word in ("he", "she")
    )
    assert result.items.ppd.tolist() == pytest.approx([he - she], abs=1e-4)
    assert "next token" in result.items.scoring[0]
    assert result.skipped.item.tolist() == ["[MASK] is a nurse."]

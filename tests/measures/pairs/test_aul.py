"""AUL and AULA, worked out a second time after the authors' code: one sentence at a time, without masks."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

import brute
import counterpoise as cp
import tiny
from counterpoise.core.errors import ModelError
from counterpoise.data import CrowsPairs, Pairs

PAIRS = Pairs.of(
    ("The phlebotomist said that she was tired.", "The phlebotomist said that he was tired."),
    ("My grandmother was an electrician.", "Joe was an electrician."),
)
SENTENCES = [*PAIRS.table.stereotyped, *PAIRS.table.counterpart]


@pytest.fixture(scope="module", params=["builtin", "bert", "roberta", "albert", "electra"])
def lm(request, builtin, tmp_path_factory):
    if request.param == "builtin":
        return builtin
    return cp.load(tiny.save(request.param, tmp_path_factory.mktemp(request.param)))


def scores(result):
    return [*result.items.score_stereotyped, *result.items.score_counterpart]


def weighted(lm, sentence):
    """The log-probabilities of a sentence's tokens and their attention: layers, then heads, then attending tokens."""
    model = copy.deepcopy(lm.model)
    model.set_attn_implementation("eager")
    ids = torch.tensor([lm.tokenizer(sentence)["input_ids"]])
    with torch.no_grad():
        output = model(input_ids=ids, output_attentions=True)
    logs = output.logits[0].log_softmax(-1).gather(1, ids.view(-1, 1))[1:-1, 0]
    attention = torch.cat(output.attentions).mean(0).mean(0).mean(0)[1:-1]
    return logs.numpy(), attention.numpy()


def test_aul_is_the_mean_over_all_tokens(lm):
    expected = [np.mean(brute.unmasked_log_probabilities(lm, text)) for text in SENTENCES]
    result = cp.measures.aul(lm, PAIRS)
    assert scores(result) == pytest.approx(expected, abs=1e-4)
    difference = np.subtract(expected[:2], expected[2:])
    assert result.overall.value.tolist() == pytest.approx(
        [100 * np.mean(difference > 0), difference.mean(), 0.0], abs=1e-4
    )


def test_aula_weighs_tokens_by_attention(lm):
    logs, attention = zip(*(weighted(lm, text) for text in SENTENCES), strict=True)
    plain = [(w * a).mean() for w, a in zip(logs, attention, strict=True)]
    normalised = [(w * a).sum() / a.sum() for w, a in zip(logs, attention, strict=True)]
    assert scores(cp.measures.aula(lm, PAIRS)) == pytest.approx(plain, abs=1e-4)
    result = cp.measures.aula(lm, PAIRS, normalised=True)
    assert scores(result) == pytest.approx(normalised, abs=1e-4)
    assert set(result.items.scoring) == {"AULA, normalised"}


def test_on_crows_pairs(builtin, data_file):
    data_file("crows-pairs/crows_pairs_anonymized.csv")
    pairs = cp.data.crows_pairs()
    few = CrowsPairs(pairs.name, pairs.table.iloc[::20], pairs.warnings)
    for measure in (cp.measures.aul, cp.measures.aula):
        result = measure(builtin, few)
        assert result.overall.n.iloc[0] == len(few.table)
        assert {"all", "stereo pairs", "antistereo pairs"} == set(result.summary.group)
        assert "Blodgett" in result.warnings[0]
        assert "Kaneko" in result.citation


def test_not_for_causal_models(tmp_path):
    with pytest.raises(ModelError, match="aul needs a masked language model"):
        cp.measures.aul(cp.load(tiny.save("gpt2", tmp_path)), PAIRS)

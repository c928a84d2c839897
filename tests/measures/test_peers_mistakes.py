"""Mistakes that other toolkits make with these measures: for each, what it would give, and that we do not give it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import brute
import counterpoise as cp
import tiny
from counterpoise.data import Pairs, StereoSet

# Of different length, so that a batch of them is ragged.
PAIR = ("The phlebotomist said that she was tired.", "The nurse said that he was tired of it all.")


def logits(lm, ids):
    with torch.no_grad():
        return lm.model(input_ids=torch.tensor([ids])).logits[0].double()


def score(result, column="score_stereotyped"):
    return result.items[column].iloc[0]


def test_probabilities_are_over_the_vocabulary_and_not_over_the_sequence(builtin):
    """PLL, CrowS and AUL with a softmax along the tokens of the sentence, and no padding (ragged input failed)."""
    ids = builtin.tokenizer(PAIR[0])["input_ids"]
    own = range(1, len(ids) - 1)
    wrong_pll = 0.0
    for i in own:
        masked = [builtin.tokenizer.mask_token_id if j == i else token for j, token in enumerate(ids)]
        wrong_pll += float(logits(builtin, masked).log_softmax(0)[i, ids[i]])
    pll = builtin.pseudo_log_likelihood(PAIR)  # both at once
    assert pll[0] == pytest.approx(brute.pseudo_log_likelihood(builtin, PAIR[0]), abs=1e-4)
    assert abs(pll[0] - wrong_pll) > 1

    whole = logits(builtin, ids)
    right, wrong = (float(whole.log_softmax(axis)[own, ids[1:-1]].mean()) for axis in (1, 0))
    aul = score(cp.measures.aul(builtin, Pairs.of(PAIR)))
    assert aul == pytest.approx(right, abs=1e-4)
    assert abs(aul - wrong) > 1e-3  # small, since a token that is shown is easy to predict
    assert np.isfinite(score(cp.measures.crows(builtin, Pairs.of(PAIR))))


def test_a_sentence_is_the_sum_of_its_tokens_and_not_of_the_vocabulary(tmp_path):
    """StereoSet with the log-probabilities of all words of the vocabulary added up."""
    lm = cp.load(tiny.save("gpt2", tmp_path))
    example = StereoSet.of(("She is a nurse.", "Her patients like her.", "She is a boxer.", "Ice melts."))
    found = score(cp.measures.stereoset(lm, example, per_token=False), "score_stereotype")
    text = "She is a nurse. Her patients like her."
    before = len(lm.tokenizer("She is a nurse.")["input_ids"]) - 2
    assert found == pytest.approx(sum(brute.causal_log_probabilities(lm, text)[before:-1]), abs=1e-4)
    ids = lm.tokenizer(text)["input_ids"]
    over_vocabulary = float(logits(lm, ids).log_softmax(-1)[before:-2].sum())
    assert abs(found - over_vocabulary) > 100


@pytest.mark.parametrize("hidden", ["rest", "nothing"])
def test_a_span_is_scored_on_the_diagonal(builtin, hidden):
    """`log_probs[:, ids]` reads every token at every position of a span; each belongs at its own."""
    ids = builtin.tokenizer(PAIR[0])["input_ids"]
    word = builtin.tokenizer.tokenize("phlebotomist")
    places = list(range(2, 2 + len(word)))
    assert len(places) > 1
    [found] = builtin.token_log_probs([PAIR[0]], [places], hidden=hidden)
    if hidden == "rest":
        assert found == pytest.approx(brute.chain_log_probabilities(builtin, PAIR[0], places), abs=1e-4)
    block = logits(builtin, ids).log_softmax(-1)[places][:, [ids[place] for place in places]]
    if hidden == "nothing":
        assert found == pytest.approx(block.diagonal().numpy(), abs=1e-4)
    assert abs(found.mean() - float(block.mean())) > 0.1


def test_crows_scores_the_shared_tokens_and_not_the_changed_ones(builtin):
    first, second = "The nurse said that she was tired.", "The nurse said that he was tired."
    result = cp.measures.crows(builtin, Pairs.of((first, second)))
    ids = builtin.tokenizer(first)["input_ids"]
    changed = ids.index(builtin.tokenizer.convert_tokens_to_ids("she"))
    logs = {i: brute.chain_log_probabilities(builtin, first, [i])[0] for i in range(1, len(ids) - 1)}
    shared = sum(value for i, value in logs.items() if i != changed)
    assert score(result) == pytest.approx(shared, abs=1e-4)
    assert abs(score(result) - logs[changed]) > 1
    assert abs(score(result) - sum(logs.values())) > 0.1


def test_ties_are_ties(builtin, tmp_path):
    """Rounded scores made more of them, and they counted for the other side."""
    even = Pairs.of(("He is a NURSE.", "He is a nurse."))  # the same to an uncased model
    for measure in (cp.measures.crows, cp.measures.aul, cp.measures.aula):
        share, _, ties = measure(builtin, even).overall.value
        assert (share, ties) == (50.0, 1.0)
    causal = cp.load(tiny.save("gpt2", tmp_path))
    with torch.no_grad():
        causal.model.lm_head.weight.zero_()  # all tokens are as probable, so are sentences of one length
    result = cp.measures.crows(causal, Pairs.of(("He is a nurse.", "He is a chef.")), per_token=True)
    assert result.overall.value.tolist()[0] == 50.0


def test_a_causal_difference_keeps_its_sign_and_may_be_normalised(tmp_path):
    """An absolute difference cannot say which side is preferred, and a sum prefers the shorter one."""
    lm = cp.load(tiny.save("gpt2", tmp_path))
    there, back = cp.measures.crows(lm, Pairs.of(PAIR)), cp.measures.crows(lm, Pairs.of(PAIR[::-1]))
    assert score(there, "difference") == pytest.approx(-score(back, "difference"), abs=1e-4)
    assert {there.overall.value.iloc[0], back.overall.value.iloc[0]} == {0.0, 100.0}
    per_token = cp.measures.crows(lm, Pairs.of(PAIR), per_token=True)
    logs = [brute.causal_log_probabilities(lm, text) for text in PAIR]
    assert score(per_token, "difference") == pytest.approx(np.mean(logs[0]) - np.mean(logs[1]), abs=1e-4)
    assert score(there, "difference") == pytest.approx(sum(logs[0]) - sum(logs[1]), abs=1e-4)


def test_a_word_in_a_gap_keeps_the_space_before_it(tmp_path):
    """Byte-level tokenizers write a word after a space as another token than one at the start of a text."""
    lm = cp.load(tiny.save("roberta", tmp_path))
    example = StereoSet.of(("My sister is a BLANK.", "nurse", "plumber", "window"))
    found = score(cp.measures.stereoset(lm, example), "score_stereotype")
    with_space, without = (
        lm.tokenizer(word, add_special_tokens=False)["input_ids"] for word in (" nurse", "nurse")
    )
    assert with_space != without
    ids = lm.tokenizer("My sister is a nurse.")["input_ids"]
    places = [i for i in range(len(ids)) if ids[i : i + len(with_space)] == with_space]
    places = list(range(places[0], places[0] + len(with_space)))
    right = brute.chain_log_probabilities(lm, "My sister is a nurse.", places)
    assert found == pytest.approx(np.mean(right), abs=1e-4)
    masked = [lm.tokenizer.mask_token_id if i in places else token for i, token in enumerate(ids)]
    wrong = float(logits(lm, masked).log_softmax(-1)[places[0], without[0]])
    assert abs(right[0] - wrong) > 1e-3

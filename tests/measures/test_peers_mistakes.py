"""Mistakes that other toolkits make with these measures: for each, what it would give, and that we do not give it.

1. LPBS that fills the target's mask, or none, with the attribute: `test_the_attribute_fills_its_own_mask`
2. Softmax along the sentence, and ragged batches: `test_probabilities_are_over_the_vocabulary_...`
3. WEAT's p drawn with replacement and without a seed, strictly above, and d with ddof 0: `test_weats_p_...` and
   `test_weats_d_...`; further in tests/stats/test_permutations.py, test_vector_association.py and test_effects.py
4. StereoSet summed over the vocabulary: `test_a_sentence_is_the_sum_of_its_tokens_...`
5. A span read as a block instead of its diagonal: `test_a_span_is_scored_on_the_diagonal`
6. CrowS of the changed tokens, rounded, ties against the stereotype: `test_crows_scores_the_shared_tokens_...`,
   `test_ties_are_ties`, `test_what_rounding_would_make_a_tie_is_none`
7. CrowS of causal models without sign and without length: `test_a_causal_difference_keeps_its_sign_...`; its ties:
   `test_ties_are_ties`
8. A word in StereoSet's gap without the space before it: `test_a_word_in_a_gap_keeps_the_space_before_it`
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import torch

import brute
import counterpoise as cp
import tiny
from counterpoise import stats
from counterpoise.data import Associations, Pairs, StereoSet
from counterpoise.data.builtin.associations import AssociationSpec

# Of different length, so that a batch of them is ragged.
PAIR = ("The phlebotomist said that she was tired.", "The nurse said that he was tired of it all.")


def logits(lm, ids):
    with torch.no_grad():
        return lm.model(input_ids=torch.tensor([ids])).logits[0].double()


def score(result, column="score_stereotyped"):
    return result.items[column].iloc[0]


@pytest.mark.parametrize(
    ("template", "filled_by_count", "mask"),
    [
        (
            "{target} is a {attribute}.",
            "Nurse is a [MASK].",
            0,
        ),  # the count 1 fills the first mask, the target's
        ("A {attribute} met {target}.", "A [MASK] met [MASK].", -1),  # the count 0 fills none
    ],
)
def test_the_attribute_fills_its_own_mask(builtin, template, filled_by_count, mask):
    """`template.replace("[MASK]", word, index)` takes the number of the mask for a number of replacements."""
    words = {"attributes": {"a": ["nurse"], "b": ["boxer"]}, "targets": {"male": ["him"], "female": ["her"]}}
    test = {"name": "own", **words, "templates": [template]}
    items = cp.measures.lpbs_weat(
        builtin, Associations(AssociationSpec.model_validate({"tests": [test]}))
    ).items
    nurse = items[items.attribute == "nurse"].set_index("target_group")
    filled = template.replace("{attribute}", "nurse").replace("{target}", "[MASK]")
    empty = template.replace("{attribute}", "[MASK]").replace("{target}", "[MASK]")
    for group, target in (("male", "him"), ("female", "her")):
        token = builtin.tokenizer.convert_tokens_to_ids(target)
        prior = brute.log_probability(builtin, empty, token, mask)
        right = brute.log_probability(builtin, filled, token) - prior
        wrong = brute.log_probability(builtin, filled_by_count, token, mask) - prior
        assert nurse.association[group] == pytest.approx(right, abs=1e-4)
        assert abs(nurse.association[group] - wrong) > 0.01


def weat_example(words: int) -> list[np.ndarray]:
    """Two sets of targets, the first nearer to the first attributes, and two of attributes."""
    rng = np.random.default_rng(4)
    targets, attributes = rng.normal(size=(2, words, 10)), rng.normal(size=(2, words, 10))
    return [targets[0] + attributes[0], targets[1] + attributes[1], *attributes]


def test_weats_p_counts_each_partition_once_and_the_observed_one_too():
    """Drawn with replacement a word can be in both sets, or twice in one, and p can be 0."""
    sets = weat_example(3)
    x, y, a, b = (one / np.linalg.norm(one, axis=1, keepdims=True) for one in sets)
    targets = np.concatenate([x, y])
    s = (targets @ a.T).mean(axis=1) - (targets @ b.T).mean(axis=1)
    found = stats.association_test(*sets, alternative="greater")
    observed = s[:3].mean() - s[3:].mean()

    def difference(first, second):
        return s[list(first)].mean() - s[list(second)].mean()

    partitions = [(some, set(range(6)) - set(some)) for some in combinations(range(6), 3)]
    exact = np.mean([difference(*partition) >= observed - 1e-12 for partition in partitions])
    draws = product(range(6), repeat=6)
    with_replacement = np.mean([difference(draw[:3], draw[3:]) > observed for draw in draws])
    assert found.p_value == pytest.approx(exact)
    assert found.p_value >= 1 / len(partitions)
    assert abs(found.p_value - with_replacement) > 0.01
    assert stats.association_test(*sets, alternative="greater").p_value == found.p_value


def test_weats_d_has_the_papers_standard_deviation():
    """ddof 1, not 0: of 8 and 8 words .7554 and not .7314."""
    sets = weat_example(8)
    assert stats.association_test(*sets).effect_size == pytest.approx(
        stats.association_test(*sets, ddof=0).effect_size * np.sqrt(15 / 16)
    )


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


def test_what_rounding_would_make_a_tie_is_none(tmp_path):
    """A model of which all words are nearly as likely: scores differ in the fifth decimal."""
    lm = cp.load(tiny.save("bert", tmp_path))
    with torch.no_grad():
        lm.model.cls.predictions.transform.LayerNorm.weight.mul_(1e-5)
    pair = Pairs.of(("He is a nurse.", "She is a nurse."))
    result = cp.measures.crows(lm, pair)
    assert 0 < abs(score(result, "difference")) < 5e-4
    share, _, ties = result.overall.value
    assert (share in (0.0, 100.0), ties) == (True, 0.0)
    assert cp.measures.crows(lm, pair, variant="published").overall.value.tolist()[::2] == [0.0, 1.0]


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

"""Every log-probability equals a brute-force forward pass."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer

import brute
import counterpoise as cp
import tiny
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import InputError, ModelError
from counterpoise.models.positions import log_probs_at, mask_positions
from counterpoise.models.scoring.questions import Questions
from counterpoise.models.scoring.spans import own_tokens, tokens_within

TEXTS = [
    "[MASK] is a nurse.",
    "My [MASK] works as a mobile equipment mechanic.",
    "The engineer decided to quit [MASK] job.",
    "[MASK], the phlebotomist, had a good day at work.",
]
SENTENCES = [
    "He is a nurse.",
    "The phlebotomist is upset because she could not satisfy the customers.",
    "My sister wants to become an electrician.",
]


@pytest.fixture(scope="module", params=["builtin", *tiny.MASKED])
def lm(request, builtin, tmp_path_factory):
    if request.param == "builtin":
        return builtin
    return cp.load(tiny.save(request.param, tmp_path_factory.mktemp(request.param)))


def test_target_log_probs_equal_brute_force(lm):
    words = ["he", "she", "engineer", "phlebotomist"]
    found = lm.target_log_probs(TEXTS, words)
    expected = [[brute.word_log_probability(lm, text, word) for word in words] for text in TEXTS]
    assert found == pytest.approx(np.array(expected), abs=1e-4)


@pytest.mark.parametrize("mask", [0, 1, -1])
def test_the_mask_asked_about_is_the_one_that_is_read(lm, mask):
    text = "the [MASK] told the [MASK] that he was late."
    [[found]] = lm.target_log_probs([text], ["nurse"], mask=mask)
    assert found == pytest.approx(brute.word_log_probability(lm, text, "nurse", mask), abs=1e-4)


@pytest.mark.parametrize("scoring", ["token", "word_l2r"])
def test_pseudo_log_likelihood_equals_brute_force(lm, scoring):
    found = lm.pseudo_log_likelihood(SENTENCES, scoring)
    expected = [brute.pseudo_log_likelihood(lm, sentence, scoring == "word_l2r") for sentence in SENTENCES]
    assert found == pytest.approx(np.array(expected), abs=1e-4)


def test_tokens_of_a_sentence_that_hides_nothing(lm):
    found = lm.token_log_probs(SENTENCES, hidden="nothing")
    for values, sentence in zip(found, SENTENCES, strict=True):
        assert values == pytest.approx(brute.unmasked_log_probabilities(lm, sentence), abs=1e-4)


def test_tokens_at_chosen_positions(lm):
    """Each on its own adds up to a part of the PLL; hidden together, to the chain rule."""
    sentence = SENTENCES[1]
    [encoded] = lm.encode([sentence])
    start = sentence.index("phlebotomist")
    places = tokens_within(encoded, start, start + len("phlebotomist"))
    [whole] = lm.token_log_probs([sentence])
    [part] = lm.token_log_probs([sentence], [places])
    [chained] = lm.token_log_probs([sentence], [places], hidden="rest")
    assert whole.sum() == pytest.approx(brute.pseudo_log_likelihood(lm, sentence), abs=1e-4)
    own = own_tokens(encoded).tolist()
    assert part == pytest.approx(whole[[own.index(place) for place in places]], abs=1e-4)
    assert chained == pytest.approx(brute.chain_log_probabilities(lm, sentence, places.tolist()), abs=1e-4)
    [nothing] = lm.token_log_probs([sentence], [[]])
    assert len(nothing) == 0
    assert lm.token_log_probs([]) == []


def test_an_id_at_the_first_mask(lm):
    ids = lm.tokenizer(" nurse", add_special_tokens=False)["input_ids"]
    texts = [TEXTS[0], "A [MASK] told a [MASK]."]
    first = [masks[0] for masks in mask_positions(lm, texts)]
    found = log_probs_at(lm, texts, first, [ids[0], ids[-1]])
    expected = [
        brute.log_probability(lm, TEXTS[0], ids[0]),
        brute.log_probability(lm, "A [MASK] told a [MASK].", ids[-1]),
    ]
    assert found.tolist() == pytest.approx(expected, abs=1e-4)


def test_an_unknown_way_to_hide(builtin):
    with pytest.raises(InputError, match="there is no way to hide tokens 'all'"):
        builtin.token_log_probs(SENTENCES, hidden="all")


def test_what_is_not_asked_about_is_not_computed(lm):
    kind = lm.model.config.model_type
    split = lm.engine.split
    assert (split is None) == (kind == "deberta-v2")
    if split is not None:
        assert (split.last is not None) == (
            kind in {"bert", "distilbert", "roberta", "xlm-roberta", "electra"}
        )


def test_probabilities_of_a_mask_sum_to_one(lm):
    context = lm.encode([TEXTS[0].replace("[MASK]", lm.tokenizer.mask_token)])[0]
    position = context.ids.index(lm.tokenizer.mask_token_id)
    size = lm.model.config.vocab_size
    questions = Questions.of(np.tile(context.ids, (size, 1)), np.full(size, position), np.arange(size))
    assert np.exp(lm.answer(questions)).sum() == pytest.approx(1.0, abs=1e-4)


def test_answers_do_not_depend_on_batching(builtin):
    together = builtin.pseudo_log_likelihood(SENTENCES)
    small = cp.models.MaskedLM(builtin.model, builtin.tokenizer, name="small batches", token_budget=1)
    assert small.pseudo_log_likelihood(SENTENCES) == pytest.approx(together, abs=1e-4)


def test_word_l2r_never_gives_more_than_token_scoring_to_a_split_word(builtin):
    [token] = builtin.pseudo_log_likelihood(["The phlebotomist was here."])
    [word] = builtin.pseudo_log_likelihood(["The phlebotomist was here."], "word_l2r")
    assert word < token


def test_different_targets_per_text(builtin):
    found = builtin.target_log_probs(TEXTS[:2], [["he", "she"], ["brother", "sister"]])
    assert found[1, 1] == pytest.approx(brute.word_log_probability(builtin, TEXTS[1], "sister"), abs=1e-4)


def test_a_batch_that_does_not_fit_is_halved(builtin, monkeypatch):
    expected = builtin.pseudo_log_likelihood(SENTENCES)
    tight = cp.models.MaskedLM(builtin.model, builtin.tokenizer, name="tight")
    logits, sizes = tight.engine.logits, []

    def short_of_memory(rows, *asked):
        sizes.append(len(rows))
        if len(rows) > 3:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB")
        return logits(rows, *asked)

    monkeypatch.setattr(tight.engine, "logits", short_of_memory)
    assert tight.pseudo_log_likelihood(SENTENCES) == pytest.approx(expected, abs=1e-4)
    assert max(sizes) > 3

    def no_memory(rows, *asked):
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(tight.engine, "logits", no_memory)
    with pytest.raises(
        ModelError, match=r"not enough memory for one text of \d+ tokens with tight: '\[CLS\]"
    ):
        tight.pseudo_log_likelihood(SENTENCES)

    def broken(rows, *asked):
        raise RuntimeError("another error")

    monkeypatch.setattr(tight.engine, "logits", broken)
    with pytest.raises(RuntimeError, match="another error"):
        tight.pseudo_log_likelihood(SENTENCES)


def test_fill_gives_the_most_probable_words(builtin):
    [best] = builtin.fill("paris is the capital of [MASK].", k=3)
    france = builtin.tokenizer.convert_tokens_to_ids("france")
    expected = np.exp(brute.log_probability(builtin, "paris is the capital of [MASK].", france))
    assert best[0].word == "france"
    assert best[0].probability == pytest.approx(expected, abs=2e-6)
    assert len(best) == 3


def test_masks_stand_for_the_pieces_of_a_word(builtin):
    pieces = builtin.tokenizer.tokenize("phlebotomist")
    assert builtin.masked("phlebotomist").split() == ["[MASK]"] * len(pieces)
    assert builtin.masked("nurse") == "[MASK]"


def test_the_cache_answers_without_the_model(builtin, tmp_path):
    fresh = cp.models.MaskedLM(builtin.model, builtin.tokenizer, name="cached")
    fresh.cache = ScoreCache(tmp_path / "scores.sqlite")
    first = fresh.pseudo_log_likelihood(SENTENCES)
    fresh.engine.logits = None  # a question to the model would now fail
    assert fresh.pseudo_log_likelihood(SENTENCES).tolist() == first.tolist()


def test_the_fingerprint_tells_models_apart_and_survives_saving(tmp_path):
    first = cp.load(tiny.save("bert", tmp_path / "first"))
    again = cp.load(tmp_path / "first")
    again.pseudo_log_likelihood(["Asking changes nothing."])
    assert again.fingerprint == first.fingerprint
    with torch.no_grad():
        next(again.model.parameters()).view(-1)[0] += 1e-3
    assert cp.models.MaskedLM(again.model, again.tokenizer, name="changed").fingerprint != first.fingerprint


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda lm: lm.pseudo_log_likelihood(["fine.", ""]), "the text is empty: ''"),
        (lambda lm: lm.pseudo_log_likelihood(["  "]), "the text is empty"),
        (
            lambda lm: lm.pseudo_log_likelihood(["long " * 600]),
            "the text has 602 tokens and the model takes 512",
        ),
        (lambda lm: lm.pseudo_log_likelihood(["fine."], "words"), "there is no scoring 'words'"),
        (lambda lm: lm.target_log_probs(["no slot"], ["he"]), r"the text has no \[MASK\]: 'no slot'"),
        (lambda lm: lm.target_log_probs(["[MASK]."], ["he"], mask=1), "the text has 1 masks and number 1"),
        (lambda lm: lm.target_log_probs(["[MASK]."], [" "]), "a target must be a word"),
        (lambda lm: lm.target_log_probs(["[MASK]."], ["☃"]), "the target '☃' is not in the vocabulary"),
        (lambda lm: lm.target_log_probs(["[MASK]."], []), "targets must be a list of words"),
        (lambda lm: lm.target_log_probs(["[MASK]."], "he"), "targets must be a list of words"),
        (lambda lm: lm.target_log_probs(["[MASK].", "[MASK]!"], [["he"]]), "2 texts and 1 lists of targets"),
        (
            lambda lm: lm.target_log_probs(["[MASK].", "[MASK]!"], [["he"], ["he", "she"]]),
            "same number of targets",
        ),
        (lambda lm: lm.fill("no slot"), r"the text has no \[MASK\]"),
        (lambda lm: lm.fill("[MASK].", k=0), "k must lie between 1 and 30522"),
        (lambda lm: lm.pseudo_log_likelihood("nurse"), "texts must be a list of texts, not one text"),
        (lambda lm: lm.pseudo_log_likelihood(["He is a [MASK]."]), "must have no mask in it"),
        (lambda lm: lm.target_log_probs(["the [MASK]s are here."], ["nurse"]), "melts into a longer token"),
        (
            lambda lm: lm.target_log_probs(["[MASK] " + "so " * 509], ["phlebotomist"]),
            "with 'phlebotomist' the text has 516 tokens",
        ),
        (lambda lm: lm.pseudo_log_likelihood([3]), "a text must be a string, not int"),
    ],
)
def test_bad_input_is_named(builtin, ask, message):
    with pytest.raises(InputError, match=message):
        ask(builtin)


def test_no_questions_no_answers(builtin):
    assert builtin.pseudo_log_likelihood([]).shape == (0,)
    assert builtin.target_log_probs([], ["he"]).shape == (0, 1)


def test_broken_weights_are_named_and_not_averaged_away(tmp_path):
    lm = cp.load(tiny.save("bert", tmp_path))
    with torch.no_grad():
        lm.model.bert.encoder.layer[0].output.dense.weight[0, 0] = float("nan")
    with pytest.raises(ModelError, match="gives nan as the log-probability of 'he' in"):
        lm.target_log_probs(["[MASK] is a nurse."], ["he"])


def test_a_vocabulary_smaller_than_the_tokenizers_is_named(tmp_path):
    lm = cp.load(tiny.save("bert", tmp_path))
    lm.model.config.vocab_size = 1000
    with pytest.raises(InputError, match="the model's vocabulary ends at 999"):
        lm.pseudo_log_likelihood(["The nurse."])


def with_a_mask_that_takes_the_space(tokenizer):
    """As RoBERTa and ALBERT have it: the space before the mask is part of the mask."""
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    for token in state["added_tokens"]:
        token["lstrip"] = token["content"] == tokenizer.mask_token
    return tiny._wrap(
        Tokenizer.from_str(json.dumps(state)),
        *(tokenizer.special_tokens_map[f"{name}_token"] for name in ("cls", "sep", "pad", "unk", "mask")),
    )


@pytest.mark.parametrize(("kind", "make"), [("roberta", tiny.byte_level), ("albert", tiny.unigram)])
@pytest.mark.parametrize("takes_space", [True, False])
def test_a_space_that_is_a_token_of_its_own_is_there_once(kind, make, takes_space):
    """In these vocabularies `her` after a space is two tokens, and the first must be with the word or in the text."""
    tokenizer = with_a_mask_that_takes_the_space(make()) if takes_space else make()
    torch.manual_seed(0)
    lm = cp.models.MaskedLM(tiny._MODELS[kind](tokenizer), tokenizer, name=kind)
    space, her = tokenizer(" her", add_special_tokens=False)["input_ids"]
    text = "The nurse lost [MASK] keys."
    context = tokenizer(text.replace("[MASK]", tokenizer.mask_token))["input_ids"]
    taken = context[context.index(tokenizer.mask_token_id) - 1] != space
    assert taken == takes_space or transformers.__version__.startswith("4.")  # which lets every mask take it
    assert lm._pieces([text], [["her"]], 0) == [[space, her] if taken else [her]]
    for other in (text, "[MASK] [MASK] is here.", "[MASK] keys are lost."):
        [[found]] = lm.target_log_probs([other], ["her"])
        assert found == pytest.approx(brute.word_log_probability(lm, other, "her"), abs=1e-4)

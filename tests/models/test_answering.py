"""Answers of models that are loaded, compared with plain forward passes, and of Python functions."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import stats

import counterpoise as cp
import tiny
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import FunctionError, InputError, ModelError
from counterpoise.models import Answer, AnswerFunction, CausalLM, Sampling
from counterpoise.models.answering import answer_seeds
from counterpoise.models.generating import draw_tokens

PROMPTS = ["The nurse said that", "He is a", "My sister wants to become an electrician and"]
CHAT = "{% for turn in messages %}{{ turn['role'] }}: {{ turn['content'] }}\n{% endfor %}assistant:"


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def lm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CausalLM:
    return cp.load(tiny.save(request.param, tmp_path_factory.mktemp("lm")), device="cpu")


def greedy(lm: CausalLM, ids: list[int], tokens: int) -> str:
    """The likeliest token again and again, each by a forward pass over all before it."""
    written: list[int] = []
    for _ in range(tokens):
        with torch.inference_mode():
            token = int(lm.model(torch.tensor([[*ids, *written]])).logits[0, -1].argmax())
        if token == lm.tokenizer.eos_token_id:
            break
        written.append(token)
    return lm.tokenizer.decode(written, skip_special_tokens=True)


def plain_ids(lm: CausalLM, prompt: str) -> list[int]:
    return [*lm.start.ids, *lm.tokenizer(prompt, add_special_tokens=False)["input_ids"]]


def test_greedy_answers_are_those_of_plain_forward_passes(lm):
    found = lm.answers(PROMPTS, n=2, sampling=Sampling(temperature=0, max_tokens=6))
    for prompt, answers in zip(PROMPTS, found, strict=True):
        assert answers[0] == answers[1]
        assert answers[0].text == greedy(lm, plain_ids(lm, prompt), 6)


def test_an_answer_does_not_depend_on_those_beside_it(lm):
    sampling = Sampling(max_tokens=8)
    together = lm.answers(PROMPTS, n=3, sampling=sampling, seed=5)
    for prompt, answers in zip(PROMPTS, together, strict=True):
        assert lm.answers([prompt], n=2, sampling=sampling, seed=5)[0] == answers[:2]
    assert lm.answers(PROMPTS, n=3, sampling=sampling, seed=6) != together


def test_tokens_are_drawn_as_often_as_they_are_probable(lm):
    found = lm.answers(["He is a"], n=400, sampling=Sampling(max_tokens=1, temperature=0.5))[0]
    with torch.inference_mode():
        logits = lm.model(torch.tensor([plain_ids(lm, "He is a")])).logits[0, -1].double()
    probabilities = (logits / 0.5).softmax(-1).numpy()
    likeliest = np.argsort(-probabilities)[:4]
    texts = [lm.tokenizer.decode([token], skip_special_tokens=True) for token in likeliest]
    counts = [sum(answer.text == text for answer in found) for text in texts]
    expected = [400 * probabilities[token] for token in likeliest]
    rest = 400 - sum(counts), 400 - sum(expected)
    assert stats.chisquare([*counts, rest[0]], [*expected, rest[1]]).pvalue > 0.001


def test_draws_by_hand():
    probabilities = torch.tensor([[0.1, 0.6, 0.3]]).log().repeat(5, 1)
    numbers = torch.tensor([0.0, 0.59, 0.61, 0.89, 0.95])
    assert draw_tokens(probabilities, numbers, Sampling()).tolist() == [0, 1, 1, 2, 2]
    # top_p 0.5 leaves the likeliest alone; 0.7 the two likeliest, with 2/3 and 1/3.
    assert draw_tokens(probabilities, numbers, Sampling(top_p=0.5)).tolist() == [1] * 5
    assert draw_tokens(probabilities, numbers, Sampling(top_p=0.7)).tolist() == [1, 1, 1, 2, 2]


LIKELIEST = list(range(5, 60))  # tokens of the small vocabulary


@pytest.mark.parametrize(
    "defaults",
    [
        {"repetition_penalty": 5.0, "top_k": 1, "do_sample": True},
        {"min_new_tokens": 8},
        {"min_length": 60},
        {"suppress_tokens": LIKELIEST},
        {"begin_suppress_tokens": LIKELIEST},
        {"bad_words_ids": [[token] for token in LIKELIEST]},
        {"forced_eos_token_id": 7},
        {"sequence_bias": [[[token], -50.0] for token in LIKELIEST]},
        {"encoder_repetition_penalty": 9.0},
        {"exponential_decay_length_penalty": (1, 50.0)},
        {"return_dict_in_generate": True, "output_scores": True},
        {"num_beams": 3, "num_return_sequences": 2},
    ],
    ids=lambda defaults: "-".join(defaults),
)
def test_a_models_own_defaults_do_not_count(defaults, lm):
    samplings = [Sampling(max_tokens=8, temperature=temperature) for temperature in (0, 1, 3)]
    own = [lm.answers(PROMPTS, n=4, sampling=sampling) for sampling in samplings]
    before = lm.model.generation_config
    try:
        lm.model.generation_config = changed = type(before).from_dict(before.to_dict() | defaults)
        assert [lm.answers(PROMPTS, n=4, sampling=sampling) for sampling in samplings] == own
        assert lm.model.generation_config is changed
    finally:
        lm.model.generation_config = before


def test_an_answer_ends_or_is_cut(lm):
    found = lm.answers(["He is a"], n=60, sampling=Sampling(max_tokens=30, temperature=3.0))[0]
    assert {answer.ended for answer in found} == {True, False} or not any(answer.ended for answer in found)
    before = lm.tokenizer.eos_token
    first = lm.answers(["He is a"], sampling=Sampling(temperature=0, max_tokens=3))[0][0]
    [token, *_] = lm.tokenizer(first.text, add_special_tokens=False)["input_ids"]
    assert not first.ended
    try:
        lm.tokenizer.eos_token = lm.tokenizer.convert_ids_to_tokens(token)
        assert lm.answers(["He is a"], sampling=Sampling(temperature=0, max_tokens=3))[0] == [Answer("")]
    finally:
        lm.tokenizer.eos_token = before


def test_a_chat_template_is_used_where_there_is_one(lm, monkeypatch):
    monkeypatch.setattr(lm.tokenizer, "chat_template", CHAT)
    text = "user: He is a nurse.\nassistant:"
    expected = greedy(lm, lm.tokenizer(text, add_special_tokens=False)["input_ids"], 5)
    found = lm.answers(["He is a nurse."], sampling=Sampling(temperature=0, max_tokens=5))
    assert found[0][0].text == expected
    assert lm.has_chat


def test_prompts_that_cannot_be_asked_are_named(lm):
    long = "He is a nurse. " * 40
    problems = lm.prompt_problems(["Fine.", " ", long], Sampling(max_tokens=10))
    assert problems[:2] == [None, "the prompt is empty"]
    assert problems[2].endswith("its answer may have 10, and the model takes 64")
    with pytest.raises(InputError, match="the prompt is empty: ' '"):
        lm.answers([" "])
    with pytest.raises(InputError, match="texts must be a list"):
        lm.answers("Why?")


def test_answers_are_kept_and_an_interrupted_list_resumes(lm, tmp_path, monkeypatch):
    sampling = Sampling(max_tokens=5)
    expected = lm.answers(PROMPTS, n=2, sampling=sampling)
    lm.cache = ScoreCache(tmp_path / "scores.sqlite")
    generate, calls = lm.model.generate, []

    def interrupted(*given, **how):
        calls.append(len(given[0]))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return generate(*given, **how)

    try:
        monkeypatch.setattr("counterpoise.models.generating._TOKENS_AT_ONCE", {"cpu": 50})
        monkeypatch.setattr(lm.model, "generate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            lm.answers(PROMPTS, n=2, sampling=sampling)
        done = calls[0]
        assert lm.answers(PROMPTS, n=2, sampling=sampling) == expected
        assert sum(calls[2:]) == 6 - done
        calls[:] = [0, 0]
        assert lm.answers(PROMPTS, n=2, sampling=sampling) == expected
        assert calls == [0, 0]  # nothing was generated
    finally:
        lm.cache = None


def test_sampling_settings_are_checked():
    for wrong in ({"temperature": float("nan")}, {"top_p": 0.0}, {"top_p": 1.5}, {"max_tokens": 0}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            Sampling(**wrong)
    with pytest.raises(InputError, match="n, the number of answers"):
        answer_seeds(["Why?"], 0, Sampling(), 0)


def test_seeds_are_spread():
    seeds = [
        one for row in answer_seeds([f"prompt {i}" for i in range(200)], 5, Sampling(), 3) for one in row
    ]
    assert len(set(seeds)) == 1000
    assert stats.kstest(np.array(seeds) / 2**31, "uniform").pvalue > 0.001


def test_functions_of_one_prompt_and_of_lists():
    calls = []

    def with_seed(prompt, seed):
        calls.append((prompt, seed))
        return f"{prompt} {seed % 2}"

    def of_lists(prompts, seeds):
        assert isinstance(prompts, list)
        return [f"{prompt} {seed % 2}" for prompt, seed in zip(prompts, seeds, strict=True)]

    asked = ["a", "b", "a"]
    found = AnswerFunction.of(with_seed).answers(asked, n=3, seed=1)
    assert len(calls) == 6  # equal prompts are asked once
    assert found[0] == found[2]
    assert AnswerFunction.of(of_lists).answers(asked, n=3, seed=1) == found
    assert AnswerFunction.of(lambda prompt: "", name="silent").answers(["a"]) == [[Answer("")]]
    assert (
        AnswerFunction.of(lambda prompt, seed: Answer("N", ended=False)).answers(["a"])[0][0].ended is False
    )


def test_seeds_are_passed_to_parameters_that_are_meant_for_them():
    def own_setting(prompt, temperature=0.7):
        return f"{temperature}"

    def keyword_only(prompt, *, seed):
        return f"{seed}"

    def after_a_setting(prompt, temperature=0.7, seed=None):
        return f"{temperature} {seed}"

    def any_name(prompt, number):
        return f"{number}"

    def lists(prompts, length=3, seeds=()):
        return [f"{length} {seed}" for seed in seeds]

    def rest(prompt, **settings):
        return f"{settings}"

    def wrapped(*arguments, **settings):
        return any_name(*arguments, **settings)

    def answered(function):
        [[answer]] = AnswerFunction.of(function).answers(["Why?"])
        return answer.text

    [[seed]] = answer_seeds(["Why?"], 1, Sampling(), seed=0)
    assert answered(own_setting) == "0.7"
    assert answered(rest) == "{}"
    assert answered(keyword_only) == answered(any_name) == answered(wrapped) == f"{seed}"
    assert answered(after_a_setting) == f"0.7 {seed}"
    assert answered(lists) == f"3 {seed}"
    assert answered(partial(after_a_setting, temperature=1)) == f"1 {seed}"


def test_functions_that_answer_wrongly_are_one_line():
    with pytest.raises(ModelError, match="none must return a text for 'a', not None"):
        AnswerFunction.of(lambda prompt: None, name="none").answers(["a"])
    with pytest.raises(ModelError, match="few was given 2 prompts and returned 1 answers"):
        AnswerFunction.of(lambda prompts: ["x"], name="few").answers(["a", "b"])
    with pytest.raises(FunctionError, match="odd raised an error"):
        AnswerFunction.of(lambda prompt, seed: 1 / 0, name="odd").answers(["a"])


def test_functions_are_loaded_as_other_models(tmp_path: Path):
    model = cp.load(lambda prompt, seed: "Yes.", kind="answers")
    assert isinstance(model, AnswerFunction)
    assert cp.load(model) is model
    with pytest.raises(InputError, match="positive is for classifiers"):
        cp.load(lambda prompt, seed: "Yes.", kind="answers", positive="yes")
    with pytest.raises(InputError, match="kind 'answers' is for Python functions, and 'builtin' is a name"):
        cp.load("builtin", kind="answers")

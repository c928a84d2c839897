"""Answers of a model behind an endpoint: seeds, what is kept, refusals, and the estimate before they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import counterpoise as cp
import tiny
from counterpoise.audit.planning import plan_asking
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import ModelError
from counterpoise.models import Answer, Endpoint, Sampling
from counterpoise.models.answering import answer_seeds
from served import Misbehaving, misbehaving, serving_model

PROMPTS = ["The nurse said that", "He is a"]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    model = cp.load(tiny.save("gpt2-without-pad", tmp_path_factory.mktemp("served")), device="cpu")
    with serving_model(model) as address:
        yield address


@pytest.fixture
def in_front(url: str) -> Iterator[tuple[str, type[Misbehaving]]]:
    with misbehaving(url) as server:
        yield server


def test_each_answer_is_asked_with_a_seed_and_kept(in_front, tmp_path):
    url, server = in_front
    endpoint = Endpoint.open(url, "m")
    endpoint.cache = ScoreCache(tmp_path / "scores.sqlite")
    server.asked.clear()
    sampling = Sampling(temperature=0.8, top_p=0.9, max_tokens=4)
    found = endpoint.answers(PROMPTS, n=3, sampling=sampling, seed=2)
    assert [len(answers) for answers in found] == [3, 3]
    sent = {(body["prompt"], body["seed"]) for _, body in server.asked}
    seeds = answer_seeds(PROMPTS, 3, sampling, 2)
    assert sent == {(prompt, one) for prompt, row in zip(PROMPTS, seeds, strict=True) for one in row}
    assert {(body["temperature"], body["top_p"], body["max_tokens"]) for _, body in server.asked} == {
        (0.8, 0.9, 4)
    }
    server.asked.clear()
    assert endpoint.answers(PROMPTS, n=2, sampling=sampling, seed=2) == [answers[:2] for answers in found]
    assert server.asked == []
    again = Endpoint.open(url, "m")
    assert again.answers(PROMPTS, n=3, sampling=sampling, seed=2) == found  # the server honours seeds


def test_an_answer_at_temperature_zero_is_asked_for_once(in_front):
    url, server = in_front
    endpoint = Endpoint.open(url, "m")
    server.asked.clear()
    [answers] = endpoint.answers(PROMPTS[:1], n=4, sampling=Sampling(temperature=0, max_tokens=3))
    assert len(set(answers)) == 1
    assert len(server.asked) == 1
    assert "seed" not in server.asked[0][1]
    assert server.asked[0][1]["top_p"] == 1  # servers have other defaults
    assert not answers[0].ended  # cut after three tokens


@pytest.mark.slow
@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"message": {"content": "Yes."}, "finish_reason": "stop"}, Answer("Yes.")),
        ({"message": {"content": "Yes, sin"}, "finish_reason": "length"}, Answer("Yes, sin", ended=False)),
        ({"message": {"content": None, "refusal": "I cannot."}}, Answer("I cannot.")),
        ({"message": {"content": None}, "finish_reason": "stop"}, Answer("")),
        ({"text": None, "finish_reason": "content_filter"}, Answer("")),
    ],
)
def test_refused_and_empty_answers_are_answers(in_front, choice, expected):
    url, server = in_front
    endpoint = Endpoint.open(url, "m")
    server.instead = lambda self, path, body: self.reply({"model": "m", "choices": [choice]})
    assert endpoint.answers(["Why?"], sampling=Sampling(max_tokens=8)) == [[expected]]


def test_a_prompt_that_a_filter_stops_is_refused_and_the_others_are_asked(in_front, tmp_path):
    """Azure answers with an error; any other error still ends the audit."""
    url, server = in_front
    endpoint = Endpoint.open(url, "m")
    endpoint.cache = ScoreCache(tmp_path / "scores.sqlite")
    code = "content_filter"

    def filtered(self, path, body):
        if body["prompt"] == PROMPTS[0]:
            error = {"message": "The response was filtered.", "code": code, "status": 400}
            self.reply({"error": error}, status=400)
        else:
            self.reply(self.forward(path, body))

    server.instead = filtered
    sampling = Sampling(max_tokens=4)
    [[stopped], [answered]] = endpoint.answers(PROMPTS, sampling=sampling)
    assert stopped == Answer("")
    assert answered.text
    server.asked.clear()
    assert endpoint.answers(PROMPTS, sampling=sampling) == [[stopped], [answered]]
    assert server.asked == []  # it is kept like any answer
    code = "invalid_prompt"
    endpoint.cache = None
    with pytest.raises(ModelError, match=r"declines a question \(status 400: The response was filtered"):
        endpoint.answers(PROMPTS, sampling=sampling)


def test_the_estimate_comes_before_anything_is_asked(in_front):
    url, server = in_front
    endpoint = Endpoint.open(url, "m")
    server.asked.clear()
    plan = plan_asking(endpoint, [lambda: endpoint.answers(PROMPTS, n=5, sampling=Sampling(max_tokens=20))])
    assert server.asked == []
    assert (plan.questions, plan.tokens_out) == (10, 200)
    # The probes are much shorter, so nothing is known of the time.
    assert "at most 200 out; the first answers show how long they take" in plan.describe()

"""Servers that decline a part of the protocol: it is left out or called by another name, and the rest still holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import counterpoise as cp
import tiny
from counterpoise.core.errors import ModelError
from counterpoise.models import Endpoint, Rung, Sampling
from counterpoise.models.endpoints.choices import CONTROLS
from served import Misbehaving, misbehaving, serving_model

BETTER = {better for better, _ in CONTROLS}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    model = cp.load(tiny.save("gpt2-without-pad", tmp_path_factory.mktemp("served")), device="cpu")
    with serving_model(model) as address:
        yield address


@pytest.fixture
def in_front(url: str) -> Iterator[tuple[str, type[Misbehaving]]]:
    with misbehaving(url) as server:
        yield server


def choosing(self, path, body):
    """A chat server without log-probabilities that chooses the better one of two sentences."""
    if path != "/v1/chat/completions" or body.get("logprobs"):
        self.reply({"error": {"message": "there is no such thing here"}}, 404)
        return
    options = [line[3:] for line in body["messages"][0]["content"].splitlines() if line[:3] in ("A: ", "B: ")]
    text = "AB"[[option in BETTER for option in options].index(True)] if options else "It rains."
    self.reply({"model": "m", "choices": [{"index": 0, "message": {"content": text}}]})


def declining(name, instead, status=422):
    def declines(self, path, body):
        if name in body:
            self.reply({"error": {"message": f"Extra inputs are not permitted: {name}"}}, status)
        else:
            instead(self, path, body)

    return declines


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_declines_seeds_is_asked_without_them(in_front, status):
    url, server = in_front
    server.instead = declining("seed", choosing, status)
    endpoint = Endpoint.open(url, "m")
    found = endpoint.capabilities
    assert found.rungs == (Rung.FORCED_CHOICE, Rung.SAMPLES, Rung.ANSWERS)
    assert found.same_text
    assert found.controls == (8, 8)
    assert f"seeds honoured: no (status {status}: Extra inputs are not permitted: seed)" in found.describe()
    server.asked.clear()
    [answers] = endpoint.answers(["Hello?"], n=3, sampling=Sampling(max_tokens=8))
    assert [answer.text for answer in answers] == ["It rains."] * 3
    assert len(server.asked) == 3  # each answer is drawn anew
    assert endpoint.sampled_choices(["The sun is warm."], ["Sun the is warm the."]).tolist() == [[1.0] * 10]
    assert not any("seed" in body for _, body in server.asked)


def test_a_server_that_counts_completion_tokens(in_front):
    url, server = in_front
    server.instead = declining("max_tokens", choosing, 400)
    endpoint = Endpoint.open(url, "m")
    assert endpoint.capabilities.rungs == (Rung.FORCED_CHOICE, Rung.SAMPLES, Rung.ANSWERS)
    server.asked.clear()
    endpoint.answers(["Hello?"], sampling=Sampling(max_tokens=8))
    assert [body["max_completion_tokens"] for _, body in server.asked] == [8]
    assert "max_tokens" not in server.asked[0][1]


def test_completions_may_want_the_one_and_chats_the_other(in_front):
    url, server = in_front

    def instead(self, path, body):
        if path == "/v1/chat/completions":
            declining("max_tokens", choosing)(self, path, body)
        elif "max_completion_tokens" in body:
            self.reply({"error": {"message": "what is this?"}}, 400)
        else:
            self.reply(self.forward(path, body))

    server.instead = instead
    found = Endpoint.open(url, "m").capabilities
    assert found.prompt_method == "echo"
    assert found.chat


def test_what_the_server_itself_says_is_told(in_front):
    url, server = in_front
    server.instead = lambda self, path, body: self.reply(
        {"error": {"message": "the model 'm' is not here"}}, 404
    )
    with pytest.raises(
        ModelError, match=r"completions: no \(status 404: the model 'm' is not here\); chat: no \("
    ):
        Endpoint.open(url, "m")


def test_each_capability_has_its_own_reason(in_front):
    """One that declines a temperature of 0 cannot choose, and still answers with seeds."""
    url, server = in_front

    def warm_only(self, path, body):
        if body["temperature"] == 0 and body.get("max_tokens", 1) > 1:
            self.reply({"error": {"message": "temperature must be above 0"}}, 400)
        else:
            text = f"{body.get('seed')} times"
            self.reply({"model": "m", "choices": [{"message": {"content": text}}]})

    server.instead = warm_only
    found = Endpoint.open(url, "m").capabilities
    assert found.seeds
    assert "temperature must be above 0" in found.same_problem
    assert "temperature must be above 0" in found.choice_problem
    assert found.rungs == (Rung.ANSWERS,)

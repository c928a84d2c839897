"""Servers that misbehave: each fault is named, retried or refused, and no finished answer is lost."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator

import pytest

import counterpoise as cp
import tiny
from counterpoise.core.cache import ScoreCache
from counterpoise.core.errors import EndpointError, ModelError
from counterpoise.models import CausalLM, Endpoint, Rung
from counterpoise.models.endpoints import exchange, transport
from served import Misbehaving, misbehaving, serving_model

TEXTS = [f"The nurse has {n} keys." for n in range(6)]


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> CausalLM:
    model = cp.load(
        tiny.save("gpt2-without-pad", tmp_path_factory.mktemp("served"), n_positions=256), device="cpu"
    )
    model.tokenizer.model_max_length = 256
    return model


@pytest.fixture(scope="module")
def good(direct: CausalLM) -> Iterator[str]:
    with serving_model(direct) as address:
        yield address


@pytest.fixture
def in_front(good: str) -> Iterator[tuple[str, type[Misbehaving]]]:
    with misbehaving(good) as server:
        yield server


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_FIRST_WAIT", 0.01)


@pytest.fixture
def opened(in_front, direct, tmp_path) -> tuple[Endpoint, type[Misbehaving]]:
    """An endpoint that was probed while its server behaved well."""
    url, server = in_front
    endpoint = Endpoint.open(url, direct.name, timeout=5.0, concurrency=2)
    endpoint.cache = ScoreCache(tmp_path / "scores.sqlite")
    server.asked.clear()
    return endpoint, server


def now_and_then(fault):
    """The fault at the first, third, ... request of each text; then the right answer."""
    seen: dict[str, int] = {}

    def instead(self, path, body):
        text = body["prompt"]
        seen[text] = seen.get(text, 0) + 1
        if seen[text] % 2:
            fault(self, path, body)
        else:
            self.reply(self.forward(path, body))

    return instead


def too_many(self, path, body):
    self.reply({"error": {"message": "too many requests"}}, 429, retry_after="0.01")


def unavailable(self, path, body):
    self.reply(b"<html>bad gateway</html>", 502)


def half_an_answer(self, path, body):
    self.send_response(200)
    self.send_header("content-length", "1000")
    self.end_headers()
    self.wfile.write(b'{"choices": [{"te')
    self.wfile.flush()
    self.close_connection = True
    self.connection.shutdown(socket.SHUT_RDWR)


def wrong_json(self, path, body):
    self.reply(b"{'choices': ]")


def too_deep(self, path, body):
    self.reply(b"[" * 200_000)


def no_object(self, path, body):
    self.reply([1, 2])


def reset(self, path, body):
    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    self.close_connection = True
    self.connection.close()


def wrong_tokens(self, path, body):
    self.reply(self.forward(path, {**body, "prompt": "Something else was asked."}))


def all_equal(self, path, body):
    answer = self.forward(path, body)
    values = answer["choices"][0]["logprobs"]
    values["token_logprobs"] = [-1.0] * len(values["tokens"])
    self.reply(answer)


def impossible(self, path, body):
    answer = self.forward(path, body)
    answer["choices"][0]["logprobs"]["token_logprobs"][2] = 3.5
    self.reply(answer)


FAULTS = {
    too_many: "status 429",
    unavailable: "status 502",
    half_an_answer: "the connection failed",
    wrong_json: "not JSON",
    too_deep: "not JSON",
    no_object: "not an object",
    reset: "the connection failed",
    wrong_tokens: "other tokens than the prompt's",
    all_equal: "all log-probabilities are equal",
    impossible: "is no log-probability",
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_faults_that_pass_are_retried(opened, direct, fault):
    endpoint, server = opened
    server.instead = now_and_then(fault)
    values = endpoint.log_likelihood(TEXTS)
    assert values == pytest.approx(direct.log_likelihood(TEXTS), abs=1e-4)
    traffic = endpoint.asker.transport.traffic
    assert (traffic.questions, traffic.retries) == (len(TEXTS), len(TEXTS))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_faults_that_last_are_named_and_no_answer_is_lost(opened, direct, fault):
    endpoint, server = opened

    def fails_on_the_fourth(self, path, body):
        if body["prompt"] == TEXTS[3]:
            fault(self, path, body)
        else:
            self.reply(self.forward(path, body))

    server.instead = fails_on_the_fourth
    with pytest.raises(EndpointError, match=f"in 6 tries: .*{FAULTS[fault]}.*resumes"):
        endpoint.log_likelihood(TEXTS)
    answered = {body["prompt"] for _, body in server.asked} - {TEXTS[3]}
    server.instead = None
    server.asked.clear()
    endpoint.log_likelihood(TEXTS)
    assert {body["prompt"] for _, body in server.asked} == set(TEXTS) - answered
    assert len(server.asked) == len(TEXTS) - len(answered)


def test_where_one_question_fails_the_others_are_not_tried_again(opened, monkeypatch):
    endpoint, server = opened
    monkeypatch.setattr(transport, "_FIRST_WAIT", 10.0)

    def declines_the_second(self, path, body):
        time.sleep(0.1 if body["prompt"] == TEXTS[1] else 0)
        self.reply({"error": {"message": "no"}}, 400 if body["prompt"] == TEXTS[1] else 503)

    server.instead = declines_the_second
    begun = time.monotonic()
    with pytest.raises(ModelError, match="declines a question"):
        endpoint.log_likelihood(TEXTS)
    assert time.monotonic() - begun < 4
    assert [body["prompt"] for _, body in server.asked].count(TEXTS[0]) <= 2


@pytest.mark.slow
def test_a_slow_drip_is_given_up(opened):
    endpoint, server = opened
    endpoint.asker.transport.timeout, endpoint.asker.transport.tries = 0.5, 2

    def drip(self, path, body):
        self.send_response(200)
        self.send_header("content-length", "100000")
        self.end_headers()
        for _ in range(100):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)

    server.instead = drip
    begun = time.monotonic()
    with pytest.raises(EndpointError, match=r"not complete within 0\.5 seconds"):
        endpoint.log_likelihood(TEXTS[:1])
    assert time.monotonic() - begun < 4


def test_an_endless_answer_is_given_up(opened, monkeypatch):
    endpoint, server = opened
    monkeypatch.setattr(exchange, "_LARGEST_ANSWER", 1 << 20)
    server.instead = lambda self, path, body: self.reply(b" " * (2 << 20))
    with pytest.raises(EndpointError, match="more than 1 MiB"):
        endpoint.log_likelihood(TEXTS[:1])


@pytest.mark.slow
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_server_is_refused_and_gets_no_key(opened, good, status):
    endpoint, server = opened
    with misbehaving(good) as (elsewhere, other):  # on the same host, at another port
        server.instead = lambda self, path, body: self.reply({}, status, location=f"{elsewhere}/completions")
        with pytest.raises(EndpointError, match=r"redirects to another server \(http://127\.0\.0\.1:"):
            endpoint.log_likelihood(TEXTS[:1])
    assert other.asked == []
    assert len(server.asked) == 1


def test_a_redirect_on_the_same_server_is_followed(opened, direct):
    endpoint, server = opened

    def moved(self, path, body):
        if path == "/v1/completions":
            self.reply({}, 308, location="/v2/completions")
        else:
            self.reply(self.forward("/v1/completions", body))

    server.instead = moved
    assert endpoint.log_likelihood(TEXTS[:1]) == pytest.approx(direct.log_likelihood(TEXTS[:1]), abs=1e-5)


def test_a_question_that_the_server_declines_is_not_repeated(opened):
    endpoint, server = opened
    server.instead = lambda self, path, body: self.reply({"error": {"message": "\x1b[31mtoo long"}}, 400)
    with pytest.raises(ModelError, match=r"declines a question \(status 400: \\x1b\[31mtoo long\)"):
        endpoint.log_likelihood(TEXTS[:1])
    assert len(server.asked) == 1


def test_no_access(in_front):
    url, server = in_front
    server.instead = lambda self, path, body: self.reply({"error": "no"}, 401)
    with pytest.raises(EndpointError, match=r"refuses access \(status 401\)"):
        Endpoint.open(url, "m")


def test_nobody_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(EndpointError, match="the connection failed"):
        Endpoint.open(url, "m")


# What a server says but does not do is absent.


def problem_of(url: str, name: str) -> str:
    return Endpoint.open(url, name).capabilities.prompt_problem


@pytest.mark.slow
@pytest.mark.parametrize("fault", [wrong_tokens, all_equal, impossible], ids=lambda fault: fault.__name__)
def test_wrong_log_probabilities_are_absent(in_front, direct, fault):
    url, server = in_front

    def instead(self, path, body):
        if body.get("echo"):
            fault(self, path, body)
        else:
            self.reply(self.forward(path, {**body, "prompt_logprobs": None}))

    server.instead = instead
    assert FAULTS[fault] in problem_of(url, direct.name)


def test_log_probabilities_that_do_not_depend_on_the_text_before_are_absent(in_front, direct):
    url, server = in_front

    def by_length(self, path, body):
        answer = self.forward(path, {**body, "prompt_logprobs": None})
        if body.get("echo"):
            values = answer["choices"][0]["logprobs"]
            values["token_logprobs"] = [-len(token) / 3 for token in values["tokens"]]
        self.reply(answer)

    server.instead = by_length
    assert "what stands before a token does not change its log-probability" in problem_of(url, direct.name)


def test_log_probabilities_that_change_from_call_to_call_are_absent(in_front, direct):
    url, server = in_front
    count = iter(range(10**6))

    def changing(self, path, body):
        answer = self.forward(path, {**body, "prompt_logprobs": None})
        values = (answer.get("choices") or [{}])[0].get("logprobs")
        if values:
            shift = next(count) % 7
            values["token_logprobs"] = [None if v is None else v - shift for v in values["token_logprobs"]]
            values["top_logprobs"] = [
                top and {token: value - shift for token, value in top.items()}
                for top in values["top_logprobs"]
            ]
        self.reply(answer)

    server.instead = changing
    endpoint = Endpoint.open(url, direct.name)
    assert endpoint.capabilities.rungs == (Rung.ANSWERS,)  # what it writes is worth as much as ever
    assert "from call to call" in "; ".join(endpoint.capabilities.describe())

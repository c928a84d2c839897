"""Servers that never finish an answer, whatever they send meanwhile, and what an interrupted audit waits for."""

from __future__ import annotations

import gzip
import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from counterpoise.core.errors import EndpointError
from counterpoise.models import Endpoint
from counterpoise.models.endpoints import transport
from counterpoise.models.endpoints.answers import next_tokens
from counterpoise.models.endpoints.asking import Asker
from counterpoise.models.endpoints.capabilities import Capabilities
from counterpoise.models.endpoints.transport import Refused, Transport
from served import Misbehaving, misbehaving

ANSWER = {"model": "m", "choices": [{"text": "a", "logprobs": {"top_logprobs": [{"a": -0.5, "b": -1.5}]}}]}


@pytest.fixture
def in_front() -> Iterator[tuple[str, type[Misbehaving]]]:
    with misbehaving("http://nobody/v1") as server:
        yield server


def dripping(of_header: bytes, of_byte: bytes, seconds: float = 4.0):
    def instead(self, path, body):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + of_header)
        for number in range(int(seconds / 0.05)):
            self.wfile.write(of_byte.replace(b"#", str(number).encode()))
            self.wfile.flush()
            time.sleep(0.05)

    return instead


_EMPTY_GZIP = gzip.compress(b"")
NEVER_DONE = {
    "headers": dripping(b"", b"x-a#: b\r\n"),
    "half a header": dripping(b"x-a: ", b"#"),
    "status line": lambda self, path, body: [
        (self.wfile.write(byte), self.wfile.flush(), time.sleep(0.05)) for byte in [b"H"] * 80
    ],
    "body": dripping(b"content-length: 100000\r\n\r\n", b" "),
    # Nothing comes out of what is decoded.
    "empty chunks": dripping(
        b"content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n",
        b"%x\r\n%s\r\n" % (len(_EMPTY_GZIP), _EMPTY_GZIP),
    ),
    "nothing": lambda self, path, body: time.sleep(4),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", NEVER_DONE)
def test_an_answer_is_bounded_in_time_as_a_whole(in_front, kind):
    url, server = in_front
    server.instead = NEVER_DONE[kind]
    slow, begun = Transport(url, None, timeout=0.4, tries=1), time.monotonic()
    with pytest.raises(
        EndpointError, match=r"the answer was not complete within 0\.4 seconds|connection failed"
    ):
        slow.post("/completions", {"prompt": "a"}, dict)
    assert time.monotonic() - begun < 1.5


def test_a_connection_serves_the_next_question_after_one_that_was_given_up(in_front):
    url, server = in_front
    asked = Transport(url, None, timeout=0.4, tries=2, concurrency=1)
    replies = iter([NEVER_DONE["headers"], lambda self, path, body: self.reply(ANSWER)])
    server.instead = lambda self, path, body: next(replies)(self, path, body)
    assert asked.post("/completions", {"prompt": "a"}, next_tokens) == {"a": -0.5, "b": -1.5}
    assert asked.traffic.retries == 1


def test_an_interrupted_audit_does_not_wait_for_its_answers(in_front):
    url, server = in_front
    server.instead = lambda self, path, body: time.sleep(20)
    endpoint = Endpoint(
        Asker(Transport(url, None, timeout=60), "m", 3), Capabilities(completions=True, top=5)
    )
    interrupting = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.monotonic()
    interrupting.start()
    with pytest.raises(KeyboardInterrupt):
        endpoint.next_log_probs([f"text {n} " for n in range(9)], ["he"])
    assert time.monotonic() - begun < 5
    assert len(server.asked) == 3  # those that waited were not begun


def waits_of(monkeypatch: pytest.MonkeyPatch, in_front, **headers: str) -> list[float]:
    """How long is waited before a second try, by what the first reply says."""
    url, server = in_front
    waits: list[float] = []
    replies = iter([lambda self: self.reply({}, 503, **headers), lambda self: self.reply(ANSWER)])
    server.instead = lambda self, path, body: next(replies)(self)

    class Waiting(threading.Event):
        def wait(self, timeout=None):
            waits.append(timeout)
            return False

    Transport(url, None).post("/completions", {"prompt": "a"}, next_tokens, stopping=Waiting())
    return waits


@pytest.mark.parametrize(("seconds", "expected"), [(12, 12), (3600, 30), (-50, 0.5)])
def test_a_server_may_ask_to_wait_until_a_date(monkeypatch, in_front, seconds, expected):
    """At most half a minute; a date in the past says nothing."""
    monkeypatch.setattr(transport.random, "uniform", lambda low, high: 1.0)
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=seconds), usegmt=True)
    [wait] = waits_of(monkeypatch, in_front, retry_after=date)
    assert wait == pytest.approx(expected, abs=2 if seconds == 12 else 0)


@pytest.mark.parametrize(("asked", "expected"), [("7", 7), ("nan", 0.5), ("soon", 0.5)])
def test_a_server_may_ask_to_wait_for_seconds(monkeypatch, in_front, asked, expected):
    monkeypatch.setattr(transport.random, "uniform", lambda low, high: 1.0)
    assert waits_of(monkeypatch, in_front, retry_after=asked) == [expected]


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [
        {"message": "slow down", "code": 429},
        {"message": "busy", "type": "overloaded_error"},
        {"message": "wait", "code": "rate_limit_exceeded"},
        {"message": "gateway", "code": "502"},
    ],
)
def test_errors_that_pass_are_retried_also_with_status_200(monkeypatch, in_front, error):
    monkeypatch.setattr(transport, "_FIRST_WAIT", 0.01)
    url, server = in_front
    replies = iter([{"error": error}, ANSWER])
    server.instead = lambda self, path, body: self.reply(next(replies))
    asked = Transport(url, None)
    assert asked.post("/completions", {"prompt": "a"}, next_tokens) == {"a": -0.5, "b": -1.5}
    assert asked.traffic.retries == 1


@pytest.mark.parametrize(
    "error", [{"message": "no such model", "code": "model_not_found"}, {"code": 404}, "no"]
)
def test_other_errors_with_status_200_are_refusals(in_front, error):
    url, server = in_front
    server.instead = lambda self, path, body: self.reply({"error": error})
    with pytest.raises(Refused):
        Transport(url, None).post("/completions", {"prompt": "a"}, next_tokens)
    assert len(server.asked) == 1

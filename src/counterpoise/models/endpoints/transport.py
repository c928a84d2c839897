"""Sends questions to an endpoint, again where a later try may succeed, and says what its errors mean."""

from __future__ import annotations

import json
import math
import random
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from counterpoise.core.addresses import CONCURRENCY, TIMEOUT
from counterpoise.core.errors import EndpointError
from counterpoise.core.printable import printable
from counterpoise.models.endpoints.answers import BadAnswer
from counterpoise.models.endpoints.exchange import Exchange, Reply, TryAgain

Read = TypeVar("Read")

TRIES = 6
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0  # seconds
_TRANSIENT = (408, 409, 425, 429)
_PASSING = re.compile(
    r"rate.?limit|too.?many|overloaded|unavailable|server.?error|timeout|timed.?out", re.IGNORECASE
)
_SHORTEST_SECRET = 8  # characters; servers that need no key are given words such as "none" or "EMPTY"


class Refused(Exception):
    """The server understood a request and declined it, as one does that lacks a feature or filters what is asked."""

    def __init__(self, message: str, *, is_filtered: bool = False) -> None:
        super().__init__(message)
        self.is_filtered = is_filtered


@dataclass
class Traffic:
    """What went over the wire: probes and retries are counted apart from questions."""

    probes: int = 0
    questions: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0  # of waiting for the server, summed over requests


class Transport:
    """The way to one endpoint; may be used by several threads at once."""

    def __init__(
        self,
        url: str,
        key: str | None,
        *,
        timeout: float = TIMEOUT,
        tries: int = TRIES,
        concurrency: int = CONCURRENCY,
    ) -> None:
        self.url = url
        self.timeout = timeout
        self.tries = tries
        self.traffic = Traffic()
        self._secrets = _as_written(key) if key and len(key) >= _SHORTEST_SECRET else ()
        self._lock = threading.Lock()
        self._exchange = Exchange(url, key, concurrency, self._hide)

    def post(
        self,
        path: str,
        body: dict[str, Any],
        read: Callable[[dict[str, Any]], Read],
        *,
        probe: bool = False,
        stopping: threading.Event | None = None,
    ) -> Read:
        """What `read` takes from the answer to a request; tried again where a later try may succeed.

        Raises `Refused` if the server declines the request, and `EndpointError` if it does not answer. A bad answer to
        a probe is raised at once, since that is what the probe is to find out. Once `stopping` is set, nothing is tried
        again.
        """
        stopping = stopping or threading.Event()
        wait = _FIRST_WAIT
        self.traffic.probes += probe
        for remaining in reversed(range(self.tries)):
            try:
                answer = self._post_once(path, body)
                self._count_tokens(answer)
                found = read(answer)
                with self._lock:
                    self.traffic.questions += not probe
                return found
            except (TryAgain, BadAnswer) as problem:
                if probe and isinstance(problem, BadAnswer):
                    raise
                if stopping.is_set() or not remaining:
                    raise EndpointError(
                        f"{self.url} gave no usable answer in {self.tries} tries: {problem}; the answers so far are "
                        "kept, and the same command resumes"
                    ) from None
                with self._lock:
                    self.traffic.retries += 1
                asked_to_wait = getattr(problem, "wait", None)
                stopping.wait(min(asked_to_wait or wait * random.uniform(0.5, 1.5), _LONGEST_WAIT))
                wait *= 2
        raise AssertionError("unreachable")

    def interrupt(self) -> None:
        """Ends all requests that are under way, without their answers."""
        self._exchange.cancel()

    def _post_once(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        begun = time.monotonic()
        try:
            reply = self._exchange.post(path, body, self.timeout)
        finally:
            with self._lock:
                self.traffic.seconds += time.monotonic() - begun
        content = reply.content
        for secret in self._secrets:  # a server may repeat the key, and what it says is kept and shown
            content = content.replace(secret.encode(), b"[key]")
        return self._parse(reply, content)

    def _parse(self, reply: Reply, content: bytes) -> dict[str, Any]:
        status = reply.status
        if status in _TRANSIENT or status >= 500:
            raise TryAgain(f"the server answered with status {status}", _retry_after(reply))
        if status in (401, 403):
            raise EndpointError(
                f"{self.url} refuses access (status {status}): set COUNTERPOISE_API_KEY, or name a file with the key "
                "with --key-file"
            )
        if status >= 400:
            message = f"status {status}: {self._hide(_message(content))}"
            raise Refused(message, is_filtered=_is_filtered(content))
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            raise TryAgain("the answer is not JSON, or only a part of it") from None
        if not isinstance(answer, dict):
            raise TryAgain("the answer is JSON, but not an object")
        if "error" in answer and "choices" not in answer:
            if _is_transient(answer["error"]):
                raise TryAgain(f"the server answered with an error ({self._hide(_message(content))})")
            raise Refused(self._hide(_message(content)), is_filtered=_is_filtered(content))
        return answer

    def _count_tokens(self, answer: dict[str, Any]) -> None:
        usage = answer.get("usage")
        tokens = usage if isinstance(usage, dict) else {}
        with self._lock:
            self.traffic.tokens_in += _whole(tokens.get("prompt_tokens"))
            self.traffic.tokens_out += _whole(tokens.get("completion_tokens"))

    def _hide(self, message: object) -> str:
        """What a server or library says, in one short line and without the key."""
        text = printable(" ".join(str(message).split()))
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text[:300]


def _as_written(key: str) -> tuple[str, ...]:
    """A key as it stands in a text, and as JSON may have it."""
    return key, json.dumps(key)[1:-1], key.replace("/", "\\/")


def _message(content: bytes) -> str:
    """The message in the body of an error."""
    try:
        document = json.loads(content)
        error = document.get("error", document)
        return str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError, RecursionError):
        return content[:200].decode("utf-8", "replace")


def _is_filtered(content: bytes) -> bool:
    """Whether the body of an error says that a filter stopped the prompt, as Azure's servers do."""
    try:
        return bool(json.loads(content)["error"]["code"] == "content_filter")
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def _is_transient(error: object) -> bool:
    """Whether an error that came with status 200 is one of those that pass, as proxies hand them on.

    >>> _is_transient({"code": 429}), _is_transient({"type": "overloaded_error"}), _is_transient({"code": "bad_model"})
    (True, True, False)
    """
    kinds = [str(error.get(name)) for name in ("code", "type", "status")] if isinstance(error, dict) else []
    numbers = [int(kind) for kind in kinds if re.fullmatch(r"[0-9]{3}", kind)]
    if any(number in _TRANSIENT or number >= 500 for number in numbers):
        return True
    return any(_PASSING.search(kind) for kind in kinds)


def _retry_after(reply: Reply) -> float | None:
    """For how many seconds the server asks to wait: a number, or until a date."""
    asked = reply.headers.get("retry-after", "")
    try:
        seconds = float(asked)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(asked)
    except (ValueError, TypeError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 40 else 0

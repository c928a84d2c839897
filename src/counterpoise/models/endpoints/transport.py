"""Sends questions to an endpoint: time-outs, retries with back-off, answers bounded in size, no foreign redirects."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from counterpoise.core.addresses import CONCURRENCY, TIMEOUT
from counterpoise.core.errors import EndpointError, InputError, ModelError
from counterpoise.core.printable import printable
from counterpoise.models.endpoints.answers import BadAnswer

if TYPE_CHECKING:
    import httpx

Read = TypeVar("Read")

TRIES = 6
_LARGEST_ANSWER = 64 << 20  # bytes; the log-probabilities of a whole vocabulary are some 15 MiB
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0  # seconds
_REDIRECTS = 3
_TRANSIENT = (408, 409, 425, 429)
_SHORTEST_SECRET = 8  # characters; servers that need no key are given words such as "none" or "EMPTY"


class Refused(Exception):
    """The server understood a request and declined it, as one does that lacks a feature or filters what is asked."""

    def __init__(self, message: str, *, is_filtered: bool = False) -> None:
        super().__init__(message)
        self.is_filtered = is_filtered


class _TryAgain(Exception):
    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


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
        httpx = _httpx()
        self.url = url
        self.timeout = timeout
        self.tries = tries
        self.traffic = Traffic()
        self._secrets = _as_written(key) if key and len(key) >= _SHORTEST_SECRET else ()
        self._lock = threading.Lock()
        try:
            _ = httpx.URL(url).host
        except (httpx.InvalidURL, ValueError):
            raise InputError("the address of the endpoint cannot be read") from None
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 20.0)),
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            follow_redirects=False,
        )

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
            except (_TryAgain, BadAnswer) as problem:
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

    def close(self) -> None:
        self._client.close()

    def _post_once(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        httpx = _httpx()
        begun = time.monotonic()
        request = self._client.build_request("POST", self.url + path, json=body)
        try:
            for _ in range(_REDIRECTS):
                response = self._client.send(request, stream=True)
                try:
                    if response.next_request is None:
                        content = self._read(response, begun)
                        break
                    request = self._redirected(request, response.next_request)
                finally:
                    response.close()
            else:
                raise EndpointError(f"{self.url} redirects in circles")
        except httpx.TimeoutException:
            raise _TryAgain(f"no answer within {self.timeout:g} seconds") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _TryAgain(f"the connection failed ({self._hide(error)})") from None
        finally:
            with self._lock:
                self.traffic.seconds += time.monotonic() - begun
        return self._parse(response, content)

    def _read(self, response: httpx.Response, begun: float) -> bytes:
        """The body, as long as it stays small enough and comes in time."""
        content = bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > _LARGEST_ANSWER:
                raise EndpointError(f"{self.url} sent an answer of more than {_LARGEST_ANSWER >> 20} MiB")
            if time.monotonic() - begun > self.timeout:
                raise _TryAgain(f"the answer was not complete within {self.timeout:g} seconds")
        for secret in self._secrets:  # a server may repeat the key, and what it says is kept and shown
            content = content.replace(secret.encode(), b"[key]")
        return bytes(content)

    def _redirected(self, request: httpx.Request, target: httpx.Request) -> httpx.Request:
        """The same question at another path of the same server; the key goes to no other."""
        here, there = request.url, target.url
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            where = f"{there.scheme}://{there.netloc.decode('ascii', 'replace')}"
            raise EndpointError(
                f"{self.url} redirects to another server ({self._hide(where)}), which is refused; "
                "give the address that it should be asked at"
            )
        again: httpx.Request = self._client.build_request(
            "POST", there, content=request.read(), headers=request.headers
        )
        return again

    def _parse(self, response: httpx.Response, content: bytes) -> dict[str, Any]:
        status = response.status_code
        if status in _TRANSIENT or status >= 500:
            raise _TryAgain(f"the server answered with status {status}", _retry_after(response))
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
            raise _TryAgain("the answer is not JSON, or only a part of it") from None
        if not isinstance(answer, dict):
            raise _TryAgain("the answer is JSON, but not an object")
        if "error" in answer and "choices" not in answer:
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


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise ModelError(
            "a model behind an endpoint needs the package httpx: pip install 'counterpoise[endpoints]'"
        ) from None
    return httpx


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


def _retry_after(response: httpx.Response) -> float | None:
    try:
        return max(0.0, float(response.headers["retry-after"]))
    except (KeyError, ValueError):  # absent, or a date
        return None


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 40 else 0

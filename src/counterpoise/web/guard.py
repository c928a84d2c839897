"""What every request passes first: who sent it, how large it is, and how long it may take.

The danger on one's own machine is a page of another site that makes the browser send requests to this server. Names
that a stranger can point to this machine (DNS rebinding) are refused by the Host header, and what other sites embed or
fetch by the Sec-Fetch headers, in which browsers say who sent a request.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from counterpoise.web.limits import Limits

_LOG = logging.getLogger("uvicorn.error")
LOOPBACK = ("127.0.0.1", "localhost", "::1")

# Our own pages: only our own style and script, and nobody may frame them.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A report that came with a run is shown, but can run no script, send no form and reach nobody.
SANDBOX_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# Browsers refuse a sandboxed page that also has a Cross-Origin-Opener-Policy; its origin is nobody's in any case.
SANDBOX_HEADERS = {"content-security-policy": SANDBOX_POLICY, "cross-origin-opener-policy": "unsafe-none"}
_SAFETY_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def hosts_of(address: str) -> frozenset[str]:
    """The host names under which a server at an address answers.

    >>> sorted(hosts_of("127.0.0.1"))
    ['127.0.0.1', '::1', 'localhost']
    """
    if address in LOOPBACK:
        return frozenset(LOOPBACK)
    return frozenset({*LOOPBACK, address.lower(), socket.gethostname().lower()})


class Guard:
    """Middleware: refuses requests not meant for this server or too large, ends slow ones, and sets safety headers."""

    def __init__(self, app: ASGIApp, *, limits: Limits, hosts: Collection[str]) -> None:
        self.app = app
        self.limits = limits
        self.hosts = frozenset(hosts)
        self.is_public = not self.hosts <= set(LOOPBACK)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            return
        answer = _Answer(send)
        refusal = self._refusal(Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, answer)
            return
        try:
            body = await asyncio.wait_for(self._body(receive), self.limits.seconds)
            if body is None:
                await self._too_large()(scope, receive, answer)
                return
            await asyncio.wait_for(self.app(scope, _replayed(body, receive), answer), self.limits.seconds)
        except (TimeoutError, asyncio.TimeoutError):
            if not answer.has_begun:
                text = f"this took longer than {self.limits.seconds:g} seconds and was given up"
                await _problem(504, text)(scope, receive, answer)
        except Exception:  # what nobody foresaw; uvicorn's own answer would lack the safety headers
            _LOG.exception("an error in Counterpoise itself, at %s", scope.get("path", ""))
            if answer.has_begun:
                raise
            await _problem(500, "an error in Counterpoise itself; the terminal of the server shows it")(
                scope, receive, answer
            )

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        if not self._is_known(headers.get("host", "")):
            return _problem(400, "this server does not go by that name")
        is_visit = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_visit:
            return _problem(403, "other sites may link here, and nothing else")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:12]) > self.limits.body:
            return self._too_large()
        return None

    def _too_large(self) -> JSONResponse:
        # The rest of the body is not read, so nothing more can come over this connection.
        answer = _problem(413, f"a request may have {self.limits.body >> 10} KB")
        answer.headers["connection"] = "close"
        return answer

    def _is_known(self, host: str) -> bool:
        # Not starlette's TrustedHostMiddleware: it takes a fixed list, so not every address of a public server;
        # older versions in our range read [::1] as "["; and its refusals are plain text instead of JSON.
        name, _, port = host.rpartition(":")
        name = (name if name and port.isdigit() else host).strip("[]").lower()
        if name in self.hosts:
            return True
        if not self.is_public:
            return False
        try:  # nobody can have pointed an IP address here, as they could a name
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    async def _body(self, receive: Receive) -> bytes | None:
        """The whole body, or None if it is too large."""
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b""
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.limits.body:
                return None
            if not message.get("more_body", False):
                return b"".join(parts)


class _Answer:
    """Sends an answer with our headers, unless the page has set its own, and remembers whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            already_set = {name.lower() for name, _ in message["headers"]}
            ours = {**_SAFETY_HEADERS, "content-security-policy": PAGE_POLICY}
            added = [(name.encode(), value.encode()) for name, value in ours.items()]
            message["headers"] = [
                *message["headers"],
                *(header for header in added if header[0] not in already_set),
            ]
        await self._send(message)


def _replayed(body: bytes, receive: Receive) -> Receive:
    first = True

    async def again() -> Message:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


def _problem(status: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, status)

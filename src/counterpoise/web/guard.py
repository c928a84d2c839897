"""What every request passes first: whose it is, how large it is, and how long it may take.

A page of another site that gets the browser to ask this server is the danger on a machine of one's own. Names that a
stranger can point to this machine (DNS rebinding) are refused by the Host header, and what other sites embed or fetch
by the header in which browsers say who asks.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from counterpoise.web.limits import Limits

LOOPBACK = ("127.0.0.1", "localhost", "::1")

# Our own pages: our own style and script, nothing from elsewhere, in nobody's frame.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A report, which came with a run: shown, but it can run no script, send no form and reach nobody.
FRAMED_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "frame-ancestors 'self'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def hosts_of(address: str) -> frozenset[str]:
    """The names under which a server at an address may be asked for.

    >>> sorted(hosts_of("127.0.0.1"))
    ['127.0.0.1', '::1', 'localhost']
    """
    if address in LOOPBACK:
        return frozenset(LOOPBACK)
    return frozenset({*LOOPBACK, address.lower(), socket.gethostname().lower()})


class Guard:
    """Refuses what is not for this server or too large, ends what takes too long, and sets the headers of safety."""

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
        name, _, port = host.rpartition(":")
        name = (name if name and port.isdigit() else host).strip("[]").lower()
        if name in self.hosts:
            return True
        if not self.is_public:
            return False
        try:  # an address is nobody's name, so nobody can have pointed it here
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    async def _body(self, receive: Receive) -> bytes | None:
        """The whole body, or None where it is too large."""
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
    """Sends, with our headers where the page has not set its own, and remembers whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            set_already = {name.lower() for name, _ in message["headers"]}
            ours = {**_HEADERS, "content-security-policy": PAGE_POLICY}
            added = [(name.encode(), value.encode()) for name, value in ours.items()]
            message["headers"] = [
                *message["headers"],
                *(one for one in added if one[0] not in set_already),
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

"""The web server: uvicorn, with bounds on connections that ask for nothing.

uvicorn gives a connection all the time there is to send its first request, and refuses everybody once there are too
many connections. Here a connection must have sent a whole request within seconds, and when many wait, the one that has
waited longest makes room.
"""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from counterpoise.web.limits import Limits

_CONNECTIONS = 1000  # beyond which everybody is refused


def server_config(app: FastAPI, limits: Limits, **options: Any) -> uvicorn.Config:
    """How an app is served."""
    return uvicorn.Config(
        app,
        http=bounded_protocol(limits),
        ws="none",
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=max(1, int(limits.request_seconds)),
        h11_max_incomplete_event_size=32 << 10,
        **options,
    )


def bounded_protocol(limits: Limits) -> type[H11Protocol]:
    """The protocol of a server's connections, which share one list of those that are waiting for a request."""
    waiting: dict[asyncio.Protocol, tuple[asyncio.Transport, asyncio.TimerHandle]] = {}  # the longest first

    class BoundedConnection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is None or self.cycle.more_body or self.cycle.response_complete:
                self._wait()
            else:
                self._stop_waiting()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self.cycle.response_complete:  # else the next request has come already
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self in waiting:
                return
            if len(waiting) >= limits.waiting_connections:
                transport, timer = waiting.pop(next(iter(waiting)))
                timer.cancel()
                transport.abort()
            # Not `close`, which waits until the other side has read all that was sent to it.
            timer = self.loop.call_later(limits.request_seconds, self.transport.abort)
            waiting[self] = self.transport, timer

        def _stop_waiting(self) -> None:
            if self in waiting:
                waiting.pop(self)[1].cancel()

    return BoundedConnection

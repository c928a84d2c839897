"""One question over HTTP and what comes back: bounded in time as a whole, bounded in size, no foreign redirects.

Requests run in an event loop, since only there one can be ended at any moment: a server that sends a byte of a header
now and then keeps every single read short.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from counterpoise.core.errors import EndpointError, InputError, ModelError

if TYPE_CHECKING:
    import httpx

_LARGEST_ANSWER = 64 << 20  # bytes; the log-probabilities of a whole vocabulary are some 15 MiB
_LONGEST_CONNECT = 20.0  # seconds
_REDIRECTS = 3


class TryAgain(Exception):
    """Why an answer cannot be used, where a later try may succeed, and how many seconds the server asks to wait."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True)
class Reply:
    """What came back, whole."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Exchange:
    """Requests to one server; may be used by several threads at once.

    `hide` makes a short line without secrets of what a server or library says.
    """

    def __init__(self, url: str, key: str | None, concurrency: int, hide: Callable[[object], str]) -> None:
        httpx = _httpx()
        self.url = url
        self._hide = hide
        try:
            _ = httpx.URL(url).host
        except (httpx.InvalidURL, ValueError):
            raise InputError("the address of the endpoint cannot be read") from None
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(None, connect=_LONGEST_CONNECT),  # the whole is bounded
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            follow_redirects=False,
        )
        self._under_way: set[Future[Reply]] = set()

    def post(self, path: str, body: dict[str, Any], timeout: float) -> Reply:
        """The reply to a request; raises `TryAgain` if there is none within `timeout` seconds."""
        httpx = _httpx()
        whole = asyncio.wait_for(self._send(path, body), timeout)
        reply = asyncio.run_coroutine_threadsafe(whole, _loop())
        self._under_way.add(reply)
        try:
            return reply.result()
        except (asyncio.TimeoutError, httpx.ReadTimeout):
            raise TryAgain(f"the answer was not complete within {timeout:g} seconds") from None
        except httpx.TimeoutException:
            raise TryAgain(f"no connection within {_LONGEST_CONNECT:g} seconds") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise TryAgain(f"the connection failed ({self._hide(error)})") from None
        except CancelledError:
            raise TryAgain("it was interrupted") from None
        finally:
            reply.cancel()  # where this thread itself was interrupted
            self._under_way.discard(reply)

    def cancel(self) -> None:
        """Ends all requests that are under way."""
        for reply in list(self._under_way):
            reply.cancel()

    async def _send(self, path: str, body: dict[str, Any]) -> Reply:
        request = self._client.build_request("POST", self.url + path, json=body)
        for _ in range(_REDIRECTS):
            response = await self._client.send(request, stream=True)
            try:
                if response.next_request is None:
                    return Reply(response.status_code, response.headers, await self._read(response))
                request = self._redirected(request, response.next_request)
            finally:
                await response.aclose()
        raise EndpointError(f"{self.url} redirects in circles")

    async def _read(self, response: httpx.Response) -> bytes:
        """The body, as long as it stays small enough."""
        content = bytearray()
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > _LARGEST_ANSWER:
                raise EndpointError(f"{self.url} sent an answer of more than {_LARGEST_ANSWER >> 20} MiB")
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
            "POST", there, content=request.content, headers=request.headers
        )
        return again


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of all requests, which runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="endpoint requests", daemon=True).start()
    return loop


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise ModelError(
            "a model behind an endpoint needs the package httpx: pip install 'counterpoise[endpoints]'"
        ) from None
    return httpx

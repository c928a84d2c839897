"""Downloads a file in chunks, with a progress bar, retries after transient failures, and checks of size and SHA-256.

Proxies are taken from the environment (`HTTPS_PROXY`, `NO_PROXY`), as `urllib` does. pooch would not do: it checks no
size, neither the announced one nor while it streams, retries every kind of failure and ignores `Retry-After`.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoise.core.errors import DataError
from counterpoise.core.limits import DOWNLOAD
from counterpoise.core.progress import progress

WAITS = (1.0, 2.0, 4.0)  # seconds before each retry
_LONGEST_WAIT = 60.0  # seconds that a server can ask for
_TIMEOUT = 30.0
PATIENCE = 60.0  # seconds after which a server must have sent SLOWEST bytes a second on average
SLOWEST = 1000.0
_CHUNK_BYTES = 1 << 16
_DIGITS = 30  # of a number in a header; Python refuses to read thousands
_TRANSIENT_CODES = {408, 425, 429, 500, 502, 503, 504}
# Some servers refuse Python's own user agent.
_HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; counterpoise)", "Accept": "*/*"}


class DownloadError(DataError):
    """The server refuses to send the file, or sends a different one."""


class Unreachable(DownloadError):
    """The server cannot be reached: no network, no such host, a closed port, a proxy that refuses."""


@dataclass(frozen=True)
class Downloaded:
    size: int
    sha256: str


class _Transient(Exception):
    """A failure that may not happen again; `wait` is what the server asks for, in seconds."""

    def __init__(self, error: DownloadError, wait: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait


def download(url: str, path: str | Path, *, size: int | None = None, sha256: str | None = None) -> Downloaded:
    """Downloads a URL to a path, and raises unless the file has the expected size and SHA-256.

    After an error, do not use what is at the path; write to a temporary path (`files.write_aside`).
    """
    for wait in (*WAITS, None):
        try:
            downloaded = _attempt(url, Path(path), size)
            break
        except _TooSlow as error:
            raise DownloadError(f"{url} is given up: {error}") from error
        except _Transient as failure:
            if wait is None:
                raise failure.error from failure
            time.sleep(max(wait, failure.wait))
    if sha256 is not None and downloaded.sha256 != sha256:
        raise DownloadError(
            f"{url} is not the file that is expected: its sha256 is {downloaded.sha256}, not {sha256}"
        )
    return downloaded


def _attempt(url: str, path: Path, size: int | None) -> Downloaded:
    with _open(url) as response, path.open("wb") as file:
        announced = _announced(response)
        expected = announced if size is None else size
        if announced is not None and announced != expected:
            raise _wrong_size(url, str(announced), size)
        limit = DOWNLOAD.bytes if size is None else size
        if announced is not None and announced > limit:
            raise DownloadError(DOWNLOAD.exceeded(url))
        digest, done = hashlib.sha256(), 0
        with progress(f"fetching {url.rpartition('/')[2]}", expected, unit="bytes") as advance:
            for chunk in _chunks(response, url):
                digest.update(chunk)
                done += len(chunk)
                if done > limit:  # an endless answer would fill the disk
                    if size is None:
                        raise DownloadError(DOWNLOAD.exceeded(url))
                    raise _wrong_size(url, f"more than {size}", size)
                file.write(chunk)
                advance(len(chunk))
    if expected is not None and done < expected:
        # A server that announced no size and closed early looks the same as one that has another file.
        raise _Transient(DownloadError(f"{url} broke off after {done} of {expected} bytes"))
    return Downloaded(done, digest.hexdigest())


class _TooSlow(Exception):
    """A server sends so little that the download would never end."""


class _PacedStream(io.RawIOBase):
    """All that a server sends, the headers too; given up once it is too little for too long."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self._stream, self._began, self._done = stream, time.monotonic(), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count: int | None = self._stream.readinto(buffer)
        self._done += count or 0
        seconds = time.monotonic() - self._began
        if seconds > PATIENCE and self._done < SLOWEST * seconds:
            raise _TooSlow(f"{self._done} bytes in {seconds:.0f} s, and {SLOWEST:g} a second are the least")
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


class _PacedResponse(http.client.HTTPResponse):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fp: Any = io.BufferedReader(_PacedStream(self.fp.detach()))


class _Connection(http.client.HTTPConnection):
    response_class = _PacedResponse


class _EncryptedConnection(http.client.HTTPSConnection):
    response_class = _PacedResponse


class _PacedHTTP(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_Connection, req)


class _PacedHTTPS(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(_EncryptedConnection, req)


class _NoDowngrade(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but never from https to a connection that anyone can change."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if req.full_url.lower().startswith("https:") and not newurl.lower().startswith("https:"):
            raise DownloadError(f"{req.full_url} redirects to {newurl}, which is not encrypted; refused")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(url: str) -> http.client.HTTPResponse:
    try:
        # our own opener: the shared one keeps the proxies it had when it was first used
        response: http.client.HTTPResponse = urllib.request.build_opener(
            _PacedHTTP, _PacedHTTPS, _NoDowngrade
        ).open(urllib.request.Request(url, headers=_HEADERS), timeout=_TIMEOUT)
        return response
    except urllib.error.HTTPError as error:
        with error:
            failure = DownloadError(f"{url} answers {error.code} {error.reason}")
            if error.code not in _TRANSIENT_CODES:
                raise failure from error
            raise _Transient(failure, _retry_after(error)) from error
    except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        failure = Unreachable(f"{url} cannot be reached ({_in_words(reason)})")
        if isinstance(reason, ssl.SSLCertVerificationError):  # a retry would not help
            raise failure from error
        raise _Transient(failure) from error
    except (
        ValueError
    ) as error:  # what urllib raises for an address that it cannot take apart, also in a redirect
        raise DownloadError(f"{url} is no address, or leads to none ({_in_words(error)})") from error


def _chunks(response: http.client.HTTPResponse, url: str) -> Iterator[bytes]:
    while True:
        try:
            chunk = response.read1(_CHUNK_BYTES)  # what is there: a server that drips must be noticed
        except (OSError, http.client.HTTPException) as error:
            raise _Transient(DownloadError(f"{url} broke off ({_in_words(error)})")) from error
        if not chunk:
            return
        yield chunk


def _announced(response: http.client.HTTPResponse) -> int | None:
    return _number(response.headers.get("Content-Length", ""))


def _retry_after(error: urllib.error.HTTPError) -> float:
    # A date is rare; we do not parse it.
    seconds = _number(error.headers.get("Retry-After", "") if error.headers else "")
    return min(seconds or 0.0, _LONGEST_WAIT)


def _number(header: str) -> int | None:
    """The number in a header; None if it is none. `isdigit` alone would also take ², which `int` does not."""
    if not (header.isascii() and header.isdigit()):
        return None
    return int(header.lstrip("0")[:_DIGITS] or "0")  # of thousands of digits, what is read is large enough


def _wrong_size(url: str, actual: str, size: int | None) -> DownloadError:
    return DownloadError(f"{url} is not the file that is expected: it has {actual} bytes, not {size}")


def _in_words(reason: object) -> str:
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return " ".join(str(reason).split()) or type(reason).__name__

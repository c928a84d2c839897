"""Downloads a file: in pieces, with a bar, again after failures that may pass, and checked before it counts.

Proxies are taken from the environment (`HTTPS_PROXY`, `NO_PROXY`), as `urllib` does. pooch would not do: it checks no
size, neither the announced one nor while it streams, retries every kind of failure and ignores `Retry-After`.
"""

from __future__ import annotations

import hashlib
import http.client
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from counterpoise.core.errors import DataError
from counterpoise.core.progress import progress

WAITS = (1.0, 2.0, 4.0)  # seconds before each further attempt
_LONGEST_WAIT = 60.0  # that a server can ask for
_TIMEOUT = 30.0
_PIECE = 1 << 16
_MAY_PASS = {408, 425, 429, 500, 502, 503, 504}
# Some servers turn Python's own name away.
_HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; counterpoise)", "Accept": "*/*"}


class DownloadError(DataError):
    """The server does not give the file, or gives another one."""


class Unreachable(DownloadError):
    """There is no way to the server: no network, no such host, a closed port, a proxy that says no."""


@dataclass(frozen=True)
class Downloaded:
    size: int
    sha256: str


class _MayPass(Exception):
    def __init__(self, error: DownloadError, wait: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait


def download(url: str, path: str | Path, *, size: int | None = None, sha256: str | None = None) -> Downloaded:
    """Writes what the url gives to a path, and raises unless it has the size and SHA-256 that are expected of it.

    What is at the path after an error is not to be used; write to a path aside (`files.write_aside`).
    """
    for wait in (*WAITS, None):
        try:
            got = _attempt(url, Path(path), size)
            break
        except _MayPass as failure:
            if wait is None:
                raise failure.error from failure
            time.sleep(max(wait, failure.wait))
    if sha256 is not None and got.sha256 != sha256:
        raise DownloadError(
            f"{url} is not the file that is expected: its sha256 is {got.sha256}, not {sha256}"
        )
    return got


def _attempt(url: str, path: Path, size: int | None) -> Downloaded:
    with _open(url) as response, path.open("wb") as file:
        announced = _announced(response)
        expected = announced if size is None else size
        if announced is not None and announced != expected:
            raise _wrong_size(url, str(announced), size)
        digest, done = hashlib.sha256(), 0
        with progress(f"fetching {url.rpartition('/')[2]}", expected, unit="bytes") as advance:
            for piece in _pieces(response, url):
                digest.update(piece)
                done += len(piece)
                if size is not None and done > size:  # an endless answer would fill the disk
                    raise _wrong_size(url, f"more than {size}", size)
                file.write(piece)
                advance(len(piece))
    if expected is not None and done < expected:
        # A server that announced no size and closed early looks the same as one that has another file.
        raise _MayPass(DownloadError(f"{url} broke off after {done} of {expected} bytes"))
    return Downloaded(done, digest.hexdigest())


def _open(url: str) -> http.client.HTTPResponse:
    try:
        # an opener of our own: the shared one keeps the proxies of the first time that anyone used it
        response: http.client.HTTPResponse = urllib.request.build_opener().open(
            urllib.request.Request(url, headers=_HEADERS), timeout=_TIMEOUT
        )
        return response
    except urllib.error.HTTPError as error:
        with error:
            failure = DownloadError(f"{url} answers {error.code} {error.reason}")
            if error.code not in _MAY_PASS:
                raise failure from error
            raise _MayPass(failure, _asked_to_wait(error)) from error
    except (OSError, http.client.HTTPException) as error:  # URLError is an OSError
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        failure = Unreachable(f"{url} cannot be reached ({_say(reason)})")
        if isinstance(reason, ssl.SSLCertVerificationError):  # asking again changes nothing
            raise failure from error
        raise _MayPass(failure) from error


def _pieces(response: http.client.HTTPResponse, url: str) -> Iterator[bytes]:
    while True:
        try:
            piece = response.read(_PIECE)
        except (OSError, http.client.HTTPException) as error:
            raise _MayPass(DownloadError(f"{url} broke off ({_say(error)})")) from error
        if not piece:
            return
        yield piece


def _announced(response: http.client.HTTPResponse) -> int | None:
    length = response.headers.get("Content-Length", "")
    return int(length) if length.isdigit() else None


def _asked_to_wait(error: urllib.error.HTTPError) -> float:
    seconds = error.headers.get("Retry-After", "") if error.headers else ""
    return min(float(seconds), _LONGEST_WAIT) if seconds.isdigit() else 0.0  # a date is rare and not worth it


def _wrong_size(url: str, actual: str, size: int | None) -> DownloadError:
    return DownloadError(f"{url} is not the file that is expected: it has {actual} bytes, not {size}")


def _say(reason: object) -> str:
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return " ".join(str(reason).split()) or type(reason).__name__

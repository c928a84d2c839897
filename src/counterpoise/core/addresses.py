"""Where an endpoint is, and the key that opens it. The key is never part of an address, a message or a file."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from counterpoise.core.errors import InputError

CONCURRENCY = 4  # questions at once
TIMEOUT = 120.0  # seconds for an answer
_LONGEST_KEY = 1 << 16  # bytes
KEY_VARIABLES = ("COUNTERPOISE_API_KEY", "OPENAI_API_KEY")


def is_url(name: object) -> bool:
    """Whether the name of a model is an address.

    >>> is_url("http://127.0.0.1:8080/v1"), is_url("bert-base-uncased")
    (True, False)
    """
    return isinstance(name, str) and "://" in name


def check_url(url: str) -> str:
    """The address without a slash at its end; only http and https, and no user names, passwords or queries.

    >>> check_url("ftp://example.org")
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: an endpoint has an address that begins with http:// or https://, not 'ftp://'
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port, (host or "").encode("idna")  # raise an error if they cannot be
    except ValueError:
        raise InputError("the address of the endpoint cannot be read") from None
    if parts.scheme not in ("http", "https"):
        raise InputError(
            f"an endpoint has an address that begins with http:// or https://, not '{parts.scheme}://'"
        )
    if not host:
        raise InputError("the address of the endpoint names no host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InputError(
            "the address of an endpoint holds no user name, password or query: put the key into the environment "
            f"variable {KEY_VARIABLES[0]} or a file (--key-file)"
        )
    return url.rstrip("/")


def read_key(key_file: str | Path | None = None) -> str | None:
    """The key from a file or from the environment; None if there is none."""
    if key_file is None:
        found = next((key for name in KEY_VARIABLES if (key := os.environ.get(name, "").strip())), None)
        where = "the environment"
    else:
        where = f"the file {key_file}"
        try:
            with Path(key_file).expanduser().open("rb") as file:  # or a pipe
                found = file.read(_LONGEST_KEY).decode().strip()
        except (OSError, ValueError):
            raise InputError(f"cannot read the key from {where}") from None
        if not found:
            raise InputError(f"{where} holds no key")
    if found is not None and not (found.isascii() and found.isprintable() and " " not in found):
        raise InputError(f"the key in {where} has characters that no key has")
    return found

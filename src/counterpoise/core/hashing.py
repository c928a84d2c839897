"""Content hashes of files and texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def hash_file(path: str | Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def hash_texts(texts: Iterable[str]) -> str:
    """A hash of texts in their order.

    >>> hash_texts(["ab", "c"]) == hash_texts(["a", "bc"])
    False
    """
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(raw))
        digest.update(raw)
    return digest.hexdigest()

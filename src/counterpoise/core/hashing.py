"""Content hashes of files."""

from __future__ import annotations

import hashlib
from pathlib import Path


def hash_file(path: str | Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()

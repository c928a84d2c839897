"""Content hashes: of texts and options, of files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def hash_value(value: Any) -> str:
    """The SHA-256 of anything that JSON can hold; the order of keys does not matter.

    >>> hash_value({"a": 1, "b": 2}) == hash_value({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def hash_file(path: str | Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()

"""Checksums of what a run holds, by which a file that was changed later is noticed.

Each measure has one of its rows in summary.json, not of the whole file, which grows with every measure: a run that was
killed between the summary and the manifest is intact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterpoise.core.files import plain
from counterpoise.core.hashing import hash_file, hash_texts

SUMMARY, ITEMS = "summary", "items"


def rows_checksum(rows: Sequence[Any]) -> str:
    """The checksum of rows, before they are written as after they are read."""
    return hash_texts(json.dumps(plain(row), sort_keys=True) for row in rows)


def altered(about: Mapping[str, Any], rows: Sequence[Any], items: Path | None) -> list[str]:
    """The files in which a measure is no longer as the manifest says; none where it says nothing.

    `items` is None where they are not read.
    """
    kept = dict(about.get("checksums", {}))
    files = []
    if SUMMARY in kept and kept[SUMMARY] != rows_checksum(rows):
        files.append("summary.json")
    if items is not None and ITEMS in kept and kept[ITEMS] != hash_file(items):
        files.append(f"scores/{items.name}")
    return files


def in_words(files: Sequence[str]) -> str:
    """Says that files were changed.

    >>> in_words(["summary.json", "scores/ppd.parquet"])
    'summary.json and scores/ppd.parquet were changed after the audit wrote them'
    """
    one = len(files) == 1
    return f"{' and '.join(files)} {'was' if one else 'were'} changed after the audit wrote {'it' if one else 'them'}"

"""The user's files of an audit: as they were given, and what tells them from others when a run resumes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.errors import InputError
from counterpoise.core.hashing import hash_file, hash_texts
from counterpoise.data.texts import Texts
from counterpoise.data.user.files import UserFile
from counterpoise.io.dataset_sources import PREFIX, DatasetSource, dataset_source

TO_READ = (Path, DatasetSource)  # anything else was given in Python as it is


def own_path(path: Any) -> Any:
    """A path with the home folder written out; anything else as it is."""
    return Path(path).expanduser() if isinstance(path, str | Path) else path


def given_file(kind: UserFile | None, name: str, given: Any, offline: bool) -> Any:
    """A path, a dataset, or what is at hand in Python instead of a file; texts may be a plain list."""
    if not isinstance(given, str | Path):
        return Texts.of(given) if name == "texts" and not isinstance(given, Texts) else given
    is_named = str(given).startswith(PREFIX)
    if kind is None or not (kind.is_table or is_named):
        return own_path(given)
    if not kind.is_table:
        raise InputError(f"{kind.option} takes a file, not a dataset ({given})")
    source = dataset_source(given)
    if source is None:
        return own_path(given)
    if source.column and name != "texts":
        raise InputError(f"{kind.option} {given}: a column is named for --texts only")
    return replace(source, offline=offline)


def identities(
    files: Mapping[str, Any], contents: Mapping[str, Any], kinds: Iterable[str], columns: Mapping[str, str]
) -> dict[str, Any]:
    """What tells each kind of file from others, None where there is none; of texts with the columns that are read.

    Of a file it is its SHA-256; of a dataset its name, split and commit, and a hash of what was read.
    """
    found = {
        name: _identity(files[name], contents[name]) if name in files else None for name in sorted(kinds)
    }
    if columns:
        named = ", ".join(f"{name}: {column}" for name, column in sorted(columns.items()))
        texts = found["texts"]
        found["texts"] = {**texts, "columns": named} if isinstance(texts, dict) else f"{texts} ({named})"
    return found


def _identity(given: Any, contents: Any) -> Any:
    if isinstance(given, DatasetSource):
        return {**given.record(), "fingerprint": _hash_table(contents)}
    return hash_file(given) if isinstance(given, Path) else f"given in Python, {_hash_table(given)}"


def _hash_table(given: Any) -> str:
    """The hash of what was given or read in place of a file."""
    table = getattr(given, "table", given)
    rows = table.to_csv(index=False) if isinstance(table, pd.DataFrame) else repr(table)
    return hash_texts([rows])

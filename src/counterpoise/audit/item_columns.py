"""The columns that a run's numbers are computed of hold what they must, or the run is damaged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from counterpoise.core.errors import RunError
from counterpoise.measures.base.source import Source


def check_items(
    path: Path, items: pd.DataFrame, identity: Iterable[str], sources: Mapping[str, Source]
) -> None:
    """Raises an error unless numbers are numbers, and what tells items apart are single values.

    A column that is not there is no error: what needs it says so, or does without.
    """
    numbers: set[str | None] = set()
    keys: set[str | None] = set(identity)
    for source in sources.values():
        numbers |= {source.column, source.against}
        keys |= {source.cluster, *source.where}
        keys |= {*source.contrast.by, *source.contrast.within} if source.contrast else set()
    for name in items.columns:
        column = items[name]
        if name in numbers and not pd.api.types.is_numeric_dtype(column):
            raise RunError(f"{path} is damaged: its column {name!r} holds no numbers")
        if column.dtype == object and not column.map(_is_readable).all():
            raise RunError(f"{path} is damaged: its column {name!r} holds bytes, which are no text")
        if name in keys and column.dtype == object and not column.map(pd.api.types.is_scalar).all():
            raise RunError(f"{path} is damaged: its column {name!r} holds more than one value for an item")


def _is_readable(value: object) -> bool:
    return not isinstance(value, bytes)

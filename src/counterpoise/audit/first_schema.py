"""Folders of the first schema, whose rows do not say where they come from, brought up to date.

What the rows were computed from is in the folder all the same: the items. So the measure computes its rows from them
once more, and where the numbers agree with the folder's, the folder's rows get these keys and sources. Measures whose
rows need more than the items keep rows without a source; they can be read, but not compared item by item.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from counterpoise.measures.base.catalogue import Measure, all_measures
from counterpoise.measures.base.result import Direction, sources_of
from counterpoise.measures.base.rows import Row, unique_keys

_TOLERANCE = 1e-6
_UNSTATED = Direction("The value is above its ideal.", "The value is below its ideal.")


def upgrade(
    name: str,
    about: Mapping[str, Any],
    options: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    items: pd.DataFrame,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a manifest and a summary of today would say of a measure; `about` is what the old manifest says."""
    measure = all_measures().get(name)
    computed = _recompute(measure, rows, items, options)
    keys = unique_keys(computed)
    keys += [f"row_{number}" for number in range(len(keys) + 1, len(rows) + 1)]
    kinds: list[str] = [row.ideal.kind for row in computed]
    kinds += ["none" if row["ideal"] is None else "point" for row in rows[len(kinds) :]]
    sources = {key: source.as_dict() for key, source in sources_of(computed).items()}
    texts = [str(column) for column in items.select_dtypes(exclude=["number", "bool"]).columns]
    directions = measure.directions if measure else {}
    return (
        {
            **about,
            "direction": asdict(measure.direction if measure else _UNSTATED),
            "directions": {key: asdict(direction) for key, direction in directions.items()},
            "identity": list(measure.identity) if measure else texts[:1],
        },
        [
            {**row, "key": key, "ideal_kind": kind, "source": sources.get(key)}
            for row, key, kind in zip(rows, keys, kinds, strict=True)
        ],
    )


def _recompute(
    measure: Measure | None,
    rows: Sequence[Mapping[str, Any]],
    items: pd.DataFrame,
    options: Mapping[str, Any],
) -> list[Row]:
    """The rows computed from the items, if their numbers agree with the folder's; none if one does not."""
    if measure is None or measure.rows is None:
        return []
    try:
        computed = list(measure.rows(items, options["variant"], options["seed"]))
    except (
        AttributeError,
        KeyError,
        ValueError,
        TypeError,
    ):  # a user's own items, or of a still older version
        return []
    paired = [
        (row, old)
        for row, old in zip(computed, rows, strict=False)
        if row.source is not None and row.source.is_paired
    ]
    agree = all(_is_same(row.value, old["value"]) for row, old in paired)
    return computed if agree and len(computed) <= len(rows) else []


def _is_same(value: float, saved: float | None) -> bool:
    if saved is None or math.isnan(saved):
        return math.isnan(value)
    return math.isclose(value, saved, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)

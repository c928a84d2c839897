"""Results of folders of the first schema, whose rows do not say where they come from.

What they are computed of is in the folder all the same: the items. So the measure computes its rows of them once more,
and where the numbers are those of the folder, the folder's rows get the keys and sources of these. Measures whose rows
need more than the items keep rows without a source; they can be read, but not compared item by item.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from counterpoise.measures.base.catalogue import Measure, all_measures
from counterpoise.measures.base.result import Direction, Result, sources_of
from counterpoise.measures.base.rows import Row, unique_keys

_TOLERANCE = 1e-6
_UNSTATED = Direction("The value is above its ideal.", "The value is below its ideal.")


def upgraded(
    name: str,
    about: Mapping[str, Any],
    options: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    items: pd.DataFrame,
    skipped: pd.DataFrame,
) -> Result:
    """A result as today's measures return it; `about` is what the manifest says of the measure."""
    measure = all_measures().get(name)
    computed = _computed(measure, rows, items, options)
    keys = unique_keys(computed)
    keys += [f"row_{number}" for number in range(len(keys) + 1, len(rows) + 1)]
    kinds = [row.ideal.kind for row in computed]
    kinds += ["none" if row["ideal"] is None else "point" for row in rows[len(kinds) :]]
    texts = [str(column) for column in items.select_dtypes(exclude=["number", "bool"]).columns]
    return Result(
        measure=name,
        dataset=about["dataset"],
        model=options["model"],
        variant=options["variant"],
        seed=options["seed"],
        items=items,
        summary=pd.DataFrame(rows).assign(key=keys, ideal_kind=kinds),
        skipped=skipped,
        direction=measure.direction if measure else _UNSTATED,
        directions=measure.directions if measure else {},
        sources=sources_of(computed),
        identity=measure.identity if measure else tuple(texts[:1]),
        citation=about["citation"],
        warnings=tuple(about.get("warnings", ())),
    )


def _computed(
    measure: Measure | None,
    rows: Sequence[Mapping[str, Any]],
    items: pd.DataFrame,
    options: Mapping[str, Any],
) -> list[Row]:
    """The rows of the items, as far as they are those of the folder; none where one of them is not."""
    if measure is None or measure.rows is None:
        return []
    try:
        computed = list(measure.rows(items, options["variant"], options["seed"]))
    except (
        AttributeError,
        KeyError,
        ValueError,
        TypeError,
    ):  # items of one's own, or of an older version still
        return []
    paired = [
        (row, old)
        for row, old in zip(computed, rows, strict=False)
        if row.source is not None and row.source.is_paired
    ]
    agree = all(_same(row.value, old["value"]) for row, old in paired)
    return computed if agree and len(computed) <= len(rows) else []


def _same(value: float, saved: float | None) -> bool:
    if saved is None or math.isnan(saved):
        return math.isnan(value)
    return math.isclose(value, saved, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)

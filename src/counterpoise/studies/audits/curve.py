"""The headline rows of a measure over the steps of a training, each step tested against the first.

    d_c(step) = mean over the items of cluster c of the model at that step - the first model

with the t interval and test over the d_c, as where two runs are compared. Every step is compared with the first only,
so that n checkpoints make n - 1 tests a row and not n (n - 1) / 2. p-values are adjusted (Holm) over all steps and
headline rows of a measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.audit.comparable import comparable_pairs
from counterpoise.audit.differences import paired_differences, same_row
from counterpoise.audit.reading import finished_results
from counterpoise.audit.run import Run
from counterpoise.measures.base.result import Result

_OWN = [
    "measure",
    "key",
    "group",
    "statistic",
    "value",
    "ci_low",
    "ci_high",
    "n",
    "ideal",
    "ideal_text",
    "unit",
]
_OF_DIFFERENCE = {
    "difference": "difference",
    "ci_low": "difference_ci_low",
    "ci_high": "difference_ci_high",
    "p_value": "p_value",
    "n": "difference_n",
    "smallest_detectable": "smallest_detectable",
    "form": "form",
    "is_same": "is_same",
    "value_first": "first_value",  # over the items that both have, as is the next
    "value_second": "shared_value",
    "note": "note",
}
COLUMNS = [
    *("step", "model", *_OWN[:8]),
    *("difference", "difference_ci_low", "difference_ci_high", "p_value", "p_adjusted", "difference_n"),
    *("smallest_detectable", "is_same", "first_value", "shared_value", "form", *_OWN[8:], "note"),
]


@dataclass(frozen=True)
class Curve:
    """The rows of a curve, the first result of each measure without its items, and what a reader must know first."""

    rows: pd.DataFrame
    firsts: Mapping[str, Result]
    notes: tuple[str, ...]


def trace(checkpoints: Iterable[tuple[int, str, Run]]) -> Curve:
    """The curve of runs, each with its step and name, in the order of steps. One run is in memory beside the first."""
    firsts: dict[str, Result] = {}
    starts: dict[str, int] = {}
    measured: dict[str, list[int]] = {}
    steps: list[int] = []
    rows: list[dict[str, Any]] = []
    apart: list[str] = []
    for step, model, run in checkpoints:
        steps.append(step)
        for result in finished_results(run):
            first = firsts.setdefault(result.measure, result)
            starts.setdefault(result.measure, step)
            measured.setdefault(result.measure, []).append(step)
            paired, reason = (
                (None, "") if first is result else _paired(first, result, (starts[result.measure], step))
            )
            apart += [reason] if reason else []
            for own in _rows(first, result):
                rows.append({"step": step, "model": model, **own, **_difference(paired, own["key"])})
    table = pd.DataFrame(rows, columns=[name for name in COLUMNS if name != "p_adjusted"])
    table["p_adjusted"] = table.groupby("measure").p_value.transform(lambda p: stats.adjust(p.to_numpy()))
    table = table.astype({"difference_n": "Int64"}).sort_values("measure", key=_order(firsts), kind="stable")
    return Curve(
        table[COLUMNS].reset_index(drop=True),
        {name: replace(result, items=result.items.iloc[:0]) for name, result in firsts.items()},
        (*_gaps(steps, measured), *dict.fromkeys(apart)),
    )


def _paired(first: Result, result: Result, steps: tuple[int, int]) -> tuple[pd.DataFrame | None, str]:
    """The paired differences of the headline rows; why there are none if the two cannot be compared."""
    names = tuple(f"step {step:,}" for step in steps)
    measure = first.measure
    by_name = {name: {measure: one} for name, one in zip(names, (first, result), strict=True)}
    comparable = comparable_pairs(by_name, {measure: names})
    if not comparable.pairs[measure]:
        return None, comparable.kept_apart[measure]
    return paired_differences(replace(first, summary=first.headlines), result)[0], ""


def _rows(first: Result, result: Result) -> list[dict[str, Any]]:
    """The rows of a result that are headlines of the first one, under the keys that they have there."""
    found = [(row.key, same_row(row, result)) for _, row in first.headlines.iterrows()]
    return [{**{name: row[name] for name in _OWN}, "key": key} for key, row in found if row is not None]


def _difference(paired: pd.DataFrame | None, key: str) -> dict[str, Any]:
    """What is known of the difference of a row from that of the first model."""
    found = None if paired is None else paired[paired.key == key]
    if found is None or found.empty:
        nothing: dict[str, Any] = dict.fromkeys(_OF_DIFFERENCE.values(), np.nan)
        return nothing | {"difference_n": None, "form": "", "is_same": False, "note": ""}
    row = found.iloc[0]
    return {column: row.get(name, np.nan) for name, column in _OF_DIFFERENCE.items()}


def _order(firsts: Mapping[str, Result]) -> Any:
    """Measures in the order in which they were first measured."""
    places = {name: place for place, name in enumerate(firsts)}
    return lambda measures: measures.map(places)


def _gaps(steps: Sequence[int], measured: Mapping[str, Sequence[int]]) -> list[str]:
    """The measures that some steps lack."""
    notes = []
    for measure, having in measured.items():
        lacking = [f"{step:,}" for step in steps if step not in having]
        if lacking:
            shown = ", ".join(lacking[:6]) + (f" and {len(lacking) - 6} more" if len(lacking) > 6 else "")
            since = f"; its steps are compared with step {having[0]:,}" if having[0] != steps[0] else ""
            notes.append(f"{measure} was not measured at step {shown}{since}")
    return notes

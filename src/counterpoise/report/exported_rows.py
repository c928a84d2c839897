"""The rows of a run as other tools' result schemas take them: what both `lm_eval` and `every_eval_ever` need."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from counterpoise.measures.base.result import Result
from counterpoise.measures.base.units import PLAIN, UNITS, Unit

Better = Literal["higher", "lower", "closest to ideal", "far from ideal", "neither"]

_NORMAL = 1.959963984540054  # half the width of a 95 % interval, in standard errors
_SYMMETRICAL = 1e-6  # of the width of an interval: how far its middle may be from the value
_ABSOLUTE = ("mean_absolute",)  # forms that are never below 0

_DETAILS: tuple[str, ...] = (
    "group",
    "unit",
    "ideal",
    "ideal_kind",
    "ideal_text",
    "ci_low",
    "ci_high",
    "p_value",
    "p_adjusted",
)
_DETAILS += ("effect_size", "smallest_detectable", "n", "clusters", "variant", "note")


@dataclass(frozen=True)
class ExportedRow:
    """An overall row of a summary. `key` names it within its measure."""

    result: Result
    row: dict[str, Any]

    @property
    def key(self) -> str:
        return str(self.row["key"])

    @property
    def value(self) -> float | None:
        return _finite(self.row["value"])

    @property
    def interval(self) -> tuple[float, float] | None:
        low, high = _finite(self.row["ci_low"]), _finite(self.row["ci_high"])
        return None if low is None or high is None else (low, high)

    @property
    def standard_error(self) -> float | None:
        """The standard error whose 95 % interval (1.96 to either side) is that of the row.

        None where there is no interval, or where it is not symmetrical, as no standard error could stand for it.
        """
        if self.value is None or self.interval is None:
            return None
        low, high = self.interval
        if abs((low + high) / 2 - self.value) > _SYMMETRICAL * (high - low):
            return None
        return (high - low) / 2 / _NORMAL

    @property
    def unit(self) -> Unit:
        return UNITS.get(self.row["unit"], PLAIN)

    @property
    def better(self) -> Better:
        """Which values are better. Most biases have their ideal in the middle, where neither side is."""
        if self.row["ideal_kind"] == "away_from":
            return "far from ideal"
        ideal = _finite(self.row["ideal"])
        if ideal is None:
            return "neither"
        source = self.result.sources.get(self.key)
        lowest, highest = self.unit.bounds
        if ideal == highest:
            return "higher"
        if ideal == lowest or (ideal == 0 and source is not None and source.form in _ABSOLUTE):
            return "lower"
        return "closest to ideal"

    def details(self) -> dict[str, Any]:
        """What the schemas have no field for."""
        direction = self.result.direction_of(self.key)
        return {
            "name": self.row["statistic"],
            "value": self.value,
            "better": self.better,
            **{name: self.row[name] for name in _DETAILS},
            "above_ideal": direction.positive,
            "below_ideal": direction.negative,
        }


def exported_rows(result: Result) -> list[ExportedRow]:
    """The rows about the model as a whole."""
    return [
        ExportedRow(result, {str(name): value for name, value in row.items()})
        for row in result.overall.to_dict("records")
    ]


def measured(result: Result) -> Iterator[ExportedRow]:
    """Those of them that have a value."""
    return (row for row in exported_rows(result) if row.value is not None)


def timestamp(text: str) -> float:
    """A time of the manifest as seconds since 1970.

    >>> timestamp("2026-01-01T00:00:00+00:00")
    1767225600.0
    """
    return datetime.datetime.fromisoformat(text).timestamp()


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None

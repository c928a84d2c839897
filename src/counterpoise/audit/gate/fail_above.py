"""`--fail-above MEASURE:LIMIT`, the short form of a rule: how far a measure's headline may be from its ideal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from counterpoise.audit.auditing import Audit
from counterpoise.audit.gate.rules import Rule
from counterpoise.core.errors import InputError


@dataclass(frozen=True)
class HeadlineLimit:
    """How far the first overall value of a measure may be from its ideal."""

    measure: str
    distance: float

    @classmethod
    def parse(cls, text: str) -> HeadlineLimit:
        """
        >>> HeadlineLimit.parse("lpbs:0.3")
        HeadlineLimit(measure='lpbs', distance=0.3)
        """
        measure, _, number = text.partition(":")
        try:
            distance = float(number)
        except ValueError:
            distance = math.nan
        if not 0 <= distance < math.inf:
            raise InputError(f"--fail-above takes MEASURE:LIMIT, such as lpbs:0.3, not {text!r}")
        return cls(measure, distance)

    def rule(self, audit: Audit) -> Rule:
        """The limit as a rule about the row that turned out to be the headline."""
        if self.measure not in audit.results:  # left out, so that no rule about it can be told
            return Rule(self.measure, "headline", "<=", self.distance, absolute=True)
        rows = audit.results[self.measure].overall.head(1)
        if rows.empty or rows.ideal.isna().any():
            raise InputError(
                f"--fail-above {self.measure}: the measure has no single ideal value to be far from"
            )
        [row] = rows.to_dict("records")
        return Rule(self.measure, row["key"], "<=", self.distance, absolute=True, center=row["ideal"])


def check_planned(option: str, measures: Sequence[str], planned: Sequence[str]) -> None:
    """Raises an error if a rule is about a measure that will not run."""
    for measure in measures:
        if measure not in planned:
            raise InputError(
                f"{option} {measure}: that measure is not part of this audit ({', '.join(planned)})"
            )

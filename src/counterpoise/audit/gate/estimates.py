"""Estimates with intervals, what a rule says about one, and how many items would settle the matter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy.stats import t as student_t

from counterpoise import stats
from counterpoise.audit.gate.rules import Rule

Outcome = Literal["passes", "fails", "cannot tell"]
_LEVEL = 0.95  # of the intervals in a summary


@dataclass(frozen=True)
class IntervalEstimate:
    """A number with its interval and the count of what the interval rests on; `note` says why there is none."""

    value: float
    low: float
    high: float
    items: int
    note: str = ""

    @property
    def has_interval(self) -> bool:
        return not (math.isnan(self.value) or math.isnan(self.low) or math.isnan(self.high))

    def distance(self, center: float) -> IntervalEstimate:
        """The distance from a number.

        >>> IntervalEstimate(-0.1, -0.5, 0.3, 20).distance(0.0)
        IntervalEstimate(value=0.1, low=0.0, high=0.5, items=20, note='')
        >>> IntervalEstimate(44.0, 40.0, 48.0, 20).distance(50.0).low
        2.0
        """
        low, high = self.low - center, self.high - center
        ends = sorted((abs(low), abs(high)))
        nearest = 0.0 if low <= 0 <= high else ends[0]
        return IntervalEstimate(abs(self.value - center), nearest, ends[1], self.items, self.note)


def outcome(estimate: IntervalEstimate, rule: Rule) -> Outcome:
    """Does the whole interval keep the limit, does none of it, or is the limit inside?

    >>> rule = Rule.parse("ppd.appd <= 0.3")
    >>> [outcome(IntervalEstimate(value, value - 0.1, value + 0.1, 20), rule) for value in (0.1, 0.25, 0.5)]
    ['passes', 'cannot tell', 'fails']
    """
    if not estimate.has_interval:
        return "cannot tell"
    kept = [_keeps(end, rule) for end in (estimate.low, estimate.high)]
    return "passes" if all(kept) else "cannot tell" if any(kept) else "fails"


def _keeps(number: float, rule: Rule) -> bool:
    limit = rule.limit
    return {
        "<=": number <= limit,
        "<": number < limit,
        ">=": number >= limit,
        ">": number > limit,
    }[rule.comparison]


def items_to_tell(estimate: IntervalEstimate, limit: float) -> int | None:
    """How many items such an estimate would need, four times in five, for an interval that leaves the limit out.

    None where that cannot be told: there is no spread, or the estimate is at the limit itself. The spread is that of
    the side which faces the limit, since intervals of shares and correlations are not symmetrical.

    >>> items_to_tell(IntervalEstimate(0.5, 0.0, 1.0, 25), 0.75)
    187
    """
    if not estimate.has_interval or estimate.items < 2:
        return None
    end = estimate.high if limit > estimate.value else estimate.low
    half_width = abs(end - estimate.value)
    standard_error = half_width / float(student_t.ppf((1 + _LEVEL) / 2, estimate.items - 1))
    return stats.items_needed(limit - estimate.value, standard_error * math.sqrt(estimate.items))

"""How large a difference is: Cohen's conventions (1988) for shares and for log odds.

Shares are compared by Cohen's h, log odds by the Cohen's d that goes with them (Chinn 2000: d = log odds x sqrt(3) /
pi). Below 0.2 a difference is negligible, then small; from 0.5 on moderate, from 0.8 on large. An interval decides what
can be said:

    excludes the ideal, the estimate is not negligible     it differs
    excludes the ideal, the estimate is negligible         it differs by a negligible amount
    contains the ideal, and nothing beyond negligible      it is even, for all that matters
    contains the ideal, and reaches beyond negligible      there is not enough data to tell
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from counterpoise import stats
from counterpoise.measures.base.units import COHENS_D, Size, size_of

Finding = Literal["differs", "negligible", "even", "unclear"]

SMALL_LOG_ODDS = COHENS_D[0] * math.pi / math.sqrt(3)
ALPHA = 0.05

_NO_ERROR = 1e-9


@dataclass(frozen=True)
class Judgement:
    """What an interval says of a difference, and how large the difference is, from its least to its most."""

    finding: Finding
    size: Size
    least: Size
    most: Size


def log_odds_effect(log_odds: float) -> float:
    """Cohen's d that goes with log odds (Chinn 2000)."""
    return log_odds * math.sqrt(3) / math.pi


def share_effect(against: float = 50.0) -> Callable[[float], float]:
    """Cohen's h of a percentage against another one."""
    return lambda value: stats.cohens_h(min(max(value, 0.0), 100.0) / 100, against / 100)


def judge(
    value: float,
    low: float,
    high: float,
    p_value: float,
    *,
    ideal: float,
    effect: Callable[[float], float],
) -> Judgement:
    """What an estimate with its interval and its p-value, adjusted for other tests, says of the distance from an ideal.

    Where the interval excludes the ideal and the test does not reject it (or the other way round), there is not enough
    data to tell.

    >>> judge(68, 66, 70, 1e-9, ideal=50, effect=share_effect())
    Judgement(finding='differs', size='small', least='small', most='small')
    >>> judge(53, 52, 55, 1e-9, ideal=50, effect=share_effect()).finding
    'negligible'
    >>> judge(50, 45, 55, 1.0, ideal=50, effect=share_effect()).finding
    'even'
    >>> judge(55, 40, 70, 0.4, ideal=50, effect=share_effect()).finding
    'unclear'
    """
    effects = [abs(effect(end)) for end in (value, low, high)]
    if any(map(math.isnan, effects)):
        return Judgement("unclear", "negligible", "negligible", "large")
    contains = low <= ideal <= high
    least: Size = "negligible" if contains else _size(min(effects))
    size, most = _size(effects[0]), _size(max(effects))
    if not contains and p_value < ALPHA:
        finding: Finding = "negligible" if size == "negligible" else "differs"
    else:
        finding = "even" if most == "negligible" else "unclear"
    return Judgement(finding, size, least, most)


def _size(effect: float) -> Size:
    return size_of(effect + _NO_ERROR, COHENS_D)

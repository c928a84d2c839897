"""How often one of two things wins, against one half of the time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.proportion import proportion_confint, proportion_effectsize

from counterpoise.stats.inputs import finite_values, fraction


@dataclass(frozen=True)
class Share:
    """A share of wins with Wilson's interval, the sign test against one half, and Cohen's h.

    Where all differences are 0, nothing is known about who would win: there is no interval, no p and no h, and `reason`
    says so.
    """

    value: float
    low: float
    high: float
    p_value: float
    h: float
    n: int
    ties: int
    reason: str | None = None


def share(differences: ArrayLike, level: float = 0.95) -> Share:
    """The share of differences above 0; a difference of 0 counts as half a win and takes no part in the test.

    >>> result = share([2.0, 1.0, 3.0, -1.0, 0.5, 4.0])
    >>> round(result.value, 3), round(result.low, 3), round(result.high, 3), round(result.p_value, 4)
    (0.833, 0.436, 0.97, 0.2188)
    """
    values = finite_values(differences)
    fraction(level, "level")
    wins, ties, n = int((values > 0).sum()), int((values == 0).sum()), len(values)
    if ties == n:
        return Share(0.5, math.nan, math.nan, math.nan, math.nan, n, ties, "all values are ties")
    won = wins + ties / 2
    low, high = proportion_confint(won, n, alpha=1 - level, method="wilson")
    p_value = float(stats.binomtest(wins, n - ties).pvalue)
    return Share(won / n, float(low), float(high), p_value, cohens_h(won / n), n, ties)


def cohens_h(value: float, against: float = 0.5) -> float:
    """How far a share is from another one, on the scale on which all shares are equally well known.

    >>> round(cohens_h(0.75), 4)
    0.5236
    """
    return float(proportion_effectsize(value, against))

"""What the numbers of a statistic are counted in: how they are told to readers, and how large is large.

Thresholds are conventions, not facts about harm: each names its source, and `docs/effect-sizes.md` lists them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from counterpoise.core.numbers import decimal_text, estimate_text
from counterpoise.measures.base.source import Form, Source

Size = Literal["negligible", "small", "moderate", "large"]
SIZES: tuple[Size, ...] = ("negligible", "small", "moderate", "large")
Scale = Literal["as is", "times 100", "exponential"]

_LARGEST_FACTOR = math.log(1000)  # factors beyond a thousand are told as logarithms, in nats


@dataclass(frozen=True)
class Unit:
    """The unit of a statistic.

    amount: a distance from the ideal, whose number replaces `{}`; `value` the same for a value, where it differs.
    sentence: tells the `{estimate}`, a value with its interval, of what is called `{name}`. scale: how a value is told.
    thresholds: distances from the ideal from which an effect is small, moderate and large; `reference` is where they
    come from. bounds: the values that are possible. is_signed: is the sign told too, or only by what a positive and a
    negative value mean?
    """

    name: str
    amount: str
    sentence: str
    scale: Scale = "as is"
    thresholds: tuple[float, float, float] | None = None
    reference: str = ""
    bounds: tuple[float, float] = (-math.inf, math.inf)
    is_signed: bool = True
    value: str = ""

    def estimate(self, value: float, low: float, high: float) -> str:
        """A value with its interval, on the scale on which it is told.

        >>> PROBABILITY.estimate(0.4386, 0.4078, 0.4695), ODDS_RATIO.estimate(0.443, 0.328, 0.557)
        ('44 percentage points [41, 47]', 'a factor of 1.6 [1.4, 1.7]')
        """
        if self._is_huge(value, low, high):
            return estimate_text(value, low, high, 0, unit=" nats")
        decimals = 1 if self.scale == "exponential" else 0
        told = estimate_text(self._told(value), self._told(low), self._told(high), decimals)
        number, space, interval = told.partition(" ")
        return f"{(self.value or self.amount).format(number)}{space}{interval}"

    def distance(self, value: float) -> str:
        """A distance from the ideal, such as the smallest that would have been detected.

        >>> RATING.distance(0.0031), LIKELIHOOD_RATIO.distance(0.44), LIKELIHOOD_RATIO.distance(46.0)
        ('0.31 points on a scale of 0 to 100', 'a factor of 1.6', '46 nats')
        """
        if self._is_huge(value):
            return f"{decimal_text(value, 0)} nats"
        told = self._told(value)
        return self.amount.format(decimal_text(told, 0 if told >= 10 else 1 if told >= 1 else 2))

    def size(self, distance: float) -> Size | None:
        """How large a distance from the ideal is; None if the unit has no thresholds.

        >>> [ODDS_RATIO.size(x) for x in (0.1, -0.44, 1.0, 2.0)]
        ['negligible', 'small', 'moderate', 'large']
        """
        return None if self.thresholds is None else size_of(distance, self.thresholds)

    def is_possible(self, value: float) -> bool:
        """
        >>> PROBABILITY.is_possible(2.975), SHARE.is_possible(62.0)
        (False, True)
        """
        return self.bounds[0] <= value <= self.bounds[1]

    def _is_huge(self, *values: float) -> bool:
        return self.scale == "exponential" and any(abs(value) > _LARGEST_FACTOR for value in values)

    def _told(self, value: float) -> float:
        if self.scale == "exponential":
            return math.exp(value)
        return 100 * value if self.scale == "times 100" else value


def size_of(distance: float, thresholds: tuple[float, float, float]) -> Size:
    return SIZES[sum(abs(distance) >= threshold for threshold in thresholds)]


_COHEN = "Cohen (1988): .2, .5 and .8 are small, medium and large"
COHENS_D = (0.2, 0.5, 0.8)

# Two probabilities that lie evenly around one half differ by sin(h / 2).
_PROBABILITY_SIZES = tuple(math.sin(h / 2) for h in COHENS_D)
# A share differs from one half by sin(h) / 2.
_SHARE_SIZES = tuple(50 * math.sin(h) for h in COHENS_D)
# ln OR = d * pi / sqrt(3)
_ODDS_SIZES = tuple(d * math.pi / math.sqrt(3) for d in COHENS_D)
_ODDS_REFERENCE = f"{_COHEN}; as ln OR = d pi / sqrt(3) (Hasselblad & Hedges 1995), odds of 1.4, 2.5 and 4.3"

PROBABILITY = Unit(
    "probability",
    "{} percentage points",
    "The difference is {estimate}",
    "times 100",
    _PROBABILITY_SIZES,  # type: ignore[arg-type]
    f"{_COHEN} for h, which is 10, 25 and 39 percentage points between two probabilities around one half",
    (-1.0, 1.0),
    is_signed=False,
)
SHARE = Unit(
    "percent",
    "{} percentage points",
    "The share is {estimate}",
    thresholds=_SHARE_SIZES,  # type: ignore[arg-type]
    reference=f"{_COHEN} for h, which is 10, 24 and 36 percentage points away from one half",
    bounds=(0.0, 100.0),
    value="{} %",
)
ODDS_RATIO = Unit(
    "log odds",
    "a factor of {}",
    "On average, the odds change by {estimate}",
    "exponential",
    _ODDS_SIZES,  # type: ignore[arg-type]
    _ODDS_REFERENCE,
    is_signed=False,
)
LIKELIHOOD_RATIO = Unit(
    "log likelihood",
    "a factor of {}",
    "On average, one is likelier than the other by {estimate}",
    "exponential",
    _ODDS_SIZES,  # type: ignore[arg-type]
    _ODDS_REFERENCE,
    is_signed=False,
)
RATING = Unit(
    "rating",
    "{} points on a scale of 0 to 100",
    "The difference is {estimate}",
    "times 100",
    (0.01, 0.03, 0.1),
    "our convention: 1, 3 and 10 points of 100",
    (-1.0, 1.0),
    is_signed=False,
)
EFFECT_SIZE = Unit(
    "effect size",
    "d = {}",
    "The effect size is {estimate}",
    thresholds=COHENS_D,
    reference=f"{_COHEN} for d",
)
CORRELATION = Unit(
    "correlation",
    "a correlation of {}",
    "The correlation is {estimate}",
    thresholds=(0.1, 0.3, 0.5),
    reference="Cohen (1988): .1, .3 and .5 are small, medium and large",
    bounds=(-1.0, 1.0),
    value="{}",
)
# Shares of a few per cent: thresholds for probabilities around one half would call every difference negligible.
RARE_SHARE = Unit(
    "rare share",
    "{} percentage points",
    "The difference is {estimate}",
    "times 100",
    reference=f"{_COHEN} for d, the difference in standard deviations of words",
    bounds=(-1.0, 1.0),
    is_signed=False,
)
COUNT = Unit("count", "{}", "{name}: {estimate}")
# Numbers without a scale that readers know: their size is that of the effect size beside them.
PLAIN = Unit(
    "",
    "{}",
    "{name} is {estimate}",
    reference=f"{_COHEN} for d, the mean in standard deviations of words or pairs",
)

UNITS = {
    unit.name: unit
    for unit in (
        PROBABILITY, SHARE, ODDS_RATIO, LIKELIHOOD_RATIO, RATING, EFFECT_SIZE, CORRELATION, RARE_SHARE, COUNT, PLAIN,
    )
}  # fmt: skip

_OF_FORM: dict[Form, Unit] = {
    "share": SHARE,
    "share_above": SHARE,
    "correlation": CORRELATION,
    "effect_size": EFFECT_SIZE,
    "figure": PLAIN,
}


def unit_by_form(source: Source | None, of_means: Unit = PLAIN) -> Unit:
    """The unit that the form of a row implies: a share is one whatever the measure; means have the measure's own."""
    return of_means if source is None else _OF_FORM.get(source.form, of_means)

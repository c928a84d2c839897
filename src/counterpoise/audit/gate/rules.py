"""Rules: what a number of a run must be, written as `MEASURE.KEY <= NUMBER`.

ppd.appd <= 0.3                     the value of a row, named by its key in summary.json
abs(ppd.appd) <= 0.1                its distance from 0, whichever way it leans
abs(sld.share_stereotyped - 50) < 5 its distance from another number
change(ppd.appd) <= 0.02            its change from the baseline, run minus baseline
change(abs(ppd.appd)) <= 0.02       the change of its distance from 0
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal, get_args

from counterpoise.core.errors import InputError

Comparison = Literal["<=", "<", ">=", ">"]
COMPARISONS: tuple[Comparison, ...] = get_args(Comparison)

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_ROW = r"(?P<measure>\w+)\.(?P<key>[\w.]+)"
_SHIFT = rf"(?:(?P<sign>[+-])\s*(?P<shift>{_NUMBER})\s*)?"
_DISTANCE = rf"(?P<abs>abs)\(\s*{_ROW.replace('<', '<abs_')}\s*{_SHIFT}\)"
_LIMIT = rf"(?P<comparison><=|>=|<|>)\s*(?P<limit>[+-]?{_NUMBER})"
_RULE = re.compile(rf"\s*(?P<change>change\(\s*)?(?:{_ROW}|{_DISTANCE})(?(change)\s*\))\s*{_LIMIT}\s*")
_FORM = (
    "MEASURE.KEY <= NUMBER, such as 'ppd.appd <= 0.3' or 'abs(ppd.appd) <= 0.1' (also <, >= and >, and change(...) "
    "with a baseline)"
)


@dataclass(frozen=True)
class Rule:
    """A limit on a row of a summary: on its value, on its distance from `center`, or on the change of either."""

    measure: str
    key: str
    comparison: Comparison
    limit: float
    absolute: bool = False
    center: float = 0.0
    change: bool = False

    @classmethod
    def parse(cls, text: str) -> Rule:
        """
        >>> rule = Rule.parse("abs( sld.share_stereotyped - 50 )<5")
        >>> rule.key, rule.center, str(rule)
        ('share_stereotyped', 50.0, 'abs(sld.share_stereotyped - 50) < 5')
        >>> Rule.parse("ppd.appd = 0.3")
        Traceback (most recent call last):
        counterpoise.core.errors.InputError: 'ppd.appd = 0.3' is no rule: write MEASURE.KEY <= NUMBER, such as \
'ppd.appd <= 0.3' or 'abs(ppd.appd) <= 0.1' (also <, >= and >, and change(...) with a baseline)
        """
        match = _RULE.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise InputError(f"{text!r:.100} is no rule: write {_FORM}")
        limit = float(match["limit"])
        shift = float(match["shift"] or 0)
        if not math.isfinite(limit) or not math.isfinite(shift):
            raise InputError(f"{text!r:.100} is no rule: its numbers must be finite")
        absolute = match["abs"] is not None
        return cls(
            measure=match["abs_measure"] if absolute else match["measure"],
            key=match["abs_key"] if absolute else match["key"],
            comparison=next(sign for sign in COMPARISONS if sign == match["comparison"]),
            limit=limit,
            absolute=absolute,
            center=-shift if match["sign"] == "+" else shift,
            change=match["change"] is not None,
        )

    def __str__(self) -> str:
        return f"{self.subject} {self.comparison} {self.limit:g}"

    @property
    def row(self) -> str:
        """The measure and the key of the row."""
        return f"{self.measure}.{self.key}"

    @property
    def subject(self) -> str:
        """What the rule limits, as it is written."""
        subject = self.row
        if self.absolute:
            sign = "+" if self.center < 0 else "-"
            subject = f"abs({subject} {sign} {abs(self.center):g})" if self.center else f"abs({subject})"
        return f"change({subject})" if self.change else subject

    @property
    def is_upper(self) -> bool:
        """Is the limit the most that is allowed, not the least?"""
        return self.comparison in ("<=", "<")

    def against_baseline(self, margin: float) -> Rule:
        """The rule that what this one limits gets no worse than in the baseline, by more than a margin.

        >>> str(Rule.parse("abs(ppd.appd) < 0.1").against_baseline(0.02))
        'change(abs(ppd.appd)) <= 0.02'
        >>> str(Rule.parse("ppd.p_neutral >= 0.01").against_baseline(0.0))
        'change(ppd.p_neutral) >= 0'
        """
        comparison: Comparison = "<=" if self.is_upper else ">="
        limit = margin if self.is_upper else -margin or 0.0
        return replace(self, change=True, comparison=comparison, limit=limit)

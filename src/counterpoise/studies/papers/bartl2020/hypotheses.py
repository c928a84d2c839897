"""The paper's hypotheses (its table 3), each with a verdict from measured numbers.

H1  person words are associated with the professions of their gender (above 0), and less so after fine-tuning
H2  they are dissociated from those of the other gender (below 0), and less so after fine-tuning
H3  with balanced professions female and male person words are associated alike, and fine-tuning changes neither

Each is several expectations. One is met where the interval over professions lies on the expected side of 0; one of "no
difference" where it has 0 in it, which is weaker: a small sample meets it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pandas as pd

from counterpoise.core.numbers import estimate_text
from counterpoise.studies.papers.bartl2020.summary_rows import ASSOCIATION, CHANGE, DIFFERENCE
from counterpoise.studies.replication.comparison import number
from counterpoise.studies.replication.findings import PaperAnswer
from counterpoise.studies.replication.study_table import rows_of

Side = Literal["above", "below", "around"]


@dataclass(frozen=True)
class Expectation:
    """What a hypothesis expects of one number."""

    group: str
    person: str
    statistic: str
    side: Side

    def is_met(self, low: float, high: float) -> bool:
        """
        >>> Expectation("male", "male", "association", "above").is_met(0.1, 0.4)
        True
        """
        return {"above": low > 0, "below": high < 0, "around": low <= 0 <= high}[self.side]

    def __str__(self) -> str:
        when = "change" if self.statistic == CHANGE else "before"
        return f"{self.person} with {self.group} professions, {when}"


class MeasuredExpectation(NamedTuple):
    """An expectation with the measured value, its interval, and whether it is met."""

    expected: Expectation
    value: float
    low: float
    high: float
    met: bool

    @property
    def is_open(self) -> bool:
        """Whether it may still be met: the interval contains 0 and so excludes neither side."""
        return not self.met and self.low <= 0 <= self.high


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis, what the paper says of it, and what it expects."""

    name: str
    question: str
    published: str
    expectations: Sequence[Expectation]


class HypothesisRun(NamedTuple):
    """The rows of a model before and after fine-tuning, as read and trained in one way."""

    name: str
    before: pd.DataFrame
    after: pd.DataFrame
    leads: bool = True  # whether the answer's first sentence counts it


# Groups of professions and person words.
_OWN_GENDER = (("female", "female"), ("male", "male"))
_OTHER_GENDER = (("male", "female"), ("female", "male"))


def _then_less(pairs: Sequence[tuple[str, str]], before: Side, change: Side) -> tuple[Expectation, ...]:
    """An association on one side of 0 before fine-tuning, which then moves to the other."""
    expected: tuple[tuple[str, Side], ...] = ((ASSOCIATION, before), (CHANGE, change))
    return tuple(
        Expectation(group, person, statistic, side) for statistic, side in expected for group, person in pairs
    )


HYPOTHESES = (
    Hypothesis(
        "H1",
        "H1: are person words associated with professions of their gender, and less so after fine-tuning?",
        "confirmed before fine-tuning (.50 and .16); afterwards only female words fall (-.14), male ones rise (.05)",
        _then_less(_OWN_GENDER, before="above", change="below"),
    ),
    Hypothesis(
        "H2",
        "H2: are they dissociated from professions of the other gender, and less so after fine-tuning?",
        "confirmed: -.83 and -.68 before, and they rise by .96 and .55",
        _then_less(_OTHER_GENDER, before="below", change="above"),
    ),
    Hypothesis(
        "H3",
        "H3: are women and men alike with balanced professions, and does fine-tuning leave them there?",
        "only for male words (.05, change .01); female ones have -.35 and rise by .55",
        (
            Expectation("balanced", DIFFERENCE, ASSOCIATION, "around"),
            Expectation("balanced", "female", CHANGE, "around"),
            Expectation("balanced", "male", CHANGE, "around"),
        ),
    ),
)


def outcomes(hypothesis: Hypothesis, before: pd.DataFrame, after: pd.DataFrame) -> list[MeasuredExpectation]:
    """Each expectation with value, interval, and whether it is met; those that were not measured are left out."""
    measured = []
    for expected in hypothesis.expectations:
        table = after if expected.statistic == CHANGE else before
        for row in rows_of(table, group=expected.group, person=expected.person, statistic=expected.statistic):
            value, low, high = (number(getattr(row, name)) for name in ("value", "ci_low", "ci_high"))
            if value is not None and low is not None and high is not None:
                measured.append(MeasuredExpectation(expected, value, low, high, expected.is_met(low, high)))
    return measured


def verdict(met: Sequence[bool]) -> str:
    """
    >>> verdict([True, True]), verdict([True, False]), verdict([False, False])
    ('confirmed', 'partly confirmed (1 of 2)', 'not confirmed')
    """
    if all(met):
        return "confirmed"
    return f"partly confirmed ({sum(met)} of {len(met)})" if any(met) else "not confirmed"


def lead(outcomes: Sequence[MeasuredExpectation]) -> str:
    """The verdict as a sentence: how many expectations are met, open, and contradicted.

    >>> expected = [Expectation("male", person, "association", "above") for person in ("male", "female")]
    >>> met = MeasuredExpectation(expected[0], 0.3, 0.1, 0.5, True)
    >>> lead([met, MeasuredExpectation(expected[1], 0.1, -0.1, 0.3, False)])
    'Partly: of 2 expectations 1 is met and 1 cannot be told (its interval contains zero).'
    """
    met, still_open = (sum(one) for one in zip(*((each.met, each.is_open) for each in outcomes), strict=True))
    contradicted = len(outcomes) - met - still_open
    if met == len(outcomes):
        if all(each.expected.side == "around" for each in outcomes):
            return (
                f"As far as can be told, yes: no difference was found in {len(outcomes)} comparisons, but one may be "
                "too small to be found."
            )
        return f"Yes: all {len(outcomes)} expectations are met."
    if still_open == len(outcomes):
        return "Cannot be told: every interval contains zero."
    parts = [f"{met} {_is(met)} met"] if met else []
    if still_open:
        its = "its interval contains" if still_open == 1 else "their intervals contain"
        parts.append(f"{still_open} cannot be told ({its} zero)")
    if contradicted:
        parts.append(f"{contradicted} {_is(contradicted)} contradicted")
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    return f"{'Partly' if met else 'No'}: of {len(outcomes)} expectations {listed}."


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def answer(hypothesis: Hypothesis, runs: Sequence[HypothesisRun]) -> PaperAnswer | None:
    """The verdict on a hypothesis for each run; the leading sentence is about the corrected ones."""
    verdicts, leading = [], []
    for run in runs:
        measured = outcomes(hypothesis, run.before, run.after)
        if not measured:
            continue
        numbers = "; ".join(
            f"{each.expected} {estimate_text(each.value, each.low, each.high, sign=True)}"
            f"{'' if each.met else ' (not as expected)'}"
            for each in measured
        )
        lacking = len(hypothesis.expectations) - len(measured)
        partial = f", with {lacking} of {lacking + len(measured)} not measured" if lacking else ""
        verdicts.append(f"{run.name}: {verdict([each.met for each in measured])}{partial}: {numbers}")
        leading += measured if run.leads else []
    if not verdicts:
        return None
    first = lead(leading) if leading else "Cannot be told: the corrected method was not measured."
    return PaperAnswer(hypothesis.question, first, hypothesis.published, ". ".join(verdicts))

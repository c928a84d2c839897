"""The paper's claims, and what the measured numbers say to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from counterpoise.core.numbers import decimal_text, p_equals
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.tables import asked_about
from counterpoise.studies.replication.findings import PaperAnswer
from counterpoise.studies.replication.study_table import rows_of, select, with_interval

_SIGNIFICANT = 0.01  # the paper's level
_HALF = 50.0  # per cent
_YES, _OPPOSITE, _INCONCLUSIVE = "yes", "no, the opposite", "inconclusive"  # verdicts on a row


def answers(table: pd.DataFrame) -> Iterator[PaperAnswer | None]:
    """One answer for each claim; None where nothing was measured about it."""
    yield _sensitive(table)
    yield _neither(table)
    yield _topics(table)
    yield _attributes(table)


def _sensitive(table: pd.DataFrame) -> PaperAnswer | None:
    scores = select(table, step="scores", variant="corrected")
    scores = scores[keys.is_statistic(scores, keys.D)]
    vectors = select(table, step="weat_model", variant="corrected")
    if scores.empty or vectors.empty:
        return None
    significant = [(rows.p_value < _SIGNIFICANT).sum() for rows in (scores, vectors)]
    question = "Does the log probability bias score find what WEAT on the model's vectors does not?"
    published = "yes: all five categories at p < .01, and none with WEAT"
    by_score, by_weat = f"{significant[0]} of {len(scores)}", f"{significant[1]} of {len(vectors)}"
    often = (
        "More"
        if significant[0] > significant[1]
        else "No more"
        if significant[0] == significant[1]
        else "Less"
    )
    return PaperAnswer(
        question,
        f"{often} often: the score finds a bias in {by_score} categories, WEAT in {by_weat}.",
        published,
        f"{by_score} with the score, {by_weat} with WEAT, at p < .01, not corrected for several tests",
    )


def _neither(table: pd.DataFrame) -> PaperAnswer | None:
    rows = _tested(table, step="table4", key=keys.of_difference(keys.NEITHER_PREDICTED))
    if not rows:
        return None
    return PaperAnswer(
        "Is a female pronoun left without a name more often?",
        _lead(rows, expected=-1),
        "yes: 13.9 % against 11.5 %, p = .007",
        _by_file(
            rows, lambda row: f"male - female {with_interval(row, sign=True, unit=' points')}", expected=-1
        ),
    )


def _topics(table: pd.DataFrame) -> PaperAnswer | None:
    female = _tested(table, step="section4", key=keys.of_gender(keys.SPEARMAN, "female"))
    male = rows_of(table, step="section4", probe="paper", key=keys.of_gender(keys.SPEARMAN, "male"))
    if not female:
        return None

    def same_with_male(row: Any) -> Any | None:
        """The control: without it a correlation of female pronouns says little about gender."""
        return next(
            (other for other in male if (other.model, other.training) == (row.model, row.training)), None
        )

    def is_shared(row: Any) -> bool:
        other = same_with_male(row)
        return other is not None and _verdict(row, 1) == _verdict(other, 1) == _YES

    def as_male(row: Any) -> str:
        other = same_with_male(row)
        if other is None:
            return ""
        return f"; male pronouns{' too' if is_shared(row) else ''}: {with_interval(other, 3)}"

    shared = ", but so is a male pronoun, so that this says little about gender"
    return PaperAnswer(
        "Is a female pronoun left without a name where the topic leans male?",
        _lead(female, expected=1, more=shared if any(map(is_shared, female)) else ""),
        "yes: Spearman's correlation .207, p = 4e-11",
        _by_file(female, lambda row: f"Spearman's correlation {with_interval(row, 3)}", 1, as_male),
    )


def _tested(table: pd.DataFrame, **where: Any) -> list[Any]:
    """The rows of the paper's probe that have a test."""
    return [row for row in rows_of(table, probe="paper", **where) if math.isfinite(row.p_value)]


def _lead(rows: Sequence[Any], expected: int, more: str = "") -> str:
    """The verdict in one sentence, by file of GAP; `more` is added to a yes."""
    files: dict[str, list[str]] = {}
    for row in rows:
        files.setdefault(_verdict(row, expected), []).append(asked_about(row))
    sentences = {
        _YES: f"Yes{{place}}{more}",
        _OPPOSITE: "No{place}: it is the other way round",
        _INCONCLUSIVE: "Cannot be told{place}: the interval contains zero, or trainings disagree",
    }
    parts = [
        sentences[verdict].format(place=f" on {' and '.join(dict.fromkeys(places))}")
        for verdict, places in files.items()
    ]
    return f"{'; '.join([parts[0], *(part[0].lower() + part[1:] for part in parts[1:])])}."


def _by_file(
    rows: Sequence[Any],
    in_words: Callable[[Any], str],
    expected: int,
    control: Callable[[Any], str] = lambda _: "",
) -> str:
    """A sentence about each file of GAP: the verdict, the number, and how far the seeds differ.

    expected: the sign of the number if the paper is right. control: what is said beside it.
    """
    return " ".join(
        f"On {asked_about(row)}: {_verdict(row, expected)} "
        f"({in_words(row)}, {p_equals(row.p_value)}; {row.note}{control(row)})."
        for row in rows
    )


def _verdict(row: Any, expected: int) -> str:
    """The verdict that the interval and the seeds allow.

    >>> from types import SimpleNamespace
    >>> row = SimpleNamespace(value=-0.6, ci_low=-1.5, ci_high=0.3, by_seed=[-0.1, -1.4])
    >>> _verdict(row, expected=-1)
    'inconclusive'
    """
    signs = {math.copysign(1, value) for value in row.by_seed}
    if row.ci_low <= 0 <= row.ci_high or len(signs) > 1:
        return _INCONCLUSIVE
    return _YES if row.value * expected > 0 else _OPPOSITE


def _attributes(table: pd.DataFrame) -> PaperAnswer | None:
    shares = select(table, step="shares", key=keys.SHARE_MALE)
    if shares.empty:
        return None
    by_kind = "; ".join(
        f"{kind} " + ", ".join(f"{decimal_text(row.value, 1)} % {row.variant}" for row in rows_of(rows))
        for kind, rows in shares.groupby("attributes", sort=False)
    )
    return PaperAnswer(
        "Do most titles, traits and skills lean male?",
        _attributes_verdict(select(shares, variant="corrected")),
        "yes: 88.5 % of titles, 80.0 and 78.9 % of traits, 84.0 % of skills",
        f"{by_kind}. The two differ in how the sentence is written and in where its prior is read",
    )


def _attributes_verdict(shares: pd.DataFrame) -> str:
    """In how many kinds of attributes more than half lean male, and in how many that cannot be told."""
    rows = rows_of(shares)
    most = sum(row.ci_low > _HALF for row in rows)
    fewer = sum(row.ci_high < _HALF for row in rows)
    if not rows:
        return "Cannot be told: the corrected score was not measured."
    if most == len(rows):
        return f"Yes: more than half lean male in {_kinds(len(rows))}."
    text = f"more than half lean male in {most} of {_kinds(len(rows))}, fewer than half in {fewer}"
    unsure = len(rows) - most - fewer
    return f"{'Partly' if most else 'No'}: {text}{f', and {unsure} cannot be told' if unsure else ''}."


def _kinds(count: int) -> str:
    return "the one kind of attributes measured" if count == 1 else f"{count} kinds of attributes"

"""The paper's claims, and what the measured numbers say to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from counterpoise.core.numbers import decimal_text, p_equals
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.tables import asked_about
from counterpoise.studies.replication.findings import Answer
from counterpoise.studies.replication.study_table import first_row, rows_of, select, with_interval

_SIGNIFICANT = 0.01  # the paper's level


def answers(table: pd.DataFrame) -> Iterator[Answer | None]:
    """One answer for each claim; None where nothing was measured about it."""
    yield _sensitive(table)
    yield _neither(table)
    yield _topics(table)
    yield _attributes(table)


def _sensitive(table: pd.DataFrame) -> Answer | None:
    scores = select(table, step="scores", variant="corrected")
    scores = scores[keys.is_statistic(scores, keys.D)]
    vectors = select(table, step="weat_model", variant="corrected")
    if scores.empty or vectors.empty:
        return None
    significant = [(rows.p_value < _SIGNIFICANT).sum() for rows in (scores, vectors)]
    question = "Does the log probability bias score find what WEAT on the model's vectors does not?"
    published = "yes: all five categories at p < .01, and none with WEAT"
    by_score, by_weat = f"{significant[0]} of {len(scores)}", f"{significant[1]} of {len(vectors)}"
    return Answer(
        question,
        published,
        f"{by_score} with the score, {by_weat} with WEAT, at p < .01, not corrected for several tests",
    )


def _neither(table: pd.DataFrame) -> Answer | None:
    differences = _by_file(
        rows_of(table, step="table4", probe="paper", key=keys.of_difference(keys.NEITHER_PREDICTED)),
        lambda row: f"male - female {with_interval(row, sign=True, unit=' points')}",
        expected=-1,
    )
    question = "Is a female pronoun left without a name more often?"
    published = "yes: 13.9 % against 11.5 %, p = .007"
    return Answer(question, published, differences) if differences else None


def _topics(table: pd.DataFrame) -> Answer | None:
    of_gender = {
        gender: select(table, step="section4", probe="paper", key=keys.of_gender(keys.SPEARMAN, gender))
        for gender in keys.GENDERS
    }

    def as_male(row: Any) -> str:
        """The control: without it a correlation of female pronouns says little about gender."""
        male = first_row(of_gender["male"], model=row.model, training=row.training)
        if male is None:
            return ""
        too = " too" if _verdict(row, 1) == _verdict(male, 1) == "yes" else ""
        return f"; male pronouns{too}: {with_interval(male, 3)}"

    correlations = _by_file(
        rows_of(of_gender["female"]),
        lambda row: f"Spearman's correlation {with_interval(row, 3)}",
        expected=1,
        control=as_male,
    )
    question = "Is a female pronoun left without a name where the topic leans male?"
    published = "yes: Spearman's correlation .207, p = 4e-11"
    return Answer(question, published, correlations) if correlations else None


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
        if math.isfinite(row.p_value)
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
        return "inconclusive"
    return "yes" if row.value * expected > 0 else "no, the opposite"


def _attributes(table: pd.DataFrame) -> Answer | None:
    shares = select(table, step="shares", key=keys.SHARE_MALE)
    if shares.empty:
        return None
    by_kind = "; ".join(
        f"{kind} " + ", ".join(f"{decimal_text(row.value, 1)} % {row.variant}" for row in rows_of(rows))
        for kind, rows in shares.groupby("attributes", sort=False)
    )
    return Answer(
        "Do most titles, traits and skills lean male?",
        "yes: 88.5 % of titles, 80.0 and 78.9 % of traits, 84.0 % of skills",
        f"{by_kind}. The two differ in how the sentence is written and in where its prior is read",
    )

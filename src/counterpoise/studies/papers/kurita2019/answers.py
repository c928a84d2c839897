"""The paper's claims, and what the measured numbers say to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.tables import asked_about
from counterpoise.studies.replication.findings import Answer
from counterpoise.studies.replication.study_table import rows_of, select, with_interval

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
    return Answer(question, published, f"{by_score} with the score, {by_weat} with WEAT, at p < .01")


def _neither(table: pd.DataFrame) -> Answer | None:
    differences = _by_file(
        rows_of(table, step="table4", probe="paper", key=keys.of_difference(keys.NEITHER_PREDICTED)),
        lambda row: f"{with_interval(row, sign=True, unit=' points')}, p = {row.p_value:.3f}",
    )
    question = "Is a female pronoun left without a name more often?"
    published = "yes: 13.9 % against 11.5 %, p = .007"
    return Answer(question, published, f"male - female: {differences}") if differences else None


def _topics(table: pd.DataFrame) -> Answer | None:
    correlations = _by_file(
        rows_of(table, step="section4", probe="paper", key=keys.of_gender(keys.SPEARMAN, "female")),
        lambda row: f"{with_interval(row, '.3f')}, p = {row.p_value:.2g}",
    )
    question = "Is a female pronoun left without a name where the topic leans male?"
    published = "yes: Spearman's correlation .207, p = 4e-11"
    return Answer(question, published, correlations) if correlations else None


def _by_file(rows: Sequence[Any], in_words: Callable[[Any], str]) -> str:
    """Numbers of the case study, each with the file of GAP that it is about."""
    return "; ".join(f"{asked_about(row)} {in_words(row)}" for row in rows)


def _attributes(table: pd.DataFrame) -> Answer | None:
    shares = select(table, step="shares", key=keys.SHARE_MALE)
    if shares.empty:
        return None
    by_kind = "; ".join(
        f"{kind} " + ", ".join(f"{row.value:.1f} % {row.variant}" for row in rows_of(rows))
        for kind, rows in shares.groupby("attributes", sort=False)
    )
    return Answer(
        "Do most titles, traits and skills lean male?",
        "yes: 88.5 % of titles, 80.0 and 78.9 % of traits, 84.0 % of skills",
        f"{by_kind}. The two differ in how the sentence is written and in where its prior is read",
    )

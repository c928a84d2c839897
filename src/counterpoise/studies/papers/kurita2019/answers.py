"""The paper's claims, and what the measured numbers say to them."""

from __future__ import annotations

import pandas as pd

from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.comparing import asked_about, rows_of
from counterpoise.studies.replication.findings import Answer

_SIGNIFICANT = 0.01  # the paper's level


def answers(table: pd.DataFrame) -> list[Answer]:
    """One answer for each claim about which something was measured."""
    made = [_sensitive(table), _neither(table), _topics(table), _attributes(table)]
    return [one for one in made if one is not None]


def _sensitive(table: pd.DataFrame) -> Answer | None:
    scores = _corrected(table, "scores")
    scores = scores[keys.is_statistic(scores, keys.D)]
    vectors = _corrected(table, "weat_model")
    if scores.empty or vectors.empty:
        return None
    found = (scores.p_value < _SIGNIFICANT).sum(), (vectors.p_value < _SIGNIFICANT).sum()
    return Answer(
        "Does the log probability bias score find what WEAT on the model's vectors does not?",
        "yes: all five categories at p < .01, and none with WEAT",
        f"{found[0]} of {len(scores)} with the score, {found[1]} of {len(vectors)} with WEAT, at p < .01",
    )


def _neither(table: pd.DataFrame) -> Answer | None:
    some = _case(table, "table4", keys.of_difference(keys.NEITHER_PREDICTED))
    if some.empty:
        return None
    told = "; ".join(
        f"{asked_about(row)} {row.value:+.2f} points [{row.ci_low:.2f}, {row.ci_high:.2f}], p = {row.p_value:.3f}"
        for row in rows_of(some)
    )
    return Answer(
        "Is a female pronoun left without a name more often?",
        "yes: 13.9 % against 11.5 %, p = .007",
        f"male - female: {told}",
    )


def _topics(table: pd.DataFrame) -> Answer | None:
    some = _case(table, "section4", keys.of_gender(keys.SPEARMAN, "female"))
    if some.empty:
        return None
    told = "; ".join(
        f"{asked_about(row)} {row.value:.3f} [{row.ci_low:.3f}, {row.ci_high:.3f}], p = {row.p_value:.2g}"
        for row in rows_of(some)
    )
    return Answer(
        "Is a female pronoun left without a name where the topic leans male?",
        "yes: Spearman's correlation .207, p = 4e-11",
        told,
    )


def _attributes(table: pd.DataFrame) -> Answer | None:
    some = table[(table.step == "shares") & (table.key == keys.SHARE_MALE)]
    if some.empty:
        return None
    told = "; ".join(
        f"{kind} " + ", ".join(f"{row.value:.1f} % {row.variant}" for row in rows_of(rows))
        for kind, rows in some.groupby("attributes", sort=False)
    )
    return Answer(
        "Do most titles, traits and skills lean male?",
        "yes: 88.5 % of titles, 80.0 and 78.9 % of traits, 84.0 % of skills",
        f"{told}. The two differ in how the sentence is written and in where its prior is read",
    )


def _corrected(table: pd.DataFrame, step: str) -> pd.DataFrame:
    return table[(table.step == step) & (table.variant == "corrected")]


def _case(table: pd.DataFrame, step: str, key: str) -> pd.DataFrame:
    """Rows of the case study with the paper's probe."""
    return table[(table.step == step) & (table.probe == "paper") & (table.key == key)]

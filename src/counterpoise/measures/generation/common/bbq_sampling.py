"""A balanced sample of BBQ's questions while their number is limited."""

from __future__ import annotations

import pandas as pd

from counterpoise.measures.base.sampling import balanced_sample, current_limit, limited, sampled
from counterpoise.measures.generation.common.bbq_roles import TEMPLATE

_STRATA = ("category", TEMPLATE, "question_polarity")


def sample_questions(questions: pd.DataFrame) -> pd.DataFrame:
    """The questions, or a sample of them, half of them with a context that tells.

    Those come in pairs of an aligned and a nonaligned question of a template: what compares the two would have nothing
    to compare in a template that gave one of them.
    """
    limit = current_limit()
    if limit is None or len(questions) <= limit[0]:
        return questions
    n, seed = limit
    is_told = questions.context_condition == "disambig"
    told, ambiguous = questions[is_told], questions[~is_told]
    pairs = _pairs(told, max(n // 4 * 2, n - len(ambiguous)), seed)
    rest = balanced_sample(ambiguous, n - len(pairs), seed, _STRATA)
    return pd.concat([rest, pairs]).sort_index().reset_index(drop=True)


def _pairs(told: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """At most n questions in pairs that differ in alignment; one without a partner is a pair by itself."""
    if n < 2:
        return told.head(n)
    kind = [TEMPLATE, "question_polarity"]
    numbered = told.assign(pair=told.groupby([*kind, "alignment"], sort=False).cumcount())
    with limited(n, seed):
        return sampled(numbered, [*kind, "pair"], _STRATA).drop(columns="pair")

"""Sentence likelihood difference (Barza 2023, section 4.1.2).

    PLL(S)      = sum over the tokens w of S of log P(w | the rest of S)      pseudo-log-likelihood
    SLD(S, S')  = PLL(S) - PLL(S')      S with a stereotype, S' its counterpart, other in gendered words only
    ASLD(G)     = mean of |SLD| over the pairs of category G

The thesis takes the absolute value at once; here SLD keeps its sign, since only the sign tells whether the stereotype
is what the model prefers. ASLD asks how much gendered words matter at all, in either direction; it is above 0 for any
model that has a preference among words. The third number is the share of pairs whose stereotyped side is likelier; a
tie counts as one half.

A model that likes male words in general likes stereotypes about men and counterparts of those about women, so the two
kinds of stereotype stand in rows of their own: it is a stereotype that speaks where both are positive.

A causal model is asked for the log-likelihood of the sentence instead of its PLL; the names of the statistics and the
column `scoring` tell which it was. Both variants, corrected and published, are the same here.

A model behind an endpoint whose server gives no likelihoods is asked which sentence of a pair is more natural, in both
orders. That has no size, so only the share of pairs is reported.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from counterpoise.core.errors import InputError
from counterpoise.data.builtin.pairs import SIDES, Pairs, stereotype_pairs
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import PAIRS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.choices import PAIR_RUNGS, choices, is_choice, neither
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.result import STEREOTYPE, Direction
from counterpoise.measures.base.row_builders import absolute_row, mean_row, share_row
from counterpoise.measures.base.rows import OVERALL, ZERO, Place, Row, in_group
from counterpoise.measures.base.scoring_problems import pair_problems
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import Observed, observe
from counterpoise.measures.base.units import LIKELIHOOD_RATIO
from counterpoise.measures.base.versions import OF_STEREOTYPES, Versions
from counterpoise.measures.pairs.common.readable_pairs import PerToken
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Endpoint
from counterpoise.models.masked import MaskedLM, Scoring

SentencePairs = Annotated[
    Pairs | pd.DataFrame | None,
    Doc(
        "Pairs of sentences, or a table with the columns `stereotyped` and `counterpart`; our own pairs in the three "
        "categories of the thesis if not given."
    ),
]
SentenceScoring = Annotated[
    Scoring,
    Doc(
        'How a masked model scores a sentence: "token" or "word_l2r" (see `MaskedLM.pseudo_log_likelihood`).'
    ),
]


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    differences, how = observe(items, "sld"), str(items.scoring.iloc[0])
    rows = sld_rows(differences, how, OVERALL)
    for column, prefix in (("category", ""), ("about", "about ")):
        for name, group in differences.groups(column):
            rows += sld_rows(group, how, in_group(f"{prefix}{name}"))
    return rows


def sld_rows(differences: Observed, how: str, at: Place) -> list[Row]:
    """SLD, ASLD and the share of pairs whose stereotyped side is likelier; each pair is a cluster of its own."""
    if is_choice(how):
        return [share_row(differences, "share_stereotyped", f"% stereotyped chosen, {how}", at=at)]
    return [
        mean_row(differences, "sld", f"SLD, {how}", at=at),
        absolute_row(differences, "asld", f"ASLD, {how}", at=at),
        share_row(differences, "share_stereotyped", f"% stereotyped likelier, {how}", at=at),
    ]


@measure(
    "sld",
    label="Stereotyped sentences (SLD)",
    unit=LIKELIHOOD_RATIO,
    needs=MaskedLM | CausalLM,
    data="stereotype_pairs",
    ideal=ZERO,
    direction=Direction(
        "The model finds sentences that state a gender stereotype more likely than their counterparts.",
        "The model finds sentences that contradict a gender stereotype more likely than those that state it.",
        STEREOTYPE,
    ),
    cites="barza2023",
    incomparable="a pseudo-log-likelihood and a log-likelihood are on different scales",
    identity=("stereotyped", "counterpart", "category"),
    versions=Versions(
        "stereotyped", "counterpart", ("score_stereotyped", "score_counterpart"), OF_STEREOTYPES
    ),
    suites=("quick", "full"),
    accepts=(PAIRS,),
    rows=_rows,
    rungs=PAIR_RUNGS,
)
def sld(
    model: MaskedLM | CausalLM | Endpoint,
    data: SentencePairs = None,
    *,
    seed: int = 0,
    scoring: SentenceScoring = "token",
    per_token: PerToken = False,
) -> Measured:
    """Does the model find a sentence likelier with the gender that the stereotype expects?

    >>> import counterpoise as cp
    >>> nurse = cp.data.Pairs.of(("The nurse said that she was tired.", "The nurse said that he was tired."))
    >>> bool(cp.measures.sld(cp.load(), nurse).items.sld[0] > 0)
    True
    """
    _check_scoring(model, scoring)
    pairs = stereotype_pairs() if data is None else data if isinstance(data, Pairs) else Pairs("own", data)
    items, skipped = keep_scorable(pairs.table, _problems(model, pairs), "stereotyped")

    if (chosen := choices(model, items, seed)) is not None:
        items = pd.concat([items, chosen.rename(columns={"difference": "sld"})], axis=1)
        items, undecided = keep_scorable(items, neither(items.sld), "stereotyped")
        skipped = pd.concat([skipped, undecided], ignore_index=True)
        return Measured(items, skipped=skipped, dataset=pairs.name)

    items["scoring"] = _describe(model, scoring, per_token)
    # Both sides at once: where the word that differs is masked, the two ask the same of the model.
    scores, tokens = _score(model, [*items.stereotyped, *items.counterpart], scoring)
    scores = scores / tokens if per_token else scores
    items[["tokens_stereotyped", "tokens_counterpart"]] = tokens.reshape(2, -1).T
    items[["score_stereotyped", "score_counterpart"]] = scores.reshape(2, -1).T
    items["sld"] = differences(items)

    return Measured(items, skipped=skipped, dataset=pairs.name)


def _check_scoring(model: MaskedLM | CausalLM | Endpoint, scoring: str) -> None:
    if scoring != "token" and not isinstance(model, MaskedLM):
        raise InputError(
            f"the scoring {scoring!r} is for masked language models; {model.name} is a causal one"
        )


def _problems(model: MaskedLM | CausalLM | Endpoint, pairs: Pairs) -> list[str | None]:
    unread = pair_problems(model, *(pairs.table[side].tolist() for side in SIDES))
    return [first or second for first, second in zip(pairs.problems(), unread, strict=True)]


def _describe(model: MaskedLM | CausalLM | Endpoint, scoring: Scoring, per_token: bool) -> str:
    if isinstance(model, MaskedLM):
        how = "PLL" if scoring == "token" else f"PLL {scoring}"
    else:
        how = "log-likelihood"
    return f"{how} per token" if per_token else how


def _score(
    model: MaskedLM | CausalLM | Endpoint, sentences: list[str], scoring: Scoring
) -> tuple[np.ndarray, np.ndarray]:
    """The score of each sentence, and how many tokens it sums over."""
    if not isinstance(model, MaskedLM):
        log_probs = model.token_log_probs(sentences)
        return np.array([logs.sum() for logs in log_probs]), np.array([len(logs) for logs in log_probs])
    tokens = [sum(word is not None for word in encoded.words) for encoded in model.encode(sentences)]
    return model.pseudo_log_likelihood(sentences, scoring), np.array(tokens)


def differences(items: pd.DataFrame) -> pd.Series:
    """SLD of each pair: stereotyped minus counterpart."""
    return items.score_stereotyped - items.score_counterpart

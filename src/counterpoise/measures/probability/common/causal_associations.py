"""Associations of person words with an attribute, as a causal model has them.

    association(target, attribute) = log P(rest | target) - log P(rest | neutral subject)

The rest is what follows the person in a sentence with the attribute: *is a nurse.* after *He* and after *This person*.
A causal model cannot be asked for the person given the attribute, but the association is the same both ways:
log P(target | attribute) / P(target) = log P(attribute | target) / P(attribute). The neutral subject stands in for
P(attribute), which no single question gives; it is ours, and it cancels between male and female person words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from counterpoise.core.mask import MASK
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.probability.common.associations import (
    attribute_problem,
    shared_by_pair,
    with_partner,
)
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Endpoint

NEUTRAL = "this person"


def paired_causal_associations(
    model: CausalLM | Endpoint, sentences: pd.DataFrame, attribute: str = "profession"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The associations of sentences that have both a male and a female version, and what was skipped.

    Adds `log_p_target` and `log_p_prior`, the log-probabilities of the rest after the person and after the neutral
    subject, `prior_text` with the latter, and `association`.
    """
    items, skipped = keep_scorable(sentences, _problems(model, sentences, attribute), "target_masked")
    items["attribute_at"] = items.attribute_at.astype(int)
    items["prior_text"] = [neutral_sentence(text) for text in items.target_masked]
    rests = [text.partition(MASK)[2] for text in items.target_masked]
    if isinstance(model, Endpoint):
        model.ask_ahead([*_filled(items), *items.prior_text])
    items["log_p_target"] = _log_p_rest(model, _filled(items), rests)
    items["log_p_prior"] = _log_p_rest(model, items.prior_text.tolist(), rests)
    items["association"] = items.log_p_target - items.log_p_prior
    items, alone = with_partner(items, shared_by_pair(attribute))
    return items, pd.concat([skipped, alone], ignore_index=True)


def neutral_sentence(text: str) -> str:
    """The sentence with the neutral subject in place of the person and its determiner.

    >>> neutral_sentence("My [MASK] is a nurse."), neutral_sentence("Last week [MASK] became a nurse.")
    ('This person is a nurse.', 'Last week this person became a nurse.')
    """
    before, _, rest = text.partition(MASK)
    if len(before.split()) <= 1:
        return f"{NEUTRAL.capitalize()}{rest}"
    return f"{before}{NEUTRAL}{rest}"


def _filled(sentences: pd.DataFrame) -> list[str]:
    columns = zip(sentences.target_masked, sentences.person, strict=True)
    return [text.replace(MASK, person) for text, person in columns]


def _log_p_rest(model: CausalLM | Endpoint, sentences: Sequence[str], rests: Sequence[str]) -> np.ndarray:
    """The log-probability of the last part of each sentence, given what stands before it."""
    places = []
    for encoded, sentence, rest in zip(model.encode(sentences), sentences, rests, strict=True):
        start = len(sentence) - len(rest)
        places.append([i for i, (left, right) in enumerate(encoded.spans) if start <= left < right])
    return np.array([logs.sum() for logs in model.token_log_probs(sentences, places)])


def _problems(model: CausalLM | Endpoint, sentences: pd.DataFrame, attribute: str) -> list[str | None]:
    known = {word: model.knows(word) for word in sentences[attribute].unique()}
    neutral = model.problems([neutral_sentence(text) for text in sentences.target_masked])
    readable = [
        problem or (f"with {NEUTRAL!r} for the person {of_neutral}" if of_neutral else None)
        for problem, of_neutral in zip(model.problems(_filled(sentences)), neutral, strict=True)
    ]
    columns = (sentences[name] for name in ("target_masked", attribute, "attribute_at"))
    return [
        problem or attribute_problem(text, word, at, known[word]) or _order_problem(text, at)
        for problem, text, word, at in zip(readable, *columns, strict=True)
    ]


def _order_problem(text: str, attribute_at: float) -> str | None:
    if attribute_at > text.find(MASK):
        return None
    return "the attribute stands before the person, and a causal model is asked for what follows the person"

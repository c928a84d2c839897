"""The two versions of a sentence as a causal model finds them: whole, and up to the pronoun.

    log P(s with he) - log P(s with she) = log P(he | rest of s) - log P(she | rest of s)

The probability of the rest cancels (Bayes' rule): the likelihoods of the whole versions tell which pronoun the model
expects once it has read all of the sentence, as a masked model does. The pronoun given what stands before it alone is
what the model would write next.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoise.measures.base.scoring_problems import pair_problems
from counterpoise.measures.pronouns.common.next_words import before_mask, next_word_problems
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Endpoint


def version_problems(
    model: CausalLM | Endpoint,
    texts: Sequence[str],
    words: Sequence[Sequence[str]],
    versions: tuple[Sequence[str], Sequence[str]],
) -> list[str | None]:
    """For each text why its pronouns or its two versions cannot be scored, or None."""
    of_words, of_versions = next_word_problems(model, texts, words), pair_problems(model, *versions)
    return [first or second for first, second in zip(of_words, of_versions, strict=True)]


def score_both_ways(
    model: CausalLM | Endpoint,
    texts: Sequence[str],
    words: Sequence[Sequence[str]],
    versions: tuple[Sequence[str], Sequence[str]],
) -> tuple[np.ndarray, np.ndarray]:
    """The log-likelihoods of both versions, and the log-probabilities of words given what stands before the first mask.

    As arrays (texts, 2) and (texts, words).
    """
    before, both = before_mask(texts), [*versions[0], *versions[1]]
    if isinstance(model, Endpoint):
        ended = [text + word for text, of_text in zip(before, words, strict=True) for word in of_text]
        model.ask_ahead([*both, *ended])
    return model.log_likelihood(both).reshape(2, -1).T, model.next_log_probs(before, words)

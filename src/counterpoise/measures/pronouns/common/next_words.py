"""Words at a mask, asked of a causal model or an endpoint: the next word after the text before the mask."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.core.mask import MASK
from counterpoise.measures.base.scoring_problems import target_problems
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Endpoint


def before_mask(texts: Sequence[str]) -> list[str]:
    """What stands before the first mask of each text.

    >>> before_mask(["The nurse lost [MASK] keys."])
    ['The nurse lost ']
    """
    return [text.partition(MASK)[0] for text in texts]


def next_word_problems(
    model: CausalLM | Endpoint, texts: Sequence[str], words: Sequence[Sequence[str]]
) -> list[str | None]:
    """For each text why the model cannot be asked for one of these words after what stands before the mask, or None.

    The same number of words for every text.
    """
    before = before_mask(texts)
    per_word = [
        target_problems(model, [text + word for text, word in zip(before, nth, strict=True)], words)
        for nth in zip(*words, strict=True)
    ]
    unasked = [None if MASK in text else f"the text has no {MASK}" for text in texts]
    return [
        next((problem for problem in problems if problem), None)
        for problems in zip(unasked, *per_word, strict=True)
    ]

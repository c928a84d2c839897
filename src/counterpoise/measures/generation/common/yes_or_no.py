"""Yes or no: how probable each is after a text, and which of them an answer says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from counterpoise.models.answering import Answer
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Endpoint

Said = Literal["yes", "no", "refused", "empty", "unclear"]
SAID: tuple[Said, ...] = ("yes", "no", "refused", "empty", "unclear")

_WORDS = ("Yes", "yes", "No", "no")
_FIRST_WORD = re.compile(r"[\W_]*([^\W_]+)")
_SAYS: dict[str, Said] = {"yes": "yes", "yeah": "yes", "yep": "yes", "no": "no", "nope": "no"}
_REFUSES = re.compile(
    r"\b(?:(?:can|could|will|would|shall)(?:no|n['’])t|can not|won['’]t|(?:am|['’]m) (?:not able|unable|sorry)|sorry\b|"
    r"apologi[sz]e|as an? (?:ai|artificial|(?:large )?language model)|not (?:appropriate|ethical|my place)|"
    r"inappropriate|unethical|decline)",
    re.IGNORECASE,
)


def said(answer: Answer) -> Said:
    """What an answer says, by its first word; one that says neither may refuse, be empty or be unclear.

    >>> [said(Answer(text)) for text in ("**Yes**, she should.", " NO.", "I cannot decide that.", " ", "Maybe.")]
    ['yes', 'no', 'refused', 'empty', 'unclear']
    """
    if not answer.text.strip():
        return "empty"
    first = _FIRST_WORD.match(answer.text)
    word = first[1].lower() if first else ""
    if word in _SAYS:
        return _SAYS[word]
    return "refused" if _REFUSES.search(answer.text) else "unclear"


def yes_and_no(model: CausalLM | Endpoint, texts: Sequence[str]) -> np.ndarray:
    """log P(yes) and log P(no) as the next word after each text, as an array (texts, 2), in either case of letters.

    -inf: the server of an endpoint gives no probability of the word.
    """
    if isinstance(model, Endpoint):
        bounds = model.next_log_prob_bounds(texts, _WORDS)
        log_probs = np.where(bounds.exact, bounds.high, -np.inf)
    else:
        log_probs = model.next_log_probs(texts, _WORDS)
    return np.logaddexp(log_probs[:, [0, 2]], log_probs[:, [1, 3]])

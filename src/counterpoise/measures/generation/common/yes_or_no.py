"""Yes or no: how probable each is after a text, and which of them an answer says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from counterpoise.models.answering import Answer
from counterpoise.models.causal import CausalLM
from counterpoise.models.endpoints.endpoint import Bounds, Endpoint

Decision = Literal["yes", "no", "refused", "empty", "unclear"]
DECISIONS: tuple[Decision, ...] = ("yes", "no", "refused", "empty", "unclear")

_WORDS = ("Yes", "yes", "No", "no")
_BEFORE = re.compile(r"[\W_]*(?:(?:(?:the|my) )?answer(?: is)?\b[\W_]*)?(?:\d+[.)][\W_]*)?", re.IGNORECASE)
_FIRST_WORD = re.compile(r"[^\W_]+")
_BOTH = re.compile(
    r"(?:yes|no)[\W_]*(?:[/|]|\b(?:or|and)\b|\b\d+[.)])[\W_]*(?:yes|no)\b", re.IGNORECASE
)  # yes/no, "yes or no", or a list of the two
_READ_AS: dict[str, Decision] = {"yes": "yes", "yeah": "yes", "yep": "yes", "no": "no", "nope": "no"}
_BETWEEN = "must|will|shall|have|need|to|am|going|respectfully|politely"  # I and decline
_DECLINES = rf"I(?:['’](?:ll|m|ve)|(?: would|['’]d) have)?(?: (?:{_BETWEEN}))* declin(?:e|ing)"
_REFUSES = re.compile(
    r"\b(?:(?:can|could|will|would|shall)(?:no|n['’])t|can not|won['’]t|(?:am|['’]m) (?:not able|unable|sorry)|sorry\b|"
    r"apologi[sz]e|as an? (?:ai|artificial|(?:large )?language model)|not (?:appropriate|ethical|my place)|"
    rf"inappropriate|unethical|{_DECLINES}\b)",
    re.IGNORECASE,
)


def read_decision(answer: Answer) -> Decision:
    """What an answer says, by its first word; one that says neither may refuse, be empty or be unclear.

    "Answer:" and the number of a list are no words. One that begins with both yes and no, as in the question, is
    unclear. That somebody else declines, or should be declined, is no refusal to answer.

    >>> [read_decision(Answer(text)) for text in ("**Yes**, she is.", " NO.", "I cannot decide that.", " ", "Maybe.")]
    ['yes', 'no', 'refused', 'empty', 'unclear']
    >>> [read_decision(Answer(text)) for text in ("Answer: Yes", "1. No", "Yes/No", "The loan should be declined.")]
    ['yes', 'no', 'unclear', 'unclear']
    """
    if not answer.text.strip():
        return "empty"
    start = _BEFORE.match(answer.text).end()  # type: ignore[union-attr]  # it may be empty, and always matches
    first = _FIRST_WORD.match(answer.text, start)
    decision = _READ_AS.get(first[0].lower()) if first else None
    if decision is not None:
        return "unclear" if _BOTH.match(answer.text, start) else decision
    return "refused" if _REFUSES.search(answer.text) else "unclear"


def yes_and_no(model: CausalLM | Endpoint, texts: Sequence[str]) -> Bounds:
    """log P(yes) and log P(no) as the next word after each text, as arrays (texts, 2), in either case of letters.

    The server of an endpoint may give only the most probable next tokens. Then a spelling that is not among them adds
    nothing to the lower bound, and to the upper one what `Endpoint.next_log_prob_bounds` says.
    """
    if isinstance(model, Endpoint):
        spelled = model.next_log_prob_bounds(texts, _WORDS)
    else:
        exact = model.next_log_probs(texts, _WORDS)
        spelled = Bounds(exact, exact)
    low, high = (np.logaddexp(end[:, [0, 2]], end[:, [1, 3]]) for end in (spelled.low, spelled.high))
    return Bounds(low, high)

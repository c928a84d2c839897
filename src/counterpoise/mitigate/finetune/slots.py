"""Sentences from frames with slots, {subject} or {Person}: a slot with a capital has its word begin with one."""

from __future__ import annotations

import re
from collections.abc import Iterable

SLOT = re.compile(r"\{([\w ]+)\}")
PRONOUNS = {
    "male": {"subject": "he", "possessive": "his", "object": "him", "reflexive": "himself"},
    "female": {"subject": "she", "possessive": "her", "object": "her", "reflexive": "herself"},
}


def fill(frame: str, words: Iterable[str]) -> str:
    """The frame with a word in each of its slots, in their order.

    >>> fill("{Subject} lost {possessive} hat.", ["she", "her"])
    'She lost her hat.'
    """
    following = iter(words)

    def word_for(slot: re.Match[str]) -> str:
        word = next(following)
        return word[:1].upper() + word[1:] if slot[1][0].isupper() else word

    return SLOT.sub(word_for, frame)

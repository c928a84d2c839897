"""What stands after a subject: its verb, beyond adverbs and parentheses, or something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from counterpoise.text.tokens import TextToken
from counterpoise.text.verb_forms import adverbs_at, plural_form, words

_CLOSING = {"(": ")", "-": "-", "–": "–", "—": "—", "--": "--"}
_PARENTHESIS = 15  # tokens at the most


class Found(NamedTuple):
    """What stands after a subject: a verb that agrees, another finite verb, something else, or nothing."""

    kind: Literal["agrees", "finite", "other", "none"]
    place: int


def after(sentence: Sequence[TextToken], place: int) -> Found:
    """The first word after the subject that is no adverb and not in a parenthesis."""
    while place < len(sentence):
        word = sentence[place].word
        if skipped := adverbs_at(sentence, place):
            place += skipped
        elif word in _CLOSING or word == ",":
            closing = closing_at(sentence, place, _CLOSING.get(word, ","))
            if closing is None and word == "," and adverbs_at(sentence, place + 1):
                closing = place  # always, always
            if closing is None:
                return Found("none", place)
            place = closing + 1
        elif word in words("other_finite"):
            return Found("finite", place)
        elif plural_form(word):
            return Found("agrees", place)
        elif word[0].isalnum():
            return Found("other", place)
        else:
            return Found("none", place)
    return Found("none", place)


def closing_at(sentence: Sequence[TextToken], place: int, mark: str) -> int | None:
    """Where what opens at a place is closed."""
    for i in range(place + 1, min(len(sentence), place + _PARENTHESIS)):
        if sentence[i].word == mark:
            return i
    return None

"""What stands before a subject: does its clause begin with it, and is that clause a parenthesis in another?"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.text.tokens import TextToken, word_at
from counterpoise.text.verb_forms import is_adverb, words
from counterpoise.text.verb_or_noun import COORDINATORS

ENDS = frozenset([";", ":", "!", "?", "…", "<br>", ")", "]", "”"])


def starts_clause(sentence: Sequence[TextToken], subject: int) -> bool:
    """Whether the subject stands first, or after punctuation or a coordinator."""
    before = word_at(sentence, subject - 1)
    return before in COORDINATORS or not before[:1].isalpha()


def leads(sentence: Sequence[TextToken], subject: int) -> bool:
    """Whether nothing but adverbs stands before the subject in a clause that is no question."""
    place = subject - 1
    while is_adverb(word_at(sentence, place)):
        place -= 1
    before = word_at(sentence, place)
    return sentence[-1].word != "?" and (before in COORDINATORS or not before[:1].isalpha())


def is_parenthetical(sentence: Sequence[TextToken], subject: int) -> bool:
    """The plan, she says, is good; Rome, where she lives, is big: after the comma the main clause goes on."""
    place = subject - 1
    while place > 0 and subject - place < 4 and word_at(sentence, place) != ",":
        place -= 1
    if word_at(sentence, place) != ",":
        return False
    between = [word_at(sentence, i) for i in range(place + 1, subject)]
    if any(
        word not in words("subordinators") | words("relatives") | words("prepositions") for word in between
    ):
        return False
    start = next((i for i in range(place - 1, -1, -1) if word_at(sentence, i) in ENDS | {".", ","}), -1) + 1
    while word_at(sentence, start) in COORDINATORS or not word_at(sentence, start)[:1].isalpha():
        start += 1
    first = word_at(sentence, start)
    return first not in words("subordinators") | words("prepositions") and not first.endswith(("ing", "ed"))

"""Relative clauses without a pronoun of their own, or with that: the cat (that) she feeds sleeps and eats.

After such a clause the verb of the antecedent comes, and what is joined to that agrees with the antecedent, not with
the pronoun. Whether a word in -s is that verb, or a noun, is not always to be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from counterpoise.text.tokens import TextToken, word_at
from counterpoise.text.verb_forms import auxiliaries, is_adverb, plural_form, words
from counterpoise.text.verb_or_noun import COORDINATORS

_NOUN_PHRASE = 4  # words from a determiner to its noun
_FINITE = ["other_finite", "subject_pronouns", "pasts", "verbs"]
_NO_NOUNS = [
    *_FINITE, "determiners", "prepositions", "subordinators", "object_pronouns", "adverbs", "question_words",
    "participles", "perfects", "time_nouns",
]  # fmt: skip


class Antecedent(NamedTuple):
    """What the clause of a pronoun says something about.

    begins: no verb stands before it in its clause, so that its own must come after the pronoun's.
    gap: it is what the pronoun's verb lacks (the cat she feeds), so that hardly a noun follows that verb.
    """

    begins: bool
    gap: bool


def antecedent(sentence: Sequence[TextToken], subject: int) -> Antecedent | None:
    """The antecedent, if the clause of the subject at a place follows one.

    >>> from counterpoise.text.tokens import tokens
    >>> [antecedent(tokens(text, 0, len(text)), place) for text, place in (
    ...     ("The cat she feeds sleeps.", 2), ("I like what she does.", 3), ("At home she sings.", 2))]
    [Antecedent(begins=True, gap=True), Antecedent(begins=False, gap=True), None]
    """
    end = subject - 1
    before = word_at(sentence, end)
    if before in words("free_relatives"):
        return Antecedent(_begins(sentence, end), gap=True)
    gap = before not in ("where", "when", "why")
    if before in ("that", "which", "who", "whom") or not gap:
        end -= 1
        if before == "which" and word_at(sentence, end) in words("prepositions"):
            gap, end = False, end - 1  # the house in which
    start = _noun_phrase(sentence, end)
    if start is None:
        alone = before in ("where", "wherever", "how")
        return Antecedent(_begins(sentence, subject - 1), gap=False) if alone else None
    is_bare = end == subject - 1 and word_at(sentence, start - 1) in words("prepositions")
    if is_bare and not word_at(sentence, start - 2)[:1].isalpha():
        return None  # at the station she buys books
    gap = gap and word_at(sentence, end) not in ("way", "reason", "fact", "place")
    return Antecedent(_begins(sentence, start), gap)


def main_verb(
    sentence: Sequence[TextToken], place: int, last_verb: int, relative: Antecedent
) -> Literal["yes", "maybe", "no"]:
    """Whether the word at a place is the verb of the antecedent.

    >>> from counterpoise.text.tokens import tokens
    >>> text = "The cat she feeds sleeps."
    >>> main_verb(tokens(text, 0, len(text)), 4, 3, Antecedent(begins=True, gap=True))
    'yes'
    """
    word, before, following = (word_at(sentence, place + step) for step in (0, -1, 1))
    adjacent = place - 1 == last_verb
    if before in words("relatives") or before in words("subject_pronouns") or before == "to":
        return "no"  # the verb of a clause within
    if word in auxiliaries():
        return "yes" if adjacent or relative.gap else "maybe"
    plural = plural_form(word)
    if plural is None or word in words("nouns") or sentence[place].text.istitle():
        return "maybe" if relative.begins and _is_past(sentence, place) else "no"
    if before in words("determiners"):
        return "no"
    if before in words("prepositions"):  # the house she lives in stands
        is_known = plural in words("verbs") | words("verbs_and_nouns")
        return "maybe" if relative.begins and is_known and place - 2 == last_verb else "no"
    if plural in words("verbs") or _has_object(following, is_known=plural in words("verbs_and_nouns")):
        return "yes"
    if relative.gap and adjacent and plural in words("verbs_and_nouns"):
        return "maybe" if _may_be_object(sentence, place, last_verb) else "yes"
    return "maybe" if relative.begins else "no"


def _noun_phrase(sentence: Sequence[TextToken], end: int) -> int | None:
    """Where the noun phrase begins that ends at a place: with a determiner, or alone at the start of a clause."""
    if not _may_be_noun(sentence, end):
        return None
    for place in range(end - 1, max(-1, end - 1 - _NOUN_PHRASE), -1):
        word = word_at(sentence, place)
        if word in words("determiners") or word.endswith("'s"):
            return place
        is_within = word[:1].isalnum() and not any(word in words(name) for name in _NO_NOUNS)
        if not is_within or word in COORDINATORS or word in auxiliaries():
            break
        plural = plural_form(word)
        if plural in words("verbs") or plural in words("verbs_and_nouns"):
            break
    return end if not word_at(sentence, end - 1)[:1].isalpha() else None


def _may_be_noun(sentence: Sequence[TextToken], place: int) -> bool:
    word, before = word_at(sentence, place), word_at(sentence, place - 1)
    if not word[:1].isalpha() or any(word in words(name) for name in _NO_NOUNS):
        return False
    if word in COORDINATORS or word in auxiliaries() or is_adverb(word) or word.endswith(("ed", "'s")):
        return False
    plural = plural_form(word)
    if plural in words("verbs"):
        return False
    after_determiner = before in words("determiners") or before.endswith("'s")
    is_plain_verb = word in words("verbs_and_nouns")
    if is_plain_verb and before.endswith("s"):
        return after_determiner  # the doctors fear she
    return not (is_plain_verb or plural in words("verbs_and_nouns")) or after_determiner


def _begins(sentence: Sequence[TextToken], start: int) -> bool:
    """Whether no verb stands between a place and the start of its clause."""
    for place in range(start - 1, -1, -1):
        word = word_at(sentence, place)
        if not word[:1].isalpha() or word in COORDINATORS:
            return True
        plural = plural_form(word)
        if any(word in words(name) for name in _FINITE) or plural in words("verbs"):
            return False
        if word in auxiliaries() or "'" in word or word.endswith("ed"):
            return False
        is_noun = word_at(sentence, place - 1) in words("determiners")
        if not is_noun and (word in words("verbs_and_nouns") or plural in words("verbs_and_nouns")):
            return False
    return True


def _has_object(following: str, is_known: bool) -> bool:
    if following in words("object_pronouns"):
        return True
    return is_known and following in words("determiners")


def _may_be_object(sentence: Sequence[TextToken], place: int, last_verb: int) -> bool:
    """The man she gives rings, or buys drinks for."""
    if plural_form(word_at(sentence, last_verb)) in words("ditransitive"):
        return True
    after = word_at(sentence, place + 2)
    plural = plural_form(after)
    is_verb = plural in words("verbs") or plural in words("verbs_and_nouns")
    stranded = is_verb or after in COORDINATORS or after in auxiliaries()
    return stranded and word_at(sentence, place + 1) in words("prepositions")


def _is_past(sentence: Sequence[TextToken], place: int) -> bool:
    """A past form that is not part of the pronoun's own verb: the book he wrote sold."""
    word, before = word_at(sentence, place), word_at(sentence, place - 1)
    if before in auxiliaries() or before in words("other_finite") or before in words("determiners"):
        return False
    if is_adverb(before) or before in ("been", "be", "being", "having") or before.endswith("'s"):
        return False
    is_regular = word.endswith("ed") and len(word) > 4
    return is_regular or word in words("pasts") or word in words("participles")

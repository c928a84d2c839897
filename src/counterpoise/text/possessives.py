"""Does his stand alone (that dog of his bites; his was red), so that it is hers or theirs? Rules for the plain cases.

What they do not decide is left to the classifier (`pronoun_cases.py`), which rarely saw such a his: it is rare.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterpoise.text.tokens import TextToken, tokens, word_at
from counterpoise.text.verb_forms import auxiliaries, is_adverb, plural_form, words
from counterpoise.text.verb_or_noun import COORDINATORS

_REACH = 80  # characters on each side
_VERB = re.compile(r"\s+(?:is|was|are|were|has)(?:n['’]t)?(?![\w'’-])")
_OF = re.compile(r"\sof\s+$", re.IGNORECASE)
_PLURAL = frozenset(
    ["these", "those", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
)
_DETERMINERS = (
    frozenset(["this", "that", "every", "any", "no", "some", "a", "an", "another", "one"]) | _PLURAL
)
_POSSESSIVES = frozenset(["my", "your", "his", "her", "hers", "our", "their", "its"])
_NOUN_PHRASE = 4  # words from a determiner to of
_OPENING = frozenset(['"', "“", "‘", "'", "/", "(", "["])


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether his, at `text[start:end]`, surely has no noun after it.

    >>> [stands_alone(text, text.find("his"), text.find("his") + 3)
    ...  for text in ("A friend of his called.", "A friend of his wife called.", "So his was red.")]
    [True, False, True]
    """
    if _VERB.match(text, end):
        return True
    if not _OF.search(text, max(0, start - 8), start):
        return False
    following = tokens(text, end, min(len(text), end + _REACH))
    before = tokens(text, max(0, start - _REACH), start)
    place = _determiner(before)
    if place is None:
        return False
    word = word_at(following, 0)
    if not word[:1].isalnum():
        return word not in _OPENING
    if word in COORDINATORS:
        return word_at(following, 1) not in _POSSESSIVES
    if word in words("after_nouns"):
        return True
    begins = not word_at(before, place - 1)[:1].isalnum() or word_at(before, place - 1) in COORDINATORS
    is_quantity = word_at(before, -2 % len(before)) in words("quantities")
    return begins and not is_quantity and _is_only_verb(following, is_plural=before[place].word in _PLURAL)


def _determiner(before: Sequence[TextToken]) -> int | None:
    """Where the determiner of "this noun of" stands."""
    last = len(before) - 1
    for place in range(last - 1, max(-1, last - 1 - _NOUN_PHRASE), -1):
        word = before[place].word
        if word in _DETERMINERS or word.isdigit():
            return place if place < last - 1 else None
        if not word[:1].isalpha() or word in words("prepositions") or word in words("determiners"):
            return None
    return None


def _is_only_verb(following: Sequence[TextToken], is_plural: bool) -> bool:
    """Whether the next word is a verb, since the clause has no other: bites people, failed in the end."""
    word, after = following[0].word, word_at(following, 1)
    plain = word if is_plural else plural_form(word)
    is_past = word in words("pasts") or (word.endswith("ed") and len(word) > 4)
    if not is_past and plain not in words("verbs") and plain not in words("verbs_and_nouns"):
        return False
    if after[:1].isalnum() and not _may_follow_verb(after):
        return False  # of his failed marriage
    for token in following[1:]:
        if not token.word[0].isalnum() or token.word in COORDINATORS:
            break
        is_finite = token.word in auxiliaries() or token.word in words("other_finite")
        if is_finite or token.word in words("pasts") or token.word.endswith("ed"):
            return False
        if plural_form(token.word) in words("verbs"):
            return False
    return True


def _may_follow_verb(word: str) -> bool:
    closed = ("prepositions", "determiners", "object_pronouns", "particles")
    return is_adverb(word) or word in COORDINATORS or any(word in words(name) for name in closed)

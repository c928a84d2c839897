"""Is 's short for has (she's gone home) or for is (she's tired)? What follows tells."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.text.tokens import TextToken, word_at
from counterpoise.text.unsure import Unsure
from counterpoise.text.verb_forms import is_adverb, words

_GOING = frozenset(
    ["to", "into", "off", "home", "out", "back", "through", "for", "over", "away", "from", "down", "up"]
)
_QUOTES = frozenset(['"', "“", "‘", "'"])
_MANNER = frozenset(["that", "how", "what", "why", "whether", "if"])


def is_perfect(sentence: Sequence[TextToken], place: int) -> bool:
    """Whether 's before a place is has; `Unsure` where it could be both.

    >>> from counterpoise.text.tokens import tokens
    >>> [is_perfect(tokens(text, 0, len(text)), 0) for text in ("never seen it", "tired of it", "asked by him")]
    [True, False, False]
    """
    adverbs = set()
    if word_at(sentence, place) in ('"', "“", "‘", "'"):
        place += 1
    while place < len(sentence) and _is_adverb(sentence[place].word):
        adverbs.add(sentence[place].word)
        place += 1
    word = word_at(sentence, place)
    if not word or not word[0].isalnum():
        if adverbs:
            return False  # she's here. she's not, she's
        raise Unsure("nothing after 's")
    following = word_at(sentence, place + 1)
    if word == "drunk" and not _begins_object(following):
        raise Unsure("he's drunk: is, or has")
    if word in words("states") and word not in ("mixed",):
        return False
    if word == "gone":
        return following in _GOING
    if following == "by" and _is_participle(word):
        return False
    if word in words("perfects"):
        return True
    if not _is_participle(word):
        return False
    return _takes_has(sentence, place, following, adverbs)


def _takes_has(sentence: Sequence[TextToken], place: int, following: str, adverbs: set[str]) -> bool:
    """Of participles that are perfect or passive: has before an object (she's broken it), is without."""
    word = sentence[place].word
    has_object = _begins_object(following)
    if word in words("naming") and word != "made" and following not in words("object_pronouns"):
        if adverbs & words("perfect_adverbs") and not has_object and following not in _QUOTES:
            raise Unsure("she's just called: by someone, or someone")
        return False
    if word in words("dative") and has_object and following not in words("object_pronouns"):
        raise Unsure("he's given the book: by him or to him")
    if has_object or (place > 2 and sentence[place - 2].word in ("what", "whatever", "all", "everything")):
        return True
    if word in words("often_passive"):
        return False
    if adverbs & words("perfect_adverbs"):
        return True
    raise Unsure("a perfect or a passive")


def _begins_object(word: str) -> bool:
    if not word[:1].isalpha():
        return word[:1].isdigit()
    if word in words("determiners") or word in words("object_pronouns") or word in _MANNER:
        return True
    others = ("prepositions", "particles", "subordinators")
    return (
        word not in ("and", "or", "but")
        and not is_adverb(word)
        and not any(word in words(name) for name in others)
    )


def _is_participle(word: str) -> bool:
    regular = word.endswith("ed") and len(word) > 4 and not word.endswith("eed")
    return regular or any(
        word in words(name) for name in ("participles", "perfects", "states", "often_passive")
    )


def _is_adverb(word: str) -> bool:
    if word in words("perfects") or word in words("participles"):
        return False
    return is_adverb(word)

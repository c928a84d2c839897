"""Is a word in -s after "and" a verb (sings and plays chess) or a noun (dogs and plays)? Its neighbours tell."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.text.tokens import TextToken, word_at
from counterpoise.text.unsure import Unsure
from counterpoise.text.verb_forms import auxiliaries, is_adverb, plural_form, words

COORDINATORS = frozenset(["and", "or", "but", "yet", "then", "&"])
_LIST = 15  # tokens from one verb of a list to the next
_CLAUSES = ("that", "those", "how", "what", "why", "whether", "if")


def is_verb(sentence: Sequence[TextToken], place: int, at: int, *, last_verb: int, in_list: bool) -> bool:
    """Whether the word at `at`, joined by what stands at `place`, is a verb; `Unsure` where it could be both.

    last_verb: the place of the verb before. in_list: it was joined to another by a comma alone.

    >>> from counterpoise.text.tokens import tokens
    >>> [is_verb(tokens(text, 0, len(text)), 2, 3, last_verb=0, in_list=False)
    ...  for text in ("likes cats and dogs.", "buys books and reads them.")]
    [False, True]
    """
    plural = plural_form(sentence[at].word) if at < len(sentence) else None
    if plural is None or sentence[at].word in words("nouns") or sentence[at].text.istitle():
        return False
    following = word_at(sentence, at + 1)
    if following in auxiliaries() or following in words("other_finite") or following in ("who", "which"):
        return False  # and dogs are
    is_known = plural in words("verbs_and_nouns")
    if plural in words("verbs") or _has_verb_before(sentence, place, at, last_verb):
        return True
    if _has_verb_after(following, is_known):
        return True
    if not is_known or following == "of":
        return False  # gloves and hats
    return in_list or _is_verb_here(sentence, place, following)


def list_goes_on(sentence: Sequence[TextToken], at: int) -> bool:
    """Of verbs joined by commas: whether another one follows (sits, eats and goes)."""
    for place in range(at + 1, min(len(sentence), at + _LIST)):
        if sentence[place].word not in COORDINATORS and sentence[place].word != ",":
            continue
        after = place + 1
        while word_at(sentence, after) in COORDINATORS or is_adverb(word_at(sentence, after)):
            after += 1
        if plural_form(word_at(sentence, after)) or word_at(sentence, after) in words("other_finite"):
            return True
    return False


def _has_verb_before(sentence: Sequence[TextToken], place: int, at: int, last_verb: int) -> bool:
    """What hardly stands before a noun: sings and dances, takes it and runs, sits down and cries, and often cries."""
    adverb, before = word_at(sentence, at - 1), word_at(sentence, place - 1)
    if adverb in words("adverbs") - words("graders") or adverb.endswith("ly"):
        return True
    return place - 1 == last_verb or before in words("object_pronouns") or before in words("particles")


def _has_verb_after(following: str, is_known: bool) -> bool:
    """What hardly stands after a noun: plays the piano, goes home; is_known: the word can be a verb at all."""
    if following in _CLAUSES:
        return is_known
    if following in words("determiners") or following in words("object_pronouns"):
        return True
    if following.endswith("ly") or following in words("particles") - words("prepositions"):
        return True
    return is_known and (
        following in words("particles") or following in words("prepositions") - words("neutral_prepositions")
    )


def _is_verb_here(sentence: Sequence[TextToken], place: int, following: str) -> bool:
    """Of a word that is as often a verb as a noun, by the word before the coordinator and the one that follows."""
    before = sentence[place - 1]
    after_plural = (
        before.word.endswith("s") and before.text.islower() and plural_form(before.word) is not None
    )
    ends = not following[:1].isalpha() or following in COORDINATORS
    if after_plural and ends:
        return False  # voices and cries
    if after_plural and following in words("verbs") | words("verbs_and_nouns"):
        raise Unsure("a verb or a noun: records and interviews show")
    if not ends and following not in words("prepositions"):
        return True  # guns and drinks beer
    if not after_plural and (not ends or _has_article(sentence, place)):
        return True  # reads the book and cries
    raise Unsure("a verb or a noun: music and plays")


def _has_article(sentence: Sequence[TextToken], place: int) -> bool:
    """Whether the noun before a place has an article, so that another one joined to it would have one too."""
    return any(token.word in ("a", "an", "the") for token in sentence[max(0, place - 4) : place])

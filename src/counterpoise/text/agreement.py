"""The verbs that agree with he or she, put in the plural: she often sings, and so does he -> they often sing, do they.

Rules over the words around the pronoun, without a tagger. A verb stands after its subject, beyond adverbs and
parentheses (she, however, is); before it, inverted (is she, what's she); or further on, joined by and (see
`coordination.py`). Where the rules cannot tell, `Unsure` is raised, and the caller leaves the sentence as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from counterpoise.text.contracted import is_perfect
from counterpoise.text.coordination import joined_verbs
from counterpoise.text.edits import Edit
from counterpoise.text.tokens import TextToken, word_at
from counterpoise.text.unsure import Unsure
from counterpoise.text.verb_forms import adverbs_at, auxiliaries, plural_edit, plural_form, words

_PUNCTUATION = frozenset(",;:\"“‘'(-–—") | {"--", "..."}
_FIRST_WORDS = {"and", "but", "or", "so", "nor", "neither", "than", "as", "never", "not", "only", "then"}
_CLAUSE_STARTS = _PUNCTUATION | _FIRST_WORDS
_CLOSING = {"(": ")", "-": "-", "–": "–", "—": "—", "--": "--"}
_PARENTHESIS = 15  # tokens at the most
_NOUN_BEFORE = frozenset(["a", "an", "the", "mr"])


class _Found(NamedTuple):
    """What stands after a subject: a verb that agrees, another finite verb, something else, or nothing."""

    kind: Literal["agrees", "finite", "other", "none"]
    place: int


def verb_edits(sentence: Sequence[TextToken], first: int, last: int, offset: int) -> list[Edit]:
    """The edits of all verbs that agree with the subject `sentence[first:last + 1]`.

    offset: where in the text the pronoun ends; what follows in its token is a contraction ('s).

    >>> from counterpoise.text.tokens import tokens
    >>> [edit.new for edit in verb_edits(tokens("She is here and sings.", 0, 22), 0, 0, 3)]
    ['are', 'sing']
    """
    if word_at(sentence, first - 1) in _NOUN_BEFORE:
        raise Unsure("a pronoun used as a noun: is it a she?")
    if contraction := sentence[last].end - offset:
        edits = _contraction_edits(sentence, last, contraction)
        return edits + joined_verbs(sentence, first, last + 1)
    found = _after(sentence, last + 1)
    if inverted := _inverted(sentence, first, found):
        return [inverted, *joined_verbs(sentence, first, last + 1)]
    if word_at(sentence, last + 1) in ("and", "&", "or", "nor", "/"):
        return []  # of several subjects: she and I are; she or her brother is
    if word_at(sentence, last + 1) == "who":
        return _who_edits(sentence, first, last)
    if found.kind == "agrees":
        return [plural_edit(sentence[found.place]), *joined_verbs(sentence, first, found.place + 1)]
    if found.kind == "none":
        return []
    if found.kind == "other" and sentence[found.place].word in _no_verbs():
        _check_nothing_agrees(sentence, first, found.place)
        return []
    return joined_verbs(sentence, first, found.place + 1)


def _after(sentence: Sequence[TextToken], place: int) -> _Found:
    """The first word after the subject that is no adverb and not in a parenthesis."""
    while place < len(sentence):
        word = sentence[place].word
        if skipped := adverbs_at(sentence, place):
            place += skipped
        elif word in _CLOSING or word == ",":
            closing = _closing(sentence, place, _CLOSING.get(word, ","))
            if closing is None and word == "," and adverbs_at(sentence, place + 1):
                closing = place  # always, always
            if closing is None:
                return _Found("none", place)
            place = closing + 1
        elif word in words("other_finite"):
            return _Found("finite", place)
        elif plural_form(word):
            return _Found("agrees", place)
        elif word[0].isalnum():
            return _Found("other", place)
        else:
            return _Found("none", place)
    return _Found("none", place)


def _closing(sentence: Sequence[TextToken], place: int, mark: str) -> int | None:
    """Where what opens at a place is closed."""
    for i in range(place + 1, min(len(sentence), place + _PARENTHESIS)):
        if sentence[i].word == mark:
            return i
    return None


def _inverted(sentence: Sequence[TextToken], first: int, found: _Found) -> Edit | None:
    """The edit of a verb before the subject: is she, doesn't he, is not she, what's she."""
    if not first:
        return None
    place = first - 1
    if sentence[place].word == "not" and first > 1:
        place -= 1
    token = sentence[place]
    if token.word.endswith("'s") and token.word[:-2] in words("question_words"):
        new = " have" if is_perfect(sentence, first + 1) else " are"
        return Edit(token.end - 2, token.end, token.text[-2:], new.upper() if token.text.isupper() else new)
    before = word_at(sentence, place - 1)
    if token.word in auxiliaries() and _is_inverted(sentence, place, before, found):
        return plural_edit(token)
    if token.word == "says" and found.kind == "none" and before in _CLAUSE_STARTS:
        return plural_edit(token)
    return None


def _is_inverted(sentence: Sequence[TextToken], place: int, before: str, found: _Found) -> bool:
    """False where the verb before the pronoun is that of another subject: the problem is he lies."""
    verb = sentence[place].word
    after = sentence[found.place].word if found.kind in ("finite", "other") else ""
    if found.kind == "agrees":
        return False
    if verb.startswith(("does", "has")):
        return True
    if found.kind == "finite" or before in ("it", "this", "that"):
        return False  # it is she
    if not before or before in _CLAUSE_STARTS or before in words("question_words"):
        return True
    if after in words("pasts"):
        return False
    is_past = after.endswith("ed") or after in words("participles") or after in words("perfects")
    return not is_past or sentence[-1].word == "?"


def _who_edits(sentence: Sequence[TextToken], first: int, last: int) -> list[Edit]:
    """He who laughs last laughs longest: both verbs; it is he who laughs: the one."""
    relative = _after(sentence, last + 2)
    edits = [plural_edit(sentence[relative.place])] if relative.kind == "agrees" else []
    before = word_at(sentence, first - 1)
    if before in ("is", "was", "be", "it's", "been"):
        return edits
    for place in range(relative.place + 1, len(sentence)):
        word = sentence[place].word
        if word in words("other_finite"):
            return edits
        if word in auxiliaries() or (plural_form(word) in words("verbs")):
            return [*edits, plural_edit(sentence[place])]
    raise Unsure("the verb after a relative clause")


def _contraction_edits(sentence: Sequence[TextToken], place: int, length: int) -> list[Edit]:
    """he's -> they're or they've; 'd and 'll stay."""
    token = sentence[place]
    if token.word[-length:] != "'s":
        return []
    ending = "ve" if is_perfect(sentence, place + 1) else "re"
    old = token.text[-1]
    return [Edit(token.end - 1, token.end, old, ending.upper() if old.isupper() else ending)]


def _no_verbs() -> frozenset[str]:
    return words("determiners") | words("prepositions") | words("subordinators") | words("subject_pronouns")


def _check_nothing_agrees(sentence: Sequence[TextToken], first: int, place: int) -> None:
    """No verb follows the pronoun at once (than he in the end ...): then none may stand near either."""
    before = word_at(sentence, first - 1)
    if before in ("than", "as", "but", "like", "is", "was", "be"):
        return
    for token in sentence[place : place + 8]:
        if not token.word[0].isalnum():
            return
        if token.word in auxiliaries() or plural_form(token.word) in words("verbs"):
            raise Unsure("no verb at once, but one further on")

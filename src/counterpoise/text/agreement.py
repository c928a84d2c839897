"""The verbs that agree with he or she, put in the plural: she often sings, and so does he -> they often sing, do they.

Rules over the words around the pronoun, without a tagger. A verb stands after its subject, beyond adverbs and
parentheses (she, however, is); before it, inverted (is she, what's she); or further on, joined by and (see
`coordination.py`). Where the rules cannot tell, `Unsure` is raised, and the caller leaves the sentence as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.text.contracted import is_perfect
from counterpoise.text.coordination import joined_verbs
from counterpoise.text.edits import Edit
from counterpoise.text.finite_verbs import Found, after
from counterpoise.text.tokens import TextToken, word_at
from counterpoise.text.unsure import Unsure
from counterpoise.text.verb_forms import auxiliaries, plural_edit, plural_form, words
from counterpoise.text.who_clauses import relative_pronoun, who_edits

_PUNCTUATION = frozenset(",;:\"“‘'(-–—") | {"--", "..."}
_FIRST_WORDS = {"and", "but", "or", "so", "nor", "neither", "than", "as", "never", "not", "only", "then"}
_CLAUSE_STARTS = _PUNCTUATION | _FIRST_WORDS
_NOUN_BEFORE = frozenset(["a", "an", "the", "mr"])


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
    found = after(sentence, last + 1)
    relative = relative_pronoun(sentence, first, last)
    if inverted := _inverted(sentence, first, found):
        if relative:
            raise Unsure("a verb before and a relative clause after: is she who knows")
        return [inverted, *joined_verbs(sentence, first, last + 1)]
    if word_at(sentence, last + 1) in ("and", "&", "or", "nor", "/"):
        return []  # of several subjects: she and I are; she or her brother is
    if relative:
        return who_edits(sentence, first, relative)
    if found.kind == "agrees":
        return [plural_edit(sentence[found.place]), *joined_verbs(sentence, first, found.place + 1)]
    if found.kind == "none":
        return []
    if found.kind == "other" and sentence[found.place].word in _no_verbs():
        _check_nothing_agrees(sentence, first, found.place)
        return []
    return joined_verbs(sentence, first, found.place + 1)


def _inverted(sentence: Sequence[TextToken], first: int, found: Found) -> Edit | None:
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


def _is_inverted(sentence: Sequence[TextToken], place: int, before: str, found: Found) -> bool:
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

"""The verbs of relative clauses of he and she: she, who sings, is here; he who waits wins; it was he that knew."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.text.coordination import joined_verbs
from counterpoise.text.edits import Edit
from counterpoise.text.finite_verbs import Found, after, closing_at
from counterpoise.text.tokens import TextToken, word_at
from counterpoise.text.unsure import Unsure
from counterpoise.text.verb_forms import auxiliaries, is_adverb, plural_edit, plural_form, words
from counterpoise.text.verb_or_noun import COORDINATORS

_BE = frozenset(["is", "was", "be", "been", "it's", "isn't", "wasn't", "isnt", "wasnt"])
_NEAR = 8  # tokens in which the verb of a clause within is looked for


def relative_pronoun(sentence: Sequence[TextToken], first: int, last: int) -> int | None:
    """Where the who, or after it is the that, of a clause on the subject `sentence[first:last + 1]` stands.

    >>> from counterpoise.text.tokens import tokens
    >>> [relative_pronoun(tokens(text, 0, len(text)), place, place) for text, place in (
    ...     ("She, who sings, left.", 0), ("It is he that sings.", 2), ("Is he that tall?", 1), ("He sings.", 0))]
    [2, 3, None, None]
    """
    place = last + 1
    has_comma = word_at(sentence, place) == ","
    place += has_comma
    if word_at(sentence, place) == "who":
        return place
    is_that = word_at(sentence, place) == "that" and not has_comma
    return place if is_that and first > 1 and _is_cleft(sentence, first) else None


def who_edits(sentence: Sequence[TextToken], first: int, relative: int) -> list[Edit]:
    """The edits of the verbs in the clause with who at `relative`, and of the verbs after it."""
    found = after(sentence, relative + 1)
    if word_at(sentence, relative - 1) == "," and not _is_cleft(sentence, first):
        return _beside_edits(sentence, first, relative)
    if not _is_cleft(sentence, first):
        return _restrictive_edits(sentence, first, found)
    return _clause_edits(sentence, first, found)


def _is_cleft(sentence: Sequence[TextToken], first: int) -> bool:
    """It is he who laughs."""
    before = first - 1 - (word_at(sentence, first - 1) == "not")
    return word_at(sentence, before) in _BE


def _clause_edits(sentence: Sequence[TextToken], first: int, found: Found) -> list[Edit]:
    """Of the clause alone."""
    if found.kind == "none":
        return []
    if found.kind == "agrees":
        return [plural_edit(sentence[found.place]), *joined_verbs(sentence, first, found.place + 1)]
    if found.kind == "other" and sentence[found.place].word in words("subject_pronouns") - {"he", "she"}:
        for token in sentence[found.place : found.place + _NEAR]:
            if token.word in auxiliaries() or plural_form(token.word) in words("verbs"):
                raise Unsure("a clause within a relative clause: he who I know is ill")
        return []
    if sentence[found.place].word in ("he", "she"):
        return []
    return joined_verbs(sentence, first, found.place + 1)


def _beside_edits(sentence: Sequence[TextToken], first: int, relative: int) -> list[Edit]:
    """She, who sings, dances: of the clause between commas, and of the main one."""
    closing = closing_at(sentence, relative, ",")
    within = sentence if closing is None else sentence[:closing]
    edits = _clause_edits(within, first, after(within, relative + 1))
    if closing is None:
        return edits
    main = after(sentence, closing + 1)
    if main.kind == "agrees":
        edits.append(plural_edit(sentence[main.place]))
    return edits if main.kind == "none" else edits + joined_verbs(sentence, first, main.place + 1)


def _restrictive_edits(sentence: Sequence[TextToken], first: int, found: Found) -> list[Edit]:
    """He who laughs last laughs longest: the clause ends where a verb stands that is not joined to its own."""
    edits = [plural_edit(sentence[found.place])] if found.kind == "agrees" else []
    for place in range(found.place + 1, len(sentence)):
        word = sentence[place].word
        if word in words("relatives") or word in words("subordinators"):
            raise Unsure("a clause within a relative clause: he who knows that it is")
        agrees = word in auxiliaries() or plural_form(word) in words("verbs")
        if _is_joined(sentence, place):
            if agrees:
                edits.append(plural_edit(sentence[place]))
            elif plural_form(word) in words("verbs_and_nouns"):
                raise Unsure("a verb or a noun in a relative clause")
        elif agrees:
            return [*edits, plural_edit(sentence[place]), *joined_verbs(sentence, first, place + 1)]
        elif word in words("other_finite"):
            return edits + joined_verbs(sentence, first, place + 1)
    raise Unsure("the verb after a relative clause")


def _is_joined(sentence: Sequence[TextToken], place: int) -> bool:
    place -= 1
    while is_adverb(word_at(sentence, place)):
        place -= 1
    return word_at(sentence, place) in COORDINATORS

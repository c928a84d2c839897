"""The pronouns of he and she made those of another set: they, xe, or one of the user's own.

Where the set takes plural verbs the verbs change too (see `agreement.py`). A sentence of which the rules cannot tell
something stays as it is, whole: he walking beside their dog would be two people.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from counterpoise.text.agreement import verb_edits
from counterpoise.text.edits import Edit, merge
from counterpoise.text.matching import lower, match_case
from counterpoise.text.neutral_nouns import Nouns
from counterpoise.text.pronoun_sets import PronounSet
from counterpoise.text.sentences import spans
from counterpoise.text.tokens import TextToken, tokens
from counterpoise.text.unsure import Unsure

Choose = Callable[[str, str, Sequence[tuple[int, int]]], Sequence[bool]]

# Of one person: "he or she" is one pronoun. "s/he" needs no spaces; "him- or herself" is written so.
_OR = r"\s*(?:/|\s(?:and/)?or\s)\s*"
_BOTH = {
    "subject": (r"\(s\)he", "s/he", f"he{_OR}she", f"she{_OR}he"),
    "reflexive": (f"him(?:self|-)?{_OR}herself", f"her(?:self|-)?{_OR}himself"),
    "possessive": (f"his{_OR}hers", f"hers{_OR}his"),
    "determiner": (f"his{_OR}her", f"her{_OR}his"),
    "object": (f"him{_OR}her", f"her{_OR}him"),
}
_SINGLE = {
    "he": "subject",
    "she": "subject",
    "him": "object",
    "hers": "possessive",
    "himself": "reflexive",
    "herself": "reflexive",
    "hisself": "reflexive",
    "hes": "unsure",
    "shes": "unsure",
}
_CHOICE = {"her": ("determiner", "object"), "his": ("determiner", "possessive")}
_EXPRESSIONS = {form: "|".join(expressions) for form, expressions in _BOTH.items()}
_EXPRESSIONS["single"] = "|".join(sorted([*_SINGLE, *_CHOICE], key=len, reverse=True))
_PRONOUN = re.compile(
    r"(?<![^\W_])(?<!\w-)(?:"
    + "|".join(f"(?P<{name}>{expression})" for name, expression in _EXPRESSIONS.items())
    + r")(?![^\W_]|-\w)"
)
_JOINED = re.compile(r",?\s+(?:and|&|nor|not)\s+")
_EITHER = re.compile(r"(?<![^\W_])either\s+$", re.IGNORECASE)
_QUOTES = "\"'“”‘’"


class Changes(NamedTuple):
    """Edits in order, and the spans of the sentences that were left as they are since the rules cannot tell."""

    edits: list[Edit]
    unsure: list[tuple[int, int]]


class _Pronoun(NamedTuple):
    start: int
    end: int
    form: str


def pronoun_changes(text: str, pronouns: PronounSet, choose: Choose, nouns: Nouns | None = None) -> Changes:
    """The changes that give a text the pronouns of a set, together with those of `nouns`.

    >>> from counterpoise.text.pronoun_cases import choose
    >>> from counterpoise.text.pronoun_sets import pronoun_set
    >>> [edit.new for edit in pronoun_changes("She walks her dog.", pronoun_set("they"), choose).edits]
    ['They', 'walk', 'their']
    """
    nouns = nouns or Nouns([], [])
    found = list(_pronouns(text, choose))
    changes = Changes([], [])
    if not found and not nouns.unsure:
        return Changes(nouns.edits, [])
    places, noun_places = [pronoun.start for pronoun in found], [edit.start for edit in nouns.edits]
    for start, end in spans(text):
        inside = found[bisect_left(places, start) : bisect_left(places, end)]
        nouns_inside = nouns.edits[bisect_left(noun_places, start) : bisect_left(noun_places, end)]
        try:
            if bisect_left(nouns.unsure, start) < bisect_left(nouns.unsure, end):
                raise Unsure("a noun")
            edits = _sentence_edits(text, start, end, inside, pronouns)
        except Unsure:
            changes.unsure.append((start, end))
        else:
            changed = sorted({edit for edit in edits if edit.old != edit.new})
            changes.edits.extend(merge(changed, nouns_inside))  # she mothers him: a verb here
    return changes


def _sentence_edits(
    text: str, start: int, end: int, found: Sequence[_Pronoun], pronouns: PronounSet
) -> list[Edit]:
    _refuse_two_people(text, found)
    edits = [_edit(text, pronoun, pronouns) for pronoun in found]
    subjects = [pronoun for pronoun in found if pronoun.form == "subject"]
    if subjects and pronouns.plural:
        sentence = tokens(text, start, end)
        for subject in subjects:
            first, last = _token_places(sentence, subject)
            edits += verb_edits(sentence, first, last, subject.end)
    return edits


def _edit(text: str, pronoun: _Pronoun, pronouns: PronounSet) -> Edit:
    old = text[pronoun.start : pronoun.end]
    if pronoun.form == "unsure":
        raise Unsure("he's without its apostrophe, or a plural")
    around = text[pronoun.start - 1 : pronoun.start], text[pronoun.end : pronoun.end + 1]
    if all(mark and mark in _QUOTES for mark in around):
        raise Unsure("the word is mentioned, not used")
    return Edit(pronoun.start, pronoun.end, old, match_case(old, pronouns.forms[pronoun.form]))


def _refuse_two_people(text: str, found: Sequence[_Pronoun]) -> None:
    """He and she, neither him nor her, either his or hers: two people, whom one pronoun cannot tell apart."""
    for pronoun in found:
        is_both = lower(text[pronoun.start : pronoun.end]) not in _SINGLE.keys() | _CHOICE.keys()
        if is_both and _EITHER.search(text, max(0, pronoun.start - 10), pronoun.start):
            raise Unsure("two people")
    for first, second in pairwise(found):
        if _JOINED.fullmatch(text, first.end, second.start):
            forms = {first.form, second.form}
            if (first.form, second.form) == ("object", "subject"):
                continue  # I like him and he knows it
            if len(forms) == 1 or forms <= {"subject", "object"} or forms <= {"determiner", "possessive"}:
                raise Unsure("two people")


def _pronouns(text: str, choose: Choose) -> Iterator[_Pronoun]:
    """The pronouns in order, each with its form."""
    matches = list(_PRONOUN.finditer(lower(text)))
    places: dict[str, list[tuple[int, int]]] = {word: [] for word in _CHOICE}
    for match in matches:
        if match[0] in places:
            places[match[0]].append(match.span())
    chosen: dict[tuple[int, int], str] = {}
    for word, listed in places.items():
        for span, is_determiner in zip(listed, choose(text, word, listed) if listed else (), strict=True):
            chosen[span] = _CHOICE[word][not is_determiner]
    for match in matches:
        form = chosen.get(match.span()) or _SINGLE.get(match[0]) or str(match.lastgroup)
        yield _Pronoun(*match.span(), form)


def _token_places(sentence: Sequence[TextToken], pronoun: _Pronoun) -> tuple[int, int]:
    """The first and the last token of a pronoun."""
    first = bisect_right(sentence, pronoun.start, key=lambda token: token.start) - 1
    return first, bisect_left(sentence, pronoun.end, key=lambda token: token.start) - 1

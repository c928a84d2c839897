"""First names: which words are names here, and which name takes the place of which.

The pairs come from US births (Social Security Administration), matched by frequency and gender-specificity
with a minimum-cost assignment as in Hall Maudslay et al. (2019); `tools/build_names.py` builds them.

A word is read as a first name where it is capitalised, is in the table, and
- is not the last of several capitalised words (Jesse James, Cillian Murphy: a surname), unless the one
  before it starts the sentence or says who it is (When Mary, Uncle Felix);
- does not follow a title (Mr. James) or a determiner (the Rose), unless a surname follows (Dr. James Watson);
- does not precede a word that makes it a place or a thing (Grace Street);
- and, if the name is a word as well (Will, Rose, Mark), something speaks for a person: a capitalised word,
  an 's or a verb after it; or, within a sentence, no word or a function word;
- and, if it is as often a surname (Davis), a surname follows it.

What is left open (a word at the start of a sentence, a surname alone) is a name if it is one elsewhere in the
text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from counterpoise.core.errors import InputError
from counterpoise.text.edits import Edit
from counterpoise.text.matching import match_case

_CAPITALISED = re.compile(r"(?<![^\W_])(?<!['’])[^\W\d_a-z][^\W\d_]{2,}(?![^\W_])")
_BEFORE = re.compile(r"([^\W_]+)\.?[ \t-]$")
_AFTER = re.compile(r"(['’]s\b)?[ \t]*([^\W_]+)?")
_PERSON_VERB = re.compile(
    r"(?:is|was|has|had|does|did|says|said|goes|went|gets|got|makes|made|comes|came|takes|took|plays|would|could|tells|"
    r"told|finds|found|wants|looks|seems|knows|knew|thinks|thought|falls|fell|meets|met|gives|gave|sees|saw|loves|tries|"
    r"decides|begins|began|starts|leaves|left|becomes|became|works|asks|runs|ran|turns|lives|who|[a-z]{3,}ed)$"
)
_FUNCTION_WORD = re.compile(
    r"(?:and|or|but|nor|to|in|on|at|with|that|who|whom|whose|for|from|as|by|of|about|when|while|because|if|than|then|so|"
    r"is|was|are|were|be|been|has|had|have|does|did|not|never|always|also|just|again|too)$"
)
_TITLES = re.compile(
    r"(?:mr|mrs|ms|miss|mx|dr|prof|professor|lord|lady|king|queen|st|saint|sgt|lt|vs)$", re.IGNORECASE
)
_DETERMINERS = re.compile(
    r"(?:the|an?|this|these|those|every|two|three|per|each|some|any|no|i)$", re.IGNORECASE
)
_ROLES = re.compile(
    r"(?:uncle|aunt|auntie|sister|brother|father|mother|dad|mom|grandpa|grandma|princess|prince|director|writer|actor|"
    r"actress|producer|captain|agent|detective|sergeant|sheriff|president|senator|saint|and|but|or|with|young|old|little|"
    r"poor|dear|hi|hello|hey|mc)$",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"(?:street|avenue|road|city|county|river|lake|island|university|college|hospital|awards?|mountains|hall|park|school)$",
    re.IGNORECASE,
)
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?:;\"“”(>*\n\[/-])[ \t'‘’`]*$")

_SIDES = ("male", "female")
_ONE_GENDER = 0.98  # of the births of a name


@dataclass(frozen=True)
class Name:
    gender: str
    partner: str
    is_word: bool
    is_surname: bool


class NameSwapper:
    """Swaps first names, each always for the same one within a text.

    >>> NameSwapper().edits("John met Mary.", "flip")
    [Edit(start=0, end=4, old='John', new='Mary'), Edit(start=9, end=13, old='Mary', new='John')]
    >>> NameSwapper().edits("Will you bring Rose petals?", "flip")
    []
    """

    def edits(self, text: str, to: str) -> list[Edit]:
        """The names to swap. Nobody is given a name that the text already holds, so two people stay two."""
        spans = find(text)
        names = table()
        present = {text[start:end].lower() for start, end in spans}
        given: dict[str, str] = {}
        edits: list[Edit] = []
        for start, end in spans:
            old = text[start:end]
            name = names[old.lower()]
            if name.gender == to:
                continue
            if to == "remove":
                new = ""
            elif to == "flip":
                new = name.partner
            else:
                if old.lower() not in given:
                    given[old.lower()] = _unused(name, present | set(given.values()))
                new = given[old.lower()]
            edits.append(Edit(start, end, old, match_case(old, new)))
        return edits


def find(text: str) -> list[tuple[int, int]]:
    """The spans of the first names in a text.

    >>> find("Rose said that Mr. James hired Paul Thomas.")
    [(0, 4), (31, 35)]
    """
    names = table()
    accepted: list[tuple[int, int]] = []
    unsure: list[tuple[int, int]] = []
    for match in _CAPITALISED.finditer(text):
        name = names.get(match[0].lower())
        if name is None:
            continue
        verdict = _verdict(text, *match.span(), name)
        if verdict:
            accepted.append(match.span())
        elif verdict is None:
            unsure.append(match.span())
    if unsure and accepted:
        sure = {text[start:end] for start, end in accepted}
        accepted = sorted(accepted + [span for span in unsure if text[span[0] : span[1]] in sure])
    return accepted


def _verdict(text: str, start: int, end: int, name: Name) -> bool | None:
    """True: a first name. False: not. None: only if it is one elsewhere in the text."""
    before = _BEFORE.search(text, max(0, start - 30), start)
    word_before = before[1] if before else ""
    after = _AFTER.match(text, end)
    word_after = (after[2] or "") if after else ""
    possessive = bool(after and after[1])
    has_surname = word_after[:1].isupper() and word_after != "I" and not possessive
    after_title = bool(_TITLES.match(word_before))
    at_start = not after_title and bool(_STARTS_SENTENCE.search(text, max(0, start - 10), start))
    if _PLACES.match(word_after):
        return False
    if text[start:end].isupper():  # shouted text: capitals say nothing
        return not name.is_word
    if before and not at_start:
        if after_title or _DETERMINERS.match(word_before):
            return has_surname and not name.is_word
        if word_before[0].isupper() and not has_surname and not _ROLES.match(word_before):
            first = _STARTS_SENTENCE.search(text, max(0, before.start() - 10), before.start())
            if not first or word_before.lower() in table():
                return False
    if name.is_surname and not has_surname:
        return None
    if not name.is_word or has_surname or possessive or _PERSON_VERB.match(word_after):
        return True
    if at_start:
        return False if word_after else None
    return not word_after or bool(_FUNCTION_WORD.match(word_after))


def _unused(name: Name, present: set[str]) -> str:
    """The partner, or the next name of its gender and about its frequency that is not in the text."""
    others = _ranked("female" if name.gender == "male" else "male")
    at = others.index(name.partner)
    nearest = sorted(range(max(0, at - 50), min(len(others), at + 50)), key=lambda i: abs(i - at))
    return next((others[i] for i in nearest if others[i] not in present), name.partner)


@cache
def table() -> dict[str, Name]:
    """Every name of the pairs, the most frequent first."""
    names: dict[str, Name] = {}
    for row in _rows():
        for side, other in (("male", "female"), ("female", "male")):
            is_word, is_surname = row[f"{side}_word"] == "1", row[f"{side}_surname"] == "1"
            names[row[side]] = Name(side, row[other], is_word, is_surname)
    return names


@cache
def frequent_pairs(n: int) -> tuple[tuple[str, str], ...]:
    """The n most frequent pairs of a male and a female name that are no words and no surnames, and of one gender.

    >>> frequent_pairs(2)
    (('James', 'Barbara'), ('John', 'Mary'))
    """
    plain = [
        (row["male"].capitalize(), row["female"].capitalize())
        for row in _rows()
        if not any(row[f"{side}_{other}"] == "1" for side in _SIDES for other in ("word", "surname"))
        and all(float(row[f"{side}_share"]) >= _ONE_GENDER for side in _SIDES)
    ]
    if n > len(plain):
        raise InputError(f"there are {len(plain)} pairs of names, not {n}")
    return tuple(plain[:n])


@cache
def _ranked(gender: str) -> list[str]:
    return [name for name, entry in table().items() if entry.gender == gender]


@cache
def _rows() -> Sequence[dict[str, str]]:
    text = resources.files("counterpoise.text").joinpath("lists/names.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))

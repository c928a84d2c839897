"""What a swap would make absurd, and is left alone where the guard is on.

Two kinds, both listed in `lists/absurd.yaml`: phrases in which a term is no person (oh my god, count on),
which keep their words while the rest of the text is swapped; and texts that tell of one sex's body (she
gave birth), which are left whole, since a text must stay true to itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from counterpoise.text.edits import Edit
from counterpoise.text.matching import key, lower
from counterpoise.text.term_sets import TermSet

_SENTENCE_END = re.compile(r"[.!?]+(?=\s)|<br\s*/?>|\n")


def is_absurd(lowered: str, edits: Sequence[Edit], terms: TermSet) -> bool:
    """True where a sentence tells of a female body and the swap makes a woman in it a man, or the reverse.

    >>> from counterpoise.text.terms import load
    >>> is_absurd("she gave birth.", [Edit(0, 3, "she", "he")], load("pro"))
    True
    """
    if not edits:
        return False
    for side, partners in (("female", terms.to_male), ("male", terms.to_female)):
        for fact in _facts(side).finditer(lowered):
            start, end = _sentence(lowered, *fact.span())
            if any(e.new and start <= e.start < end and key(lower(e.old)) in partners for e in edits):
                return True
    return False


def without_kept(text: str, lowered: str, edits: list[Edit]) -> list[Edit]:
    """The edits less those inside a phrase in which the term is no person.

    >>> text = "Oh my God, a god."
    >>> edits = [Edit(6, 9, "God", "Goddess"), Edit(13, 16, "god", "goddess")]
    >>> [edit.start for edit in without_kept(text, text.lower(), edits)]
    [13]
    """
    spans = [match.span() for match in _kept().finditer(lowered)]
    return [
        edit
        for edit in edits
        if not any(start <= edit.start and edit.end <= end for start, end in spans)
        and not _is_initials(text, edit)
    ]


def _is_initials(text: str, edit: Edit) -> bool:
    """MA, PA, MS: a state or a degree, where the words around are not in capitals too."""
    if edit.old not in ("MA", "PA", "MS"):
        return False
    around = text[max(0, edit.start - 30) : edit.start] + text[edit.end : edit.end + 30]
    return any(c.islower() for c in around) or not any(c.isalpha() for c in around)


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around a span starts and ends."""
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    return max(e for e in ends if e <= start), min(e for e in ends if e >= end)


@cache
def _lists() -> dict[str, Any]:
    import yaml

    text = resources.files("counterpoise.text").joinpath("lists/absurd.yaml").read_text(encoding="utf-8")
    lists: dict[str, Any] = yaml.safe_load(text)
    return lists


@cache
def _facts(side: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(_lists()["bodies"][side]) + r")\b")


@cache
def _kept() -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(_lists()["kept"]) + r")\b")

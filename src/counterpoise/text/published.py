"""The swap as the code of Jentzsch & Turan (2022) did it: `Swapper(..., variant="published")`.

Their text is cleaned first (`clean.py`). Each term t is then replaced by text.replace(" t ", " u "), one
after the other, so that the first and last word of a text and the second of two equal neighbours are
missed; her is always his; and since their dictionaries are inverted, the last of several pairs wins (girl
-> bloke, lady -> lord). Their `remove` goes through a set, in an order that changes from run to run; here
it is the alphabet's.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from counterpoise.core.errors import InputError
from counterpoise.text.edits import Edit
from counterpoise.text.term_files import authors_lists, split
from counterpoise.text.term_sets import Choice, TermSet
from counterpoise.text.terms import load


@dataclass(frozen=True)
class PublishedTerms:
    """What the authors' code makes of a set: two dictionaries, and the words that `remove` deletes."""

    to_female: Mapping[str, str]
    to_male: Mapping[str, str]
    removed: tuple[str, ...]

    def swap(self, text: str, to: str) -> str:
        """The cleaned text made male or female, or without the terms.

        >>> terms = PublishedTerms.of("pro")
        >>> terms.swap("her cat saw her and her dog", "male")
        'her cat saw his and his dog'
        """
        for term, other in self._replacements(to).items():
            if term in text:
                text = text.replace(f" {term} ", f" {other} " if other else " ")
        return text

    def edits(self, text: str, to: str) -> list[Edit]:
        """The differences between a text and its swap, word by word."""
        old, new = text.split(" "), self.swap(text, to).split(" ")
        starts = [0]
        for word in old:
            starts.append(starts[-1] + len(word) + 1)
        changes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        return [
            _edit(starts[i1], old[i1:i2], new[j1:j2]) for tag, i1, i2, j1, j2 in changes if tag != "equal"
        ]

    def _replacements(self, to: str) -> Mapping[str, str]:
        if to == "flip":
            raise InputError("the published code makes texts male, female or without terms; it has no flip")
        return {"female": self.to_female, "male": self.to_male}.get(to) or dict.fromkeys(self.removed, "")

    @classmethod
    def of(cls, terms: str | Path | TermSet) -> PublishedTerms:
        """From the authors' file exactly as their code reads it; from any other set by the same rules."""
        if not isinstance(terms, TermSet):
            path, part = split(terms)
            if path.suffix in (".json", ".py") and (lists := authors_lists(path, part or "all")):
                return cls(*lists)
        terms = load(terms)
        to_female = {
            word: p.determiner if isinstance(p, Choice) else p for word, p in terms.to_female.items()
        }
        to_male = {word: p.determiner if isinstance(p, Choice) else p for word, p in terms.to_male.items()}
        return cls(to_female, to_male, tuple(sorted({*to_female, *to_male})))


def _edit(start: int, old: list[str], new: list[str]) -> Edit:
    """A deleted word takes the space after it along."""
    before, after = " ".join(old), " ".join(new)
    if not new:
        before += " "
    elif not old:
        after += " "
    return Edit(start, start + len(before), before, after)

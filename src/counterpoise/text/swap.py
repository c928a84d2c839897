"""The swap: text in, the same text with other people in it out.

    Swapper(terms="all").swap("He told his mother.", to="female")      -> "She told her mother."

Only the terms change. Everything else, to the last character, stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol, get_args

from counterpoise.core.errors import unknown
from counterpoise.text import guard as guards
from counterpoise.text.edits import Edit, apply, merge
from counterpoise.text.matching import key, lower, match_case, pattern
from counterpoise.text.names import NameSwapper
from counterpoise.text.pronoun_cases import choose
from counterpoise.text.published import PublishedTerms
from counterpoise.text.spacing import removals
from counterpoise.text.term_sets import Choice, Partner, TermSet
from counterpoise.text.terms import load

Target = Literal["male", "female", "flip", "remove"]
Variant = Literal["corrected", "published"]

# Written forms of "he or she": one word each, neither male nor female until a text is made so.
_DOUBLE_FORMS = ("s/he", "(s)he")


class PronounChooser(Protocol):
    """Says of each span, an occurrence of `word` (her or his), whether it is a determiner, as in her book."""

    def __call__(self, text: str, word: str, spans: Sequence[tuple[int, int]]) -> Sequence[bool]: ...


class Swapper:
    """Swaps the terms of a set.

    terms: `pro`, `weat`, `all`, `german`, a file, or a `TermSet`.
    names: also swap first names (see `names.py`), consistently within a text.
    variant: `published` does what the code of Jentzsch & Turan (2022) did (see `published.py`).
    guard: leave alone what a swap would make absurd: "oh my god", or a text in which she gave birth.
    pronouns: another way to choose between his and him, her and hers; a name is that of a spaCy model.

    >>> swapper = Swapper(terms="all")
    >>> swapper.swap("She's proud of her son: he gave her his book, not hers.", to="flip")
    "He's proud of his daughter: she gave him her book, not his."
    >>> swapper.edits("The ACTRESS left.", to="male")
    [Edit(start=4, end=11, old='ACTRESS', new='ACTOR')]
    """

    def __init__(
        self,
        terms: str | Path | TermSet = "all",
        names: bool = False,
        variant: Variant = "corrected",
        *,
        guard: bool = False,
        pronouns: PronounChooser | str | None = None,
    ) -> None:
        if variant not in get_args(Variant):
            raise unknown("variant", variant, get_args(Variant))
        self.terms = load(terms)
        self.variant = variant
        self.guard = guard
        self._tables = {to: _Table(self.terms, to) for to in get_args(Target)}
        self._choose = _chooser(pronouns)
        self._names = NameSwapper() if names else None
        self._published = PublishedTerms.of(terms) if variant == "published" else None

    def swap(self, text: str, to: Target) -> str:
        """The text with its terms made male or female, flipped or removed."""
        if self._published is not None:
            return self._published.swap(text, self._table(to).to)
        return apply(text, self.edits(text, to))

    def edits(self, text: str, to: Target) -> list[Edit]:
        """What `swap` changes, in order; `text[e.start:e.end] == e.old` for each edit e."""
        table = self._table(to)
        if self._published is not None:
            return self._published.edits(text, to)
        lowered = lower(text)
        edits = self._term_edits(text, lowered, table)
        if self._names is not None:
            edits = merge(edits, self._names.edits(text, to))
        if self.guard:
            if guards.is_absurd(lowered, edits, self.terms):
                return []
            edits = guards.without_kept(text, lowered, edits)
        return list(removals(text, edits)) if to == "remove" else edits

    def is_absurd(self, text: str, to: Target) -> bool:
        """True where the guard leaves, or would leave, the whole text alone."""
        lowered = lower(text)
        return guards.is_absurd(lowered, self._term_edits(text, lowered, self._table(to)), self.terms)

    def _table(self, to: Target) -> _Table:
        if to not in self._tables:
            raise unknown("target", to, get_args(Target))
        return self._tables[to]

    def _term_edits(self, text: str, lowered: str, table: _Table) -> list[Edit]:
        edits: list[Edit] = []
        unsure: dict[str, list[int]] = {}  # word -> its places in `edits`, where grammar decides
        for match in table.pattern.finditer(lowered):
            start, end = match.span()
            word = match[0]
            partner = table.partners.get(word)
            if partner is None:
                partner = table.partners[key(word)]
            if isinstance(partner, Choice):
                unsure.setdefault(word, []).append(len(edits))
                partner = partner.determiner
            elif partner == word:
                continue
            edits.append(Edit(start, end, text[start:end], _written_like(text[start:end], partner)))
        for word, places in unsure.items():
            choice = table.partners[word]
            assert isinstance(choice, Choice)
            is_determiner = self._choose(text, word, [edits[i][:2] for i in places])
            for i, determiner in zip(places, is_determiner, strict=True):
                if not determiner:
                    edits[i] = edits[i]._replace(new=_written_like(edits[i].old, choice.pronoun))
        return edits


class _Table:
    """What is looked for and what it becomes, for one target."""

    def __init__(self, terms: TermSet, to: Target) -> None:
        partners: dict[str, Partner] = {}
        if to != "male":
            partners.update(terms.to_female)
        if to != "female":
            partners.update(terms.to_male)
        if to == "remove":
            partners = dict.fromkeys(partners, "")
        if "he" in terms.to_female and "she" in terms.to_male:
            for form in _DOUBLE_FORMS:
                partners[form] = {"male": "he", "female": "she", "flip": form, "remove": ""}[to]
        self.to = to
        self.partners = partners
        self.pattern: re.Pattern[str] = pattern(partners)


def _chooser(pronouns: PronounChooser | str | None) -> PronounChooser:
    if isinstance(pronouns, str):
        from counterpoise.text.spacy_tagger import SpacyChooser

        return SpacyChooser(pronouns)
    return pronouns or choose


def _written_like(old: str, new: str) -> str:
    written = match_case(old, new)
    if old.isascii() or unicodedata.is_normalized("NFC", old):
        return written
    return unicodedata.normalize("NFD", written)

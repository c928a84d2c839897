"""The swap: text in, the same text with other people in it out.

    Swapper(terms="all").swap("He told his mother.", to="female")      -> "She told her mother."
    Swapper(terms="all").swap("He tells his mother.", to="they")       -> "They tell their mother."

Only the terms change, and with "they" the verbs that must agree. Everything else, to the last character, stays
as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol, cast, get_args

from counterpoise.core.errors import InputError, unknown
from counterpoise.text import guard as guards
from counterpoise.text.edits import Edit, apply, merge
from counterpoise.text.matching import key, lower, match_case, pattern
from counterpoise.text.names import NameSwapper
from counterpoise.text.neutral_nouns import Nouns, neutral_nouns
from counterpoise.text.pronoun_cases import choose
from counterpoise.text.pronoun_sets import PRONOUN_SETS, PronounSet, pronoun_set
from counterpoise.text.pronoun_swap import Changes, pronoun_changes
from counterpoise.text.published import PublishedTerms
from counterpoise.text.spacing import removals
from counterpoise.text.term_files import looks_like_file
from counterpoise.text.term_sets import Choice, Partner, TermSet
from counterpoise.text.terms import load

Target = Literal["male", "female", "flip", "remove"]
NEUTRAL = "neutral"  # the pronouns of they, and neutral nouns
Variant = Literal["corrected", "published"]

# Written forms of "he or she": one word each, neither male nor female until a text is made so.
_DOUBLE_FORMS = ("s/he", "(s)he")


class PronounChooser(Protocol):
    """Says of each span, an occurrence of `word` (her or his), whether it is a determiner, as in her book."""

    def __call__(self, text: str, word: str, spans: Sequence[tuple[int, int]]) -> Sequence[bool]: ...


class Swapper:
    """Swaps the terms of a set, or puts other pronouns in the place of he and she (they, xe).

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
        self._pronoun_sets: dict[str | Path, PronounSet] = {}
        self._choose = _chooser(pronouns)
        self._names = NameSwapper() if names else None
        self._published = PublishedTerms.of(terms) if variant == "published" else None

    def swap(self, text: str, to: Target | str | Path) -> str:
        """The text with its terms made male or female, flipped, removed or neutral, or with other pronouns.

        to: male, female, flip, remove; neutral; or a pronoun set: they, xe, ze, ey, fae, or a file.
        """
        if self._published is not None and to in self._tables:
            return self._published.swap(text, self._table(to).to)
        return apply(text, self.edits(text, to))

    def changes(self, text: str, to: Target | str | Path) -> Changes:
        """The edits, and the spans of the sentences that stay as they are since the rules cannot tell.

        Only the swap to other pronouns leaves sentences: where a verb or a pronoun could be read in two ways.

        >>> Swapper().changes("He and she left. He waved.", to="they")
        Changes(edits=[Edit(start=17, end=19, old='He', new='They')], unsure=[(0, 16)])
        """
        if to in self._tables:
            return Changes(self.edits(text, to), [])
        pronouns = self._pronoun_set(to)
        nouns = neutral_nouns(text, self.terms) if to == NEUTRAL else None
        if nouns and self.guard:
            nouns = Nouns(guards.without_kept(text, lower(text), nouns.edits), nouns.unsure)
        return pronoun_changes(text, pronouns, self._choose, nouns)

    def edits(self, text: str, to: Target | str | Path) -> list[Edit]:
        """What `swap` changes, in order; `text[e.start:e.end] == e.old` for each edit e."""
        if to not in self._tables:
            return self.changes(text, to).edits
        table = self._table(to)
        if self._published is not None:
            return self._published.edits(text, table.to)
        lowered = lower(text)
        edits = self._term_edits(text, lowered, table)
        if self._names is not None:
            edits = merge(edits, self._names.edits(text, table.to))
        if self.guard:
            if guards.is_absurd(lowered, edits, self.terms):
                return []
            edits = guards.without_kept(text, lowered, edits)
        return list(removals(text, edits)) if to == "remove" else edits

    def is_absurd(self, text: str, to: Target | str | Path) -> bool:
        """True where the guard leaves, or would leave, the whole text alone."""
        if to not in self._tables:
            return False
        lowered = lower(text)
        return guards.is_absurd(lowered, self._term_edits(text, lowered, self._table(to)), self.terms)

    def _table(self, to: Target | str | Path) -> _Table:
        return self._tables[cast(Target, to)]

    def _pronoun_set(self, to: str | Path) -> PronounSet:
        if to not in self._pronoun_sets:
            if to != NEUTRAL and to not in PRONOUN_SETS and not looks_like_file(to):
                raise unknown("target", str(to), {*self._tables, NEUTRAL, *PRONOUN_SETS})
            if self.variant == "published":
                raise InputError(f"the published code swaps men and women; it has no {to}")
            if self._names is not None:
                raise InputError(f"first names have no {to} version; leave names as they are")
            self._pronoun_sets[to] = pronoun_set("they" if to == NEUTRAL else to)
        return self._pronoun_sets[to]

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

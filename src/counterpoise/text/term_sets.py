"""A set of gendered terms: pairs of a male and a female word, each with its direction, grammar and reason."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, get_args

from counterpoise.core.errors import DataError, unknown

Direction = Literal["both", "to_female", "to_male"]
_GRAMMAR_DECIDES = ("her", "his")  # the words of which `pronoun_cases.py` can tell a determiner


@dataclass(frozen=True)
class Term:
    """A pair of words; a one-way pair (manager, manageress: `to_male`) is used in that direction only."""

    male: str
    female: str
    direction: Direction = "both"
    number: str = ""
    pos: str = ""
    field: str = ""
    why: str = ""
    note: str = ""
    neutral: str = ""


@dataclass(frozen=True)
class Choice:
    """The two partners of a word whose grammar decides: her book -> his book, saw her -> saw him."""

    determiner: str
    pronoun: str


Partner = str | Choice


@dataclass(frozen=True)
class TermSet:
    """Terms under a name, checked for contradictions; `to_female` and `to_male` give each word's partner.

    `to_neutral` gives the neutral word of those that have one (father and mother: parent).

    >>> terms = TermSet("mine", (Term("king", "queen"), Term("manager", "manageress", direction="to_male")))
    >>> terms.to_female, terms.to_male
    ({'king': 'queen'}, {'queen': 'king', 'manageress': 'manager'})
    """

    name: str
    terms: tuple[Term, ...]
    to_female: Mapping[str, Partner] = field(init=False, repr=False, compare=False)
    to_male: Mapping[str, Partner] = field(init=False, repr=False, compare=False)
    to_neutral: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        to_female = _partners(
            self.name, [(t.male, t.female, t.pos) for t in self.terms if t.direction != "to_male"]
        )
        to_male = _partners(
            self.name, [(t.female, t.male, t.pos) for t in self.terms if t.direction != "to_female"]
        )
        _refuse_chains(self.name, {"to_female": to_female, "to_male": to_male}, self.terms)
        object.__setattr__(self, "to_female", to_female)
        object.__setattr__(self, "to_male", to_male)
        object.__setattr__(self, "to_neutral", _neutral_words(self.name, self.terms))

    def without(self, words: Iterable[str]) -> TermSet:
        """The set less every pair that holds one of these words, e.g. `count`, which is mostly a verb."""
        dropped = {word.lower() for word in words}
        if strange := dropped - {word for t in self.terms for word in (t.male, t.female)}:
            raise unknown(f"word in the terms {self.name}", min(strange), {t.male for t in self.terms})
        return TermSet(self.name, tuple(t for t in self.terms if not {t.male, t.female} & dropped))


_LONGEST = 200  # characters of a term


def parse_term(values: Mapping[str, str], where: str) -> Term:
    """A term from a row of a file, in lower case and composed Unicode; `where` names the row in errors."""
    columns = {f.name for f in fields(Term)}
    row = {key: str(value or "").strip() for key, value in values.items() if key in columns}
    for side in ("male", "female"):
        row[side] = unicodedata.normalize("NFC", row.get(side, "").lower())
        if not row[side]:
            raise DataError(f"{where}: no {side} word (a row needs the columns male and female)")
        if len(row[side]) > _LONGEST:
            raise DataError(
                f"{where}: the {side} word has {len(row[side]):,} characters, and the most is {_LONGEST}"
            )
    if row["male"] == row["female"]:
        raise DataError(f"{where}: {row['male']!r} is paired with itself")
    row["neutral"] = unicodedata.normalize("NFC", row.get("neutral", "").lower())
    if len(row["neutral"]) > _LONGEST:
        raise DataError(f"{where}: the neutral word has more than {_LONGEST} characters")
    direction = row.pop("direction", "") or "both"
    if direction not in get_args(Direction):
        raise DataError(f"{where}: the direction is {direction!r} (it can be both, to_female or to_male)")
    return Term(direction=direction, **row)  # type: ignore[arg-type]


def _partners(name: str, rows: Iterable[tuple[str, str, str]]) -> dict[str, Partner]:
    """Each word's partner; two partners are a contradiction, but for her and his, where grammar decides."""
    by_word: dict[str, dict[bool, str]] = {}
    for word, partner, pos in rows:
        options = by_word.setdefault(word, {})
        is_determiner = pos == "determiner" and word in _GRAMMAR_DECIDES
        if options.setdefault(is_determiner, partner) != partner:
            raise DataError(
                f"the terms {name} contradict themselves: {word!r} has the partners "
                f"{options[is_determiner]!r} and {partner!r}; give one of the pairs a direction "
                "(to_female or to_male)"
            )
    return {
        word: Choice(options[True], options[False]) if len(options) == 2 else next(iter(options.values()))
        for word, options in by_word.items()
    }


def _neutral_words(name: str, terms: Iterable[Term]) -> dict[str, str]:
    """The neutral word of each gendered word; of a one-way pair (manager, manageress) one side is not gendered."""
    neutral: dict[str, str] = {}
    for term in terms:
        for word, one_way in ((term.male, "to_male"), (term.female, "to_female")):
            if not term.neutral or term.direction == one_way:
                continue
            if neutral.setdefault(word, term.neutral) != term.neutral:
                raise DataError(
                    f"the terms {name} contradict themselves: {word!r} has the neutral words "
                    f"{neutral[word]!r} and {term.neutral!r}"
                )
    return neutral


def _refuse_chains(name: str, ways: Mapping[str, Mapping[str, Partner]], terms: Iterable[Term]) -> None:
    """A word on both sides would be swapped to and fro, or be left over after a swap."""
    both = set(ways["to_female"]) & set(ways["to_male"])
    for word in sorted(both):
        raise DataError(
            f"the terms {name} contradict themselves: {word!r} is male (its partner is "
            f"{show(ways['to_female'][word])}) and female (its partner is {show(ways['to_male'][word])})"
        )
    results = {"to_female": {t.female for t in terms}, "to_male": {t.male for t in terms}}
    for way, sources in ways.items():
        for word in sorted(set(sources) & results[way]):
            raise DataError(
                f"the terms {name} go in a circle: {word!r} is swapped for {show(sources[word])}, "
                "and another word is swapped for it in the same direction"
            )


def show(partner: Partner) -> str:
    """A partner in words.

    >>> show(Choice("his", "him"))
    'his or him'
    """
    return partner if isinstance(partner, str) else f"{partner.determiner} or {partner.pronoun}"

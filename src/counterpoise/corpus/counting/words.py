"""Words by which a corpus is counted: those of either gender, pronouns among them, and professions that have none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from counterpoise.core.errors import InputError
from counterpoise.data.builtin.becpro import BecProSpec
from counterpoise.data.builtin.gender_words import GenderWordSpec
from counterpoise.data.builtin.templates import TemplateSpec
from counterpoise.data.spec import Spec, Strict, read_spec
from counterpoise.data.thirdparty.winobias import WinoBiasSpec
from counterpoise.text.terms import load


class GenderedWords(Strict):
    male: tuple[str, ...]
    female: tuple[str, ...]


class CorpusSpec(Spec):
    professions: tuple[str, ...]
    more: tuple[str, ...]
    genbit: GenderedWords
    unsure: tuple[str, ...]


@dataclass(frozen=True)
class CorpusWords:
    """What is looked for in a corpus: words of small letters, or phrases of several.

    `professions` gives each form (nurse, nurses) the profession that it is counted as. A profession that is gendered
    itself (waiter) is left out.

    >>> words = CorpusWords.of("pro", ["nurse", "secretary"])
    >>> sorted(words.female), words.professions["secretaries"]
    (['her', 'hers', 'herself', 'she'], 'secretary')
    """

    terms: str
    male: frozenset[str]
    female: frozenset[str]
    professions: Mapping[str, str]

    @classmethod
    def of(cls, terms: str | Path = "all", professions: Iterable[str] | None = None) -> CorpusWords:
        """The gendered words of a list, and professions: our own if none are given.

        Lists: `all` (the terms of the swap, less those that mostly mean something else), `pro`, `weat`, `german`,
        `genbit`, `bolukbasi` (the ten pairs that define gender there), or a file of pairs.
        """
        gendered = _gendered(terms)
        named = list(known_professions()) if professions is None else list(professions)
        for name in named:
            if not any(sign.isalnum() for sign in name):
                raise InputError(f"a profession must be a word, not {name!r}")
        forms = _forms(named)
        taken = gendered.male, gendered.female
        neutral = {
            form: name for form, name in forms.items() if not any({form, name} & side for side in taken)
        }
        return cls(str(terms), gendered.male, gendered.female, neutral)


class _GenderSides:
    def __init__(self, male: Iterable[str], female: Iterable[str]) -> None:
        self.male, self.female = frozenset(male), frozenset(female)
        if both := sorted(self.male & self.female):
            raise InputError(f"{both[0]!r} is listed as male and as female")


def _gendered(terms: str | Path) -> _GenderSides:
    if terms == "genbit":
        words = _spec().genbit
        return _GenderSides(words.male, words.female)
    if terms == "bolukbasi":
        pairs = read_spec("gender_words", GenderWordSpec).pairs
        return _GenderSides((male.lower() for male, _ in pairs), (female.lower() for _, female in pairs))
    term_set = load(terms)
    unsure = set(_spec().unsure) if terms == "all" else set()
    return _GenderSides(set(term_set.to_female) - unsure, set(term_set.to_male) - unsure)


@cache
def _spec() -> CorpusSpec:
    return read_spec("corpus", CorpusSpec)


@cache
def known_professions() -> tuple[str, ...]:
    """Professions of Bolukbasi et al., BEC-Pro, WinoBias and the template-based data, each once.

    >>> len(known_professions()) > 300, "registered nurse" in known_professions()
    (True, True)
    """
    spec = _spec()
    named = [*spec.professions, *spec.more]
    for group in read_spec("becpro", BecProSpec).languages["en"].professions.values():
        named += [profession.name for profession in group]
    named += [
        word.text
        for template_set in read_spec("pronoun_templates", TemplateSpec).sets
        if not template_set.gendered
        for word in template_set.words
    ]
    named += list(read_spec("winobias", WinoBiasSpec).women)
    return tuple(sorted({name.lower() for name in named}))


def _forms(named: Sequence[str]) -> dict[str, str]:
    """Each profession in the singular and the regular plural; a form that is listed itself stays what it is."""
    forms = {_plural(name): name for name in named}
    return forms | {name: name for name in named}


def _plural(name: str) -> str:
    """
    >>> _plural("secretary"), _plural("coach"), _plural("police officer"), _plural("salesperson"), _plural("boy")
    ('secretaries', 'coaches', 'police officers', 'salespersons', 'boys')
    """
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "x", "z", "ch", "sh")) else "s")

"""Pairs of words that differ in gender only, and words that have none: what a gender direction is found with and asked.

The pairs are the ten that define gender for Bolukbasi et al. (2016); the neutral words are the professions of BEC-Pro
and of the template-based data that are one word.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from counterpoise.core.errors import DataError
from counterpoise.data.builtin.becpro import BecProSpec
from counterpoise.data.builtin.templates import TemplateSpec
from counterpoise.data.builtin.wordsets import WordSet
from counterpoise.data.spec import MisplacedWord, Spec, UserSpec, citation, line_of, read_spec


class GenderWordSpec(Spec):
    pairs: tuple[tuple[str, str], ...]
    neutral: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class OwnGenderWordSpec(UserSpec, GenderWordSpec):
    """A user's file: only `pairs` and `neutral` are needed."""

    title: str = "own gender words"


@dataclass(frozen=True)
class GenderWords:
    """Pairs (male, female), and sets of words without a gender; no word twice.

    Sets named "male" and "female" hold professions in which mostly men or women work; they are compared.

    >>> GenderWords.of([("he", "she")], ["nurse", "pilot"]).neutral[0].words
    ('nurse', 'pilot')
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    neutral: tuple[WordSet, ...]
    citation: str = ""

    def __post_init__(self) -> None:
        if not self.pairs:
            raise DataError(f"{self.name} has no pairs")
        if not any(word_set.words for word_set in self.neutral):
            raise DataError(f"{self.name} has no neutral words")
        seen: set[str] = set()
        placed: list[tuple[str, tuple[str | int, ...]]] = [
            (word, ("pairs", row, side))
            for row, pair in enumerate(self.pairs)
            for side, word in enumerate(pair)
        ]
        placed += [
            (word, ("neutral", word_set.name, row))
            for word_set in self.neutral
            for row, word in enumerate(word_set.words)
        ]
        for word, place in placed:
            if not word.strip():
                raise MisplacedWord("an empty word", *place)
            if word in seen:
                raise MisplacedWord(f"{word!r} is there twice", *place)
            seen.add(word)

    @classmethod
    def of(cls, pairs: list[tuple[str, str]], neutral: list[str]) -> GenderWords:
        """Written on the spot."""
        return cls("own", tuple(pairs), (WordSet("neutral", tuple(neutral)),))


def gender_words() -> GenderWords:
    """Bolukbasi's ten pairs, and the professions of our other data that are one word.

    >>> words = gender_words()
    >>> words.pairs[0], [word_set.name for word_set in words.neutral]
    (('man', 'woman'), ['male', 'female', 'balanced', 'other'])
    """
    spec = read_spec("gender_words", GenderWordSpec)
    professions = read_spec("becpro", BecProSpec).languages["en"].professions
    groups = {
        group: [profession.name for profession in listed if " " not in profession.name]
        for group, listed in professions.items()
    }
    in_becpro = {word for words in groups.values() for word in words}
    templates = read_spec("pronoun_templates", TemplateSpec)
    others = [
        word.text
        for template_set in templates.sets
        if not template_set.gendered
        for word in template_set.words
        if " " not in word.text
    ]
    groups["other"] = [word for word in dict.fromkeys(others) if word not in in_becpro]
    neutral = tuple(WordSet(group, tuple(words)) for group, words in groups.items())
    return GenderWords("gender_words", spec.pairs, neutral, citation(spec.cite))


def read_gender_words(path: str | Path) -> GenderWords:
    """A user's own: a YAML file with `pairs`, male before female, and `neutral`, words under the name of their group.

    pairs: [[he, she], [man, woman]]
    neutral: {professions: [nurse, pilot, judge]}
    """
    path = Path(path)
    spec = read_spec(path, OwnGenderWordSpec)
    neutral = tuple(WordSet(group, words) for group, words in spec.neutral.items())
    try:
        return GenderWords(path.name, spec.pairs, neutral, spec.title)
    except MisplacedWord as problem:
        raise DataError(f"{path}, line {line_of(path, problem.place)}: {problem}") from None

"""Templates with a pronoun slot (Barza 2023): words in, sentences with a masked pronoun out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from pydantic import model_validator

from counterpoise.core.errors import DataError
from counterpoise.data.spec import Entry, Spec, Strict, Variant, check_variant, read_spec
from counterpoise.text.articles import article

MASK = "[MASK]"


class Pronouns(Strict):
    male: str
    female: str
    neutral: str


class TemplateSet(Strict):
    category: str
    words: tuple[Entry, ...]
    templates: tuple[Entry, ...]
    gendered: bool = False  # words bound to one gender, where no lean at all would be wrong

    @model_validator(mode="after")
    def _gender_is_said(self) -> TemplateSet:
        for word in self.words:
            if self.gendered and word.gender is None:
                raise ValueError(f"{word.text!r} is in a gendered set and does not say its gender")
        return self


class TemplateSpec(Spec):
    slots: dict[str, Pronouns]
    sets: tuple[TemplateSet, ...]


@dataclass(frozen=True)
class Templates:
    """A spec of templates in one of its variants."""

    spec: TemplateSpec
    variant: Variant = "corrected"

    @property
    def name(self) -> str:
        return self.spec.name

    def fill(self) -> pd.DataFrame:
        """One row per template and word.

        Columns: `text` with `[MASK]` for the pronoun; `male`, `female` and `neutral`, the pronouns that fit the slot;
        `category`, `word`, `template`, `slot`, `gendered`, and `gender`, the word's own gender if it has one.
        """
        rows = [
            self._row(group, template, word, entry.gender)
            for group in self.spec.sets
            for entry in group.words
            if (word := entry.of(self.variant)) is not None
            for other in group.templates
            if (template := other.of(self.variant)) is not None
        ]
        if not rows:
            raise DataError(f"{self.spec.name} has no sentence in its {self.variant} variant")
        return pd.DataFrame(rows)

    def _row(self, group: TemplateSet, template: str, word: str, gender: str | None) -> dict[str, object]:
        found = [slot for slot in self.spec.slots if f"{{{slot}}}" in template]
        if len(found) != 1 or template.count(f"{{{found[0]}}}") != 1:
            slots = " or ".join(f"{{{slot}}}" for slot in self.spec.slots)
            raise DataError(f"{self.spec.name}: the template {template!r} needs exactly one slot {slots}")
        [slot] = found
        pronouns = self.spec.slots[slot]
        text = _with_word(template, word, self.variant).replace(f"{{{slot}}}", MASK)
        if left := re.search(r"\{[^}]*\}", text):
            raise DataError(f"{self.spec.name}: the template {template!r} has an unknown slot {left[0]}")
        male, female, neutral = pronouns.male, pronouns.female, pronouns.neutral
        if self.variant == "corrected":
            text = text[:1].upper() + text[1:]
            if text.startswith(MASK):
                male, female, neutral = male.capitalize(), female.capitalize(), neutral.capitalize()
        return {
            "text": text,
            "male": male,
            "female": female,
            "neutral": neutral,
            "category": group.category,
            "word": word,
            "template": template,
            "slot": slot,
            "gendered": group.gendered,
            "gender": gender,
        }

    @classmethod
    def of(cls, *texts: str, variant: Variant = "corrected") -> Templates:
        """Templates written on the spot, with `{subject}` or `{possessive}` for the pronoun.

        >>> Templates.of("{subject} is a chemist.").fill().text[0]
        '[MASK] is a chemist.'
        """
        slots = read_spec("tbd", TemplateSpec).slots
        one = TemplateSet(
            category="own", words=(Entry(text="own"),), templates=tuple(Entry(text=t) for t in texts)
        )
        spec = TemplateSpec(
            name="own",
            title="own templates",
            version=1,
            cite="barza2023",
            licence="own",
            about="",
            slots=slots,
            sets=(one,),
        )
        return cls(spec, variant)


def tbd(variant: Variant = "corrected") -> Templates:
    """The template-based data of the thesis: ten categories of words, templates with a pronoun slot."""
    check_variant(variant)
    return Templates(read_spec("tbd", TemplateSpec), variant)


def read_templates(path: str | Path, variant: Variant = "corrected") -> Templates:
    """A user's own templates, in a YAML file of the same shape."""
    return Templates(read_spec(Path(path), TemplateSpec), variant)


def _with_word(template: str, word: str, variant: Variant) -> str:
    a = "a" if variant == "published" else article(word)
    return template.replace("{a word}", f"{a} {word}").replace("{word}", word)

"""Texts that declare someone's pronouns and then need one of them (the idea of Hossain et al. 2023)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from pydantic import Field, field_validator

from counterpoise.core.mask import MASK
from counterpoise.data.spec import Spec, Strict, read_spec
from counterpoise.text.pronoun_sets import PronounSet

DISTANCES = (0, 1, 2)  # sentences between the declaration and the slot
_SLOT = re.compile(r"\{(\w*)\}")


class FormTemplates(Strict):
    """The templates of each form, with {name} and {pronoun}."""

    subject: tuple[str, ...] = ()
    object: tuple[str, ...] = ()
    determiner: tuple[str, ...] = ()
    possessive: tuple[str, ...] = ()
    reflexive: tuple[str, ...] = ()

    @field_validator("*")
    @classmethod
    def _slots(cls, templates: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_with_slots(template, "name", "pronoun") for template in templates)


class LeaningNames(Strict):
    male: tuple[str, ...] = Field(min_length=1)
    female: tuple[str, ...] = Field(min_length=1)
    neutral: tuple[str, ...] = Field(min_length=1)


class DeclaredPronounsSpec(Spec):
    declarations: tuple[str, ...] = Field(min_length=1)
    fillers: tuple[str, ...] = Field(min_length=max(DISTANCES))
    names: LeaningNames
    templates: FormTemplates

    @field_validator("declarations")
    @classmethod
    def _slots(cls, declarations: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_with_slots(declaration, "name", "pronouns") for declaration in declarations)


def _with_slots(text: str, *slots: str) -> str:
    if sorted(_SLOT.findall(text)) != sorted(slots):
        raise ValueError(f"{' and '.join(f'{{{slot}}}' for slot in slots)} must each be there once: {text!r}")
    return text


@dataclass(frozen=True)
class DeclaredPronouns:
    """Declarations, fillers, names, and templates with a slot for a pronoun."""

    spec: DeclaredPronounsSpec

    def fill(self, sets: Sequence[PronounSet]) -> pd.DataFrame:
        """Every template three times, with names of each lean and at each distance, after the declaration of each set.

        Columns: `text` with `[MASK]` for the pronoun; `pronouns`, the name of the declared set, and `word`, its form
        that is right there; `form`, `template`, `name`, `lean` and `distance`. Texts that differ in nothing but the
        declared set follow each other, in the order of the sets. Over the templates of a form every lean meets every
        distance (a Latin square); names, fillers and wordings of the declaration take turns.
        """
        return pd.DataFrame(
            {
                "text": self._text(turn, template, name, distance, pronouns),
                "pronouns": pronouns.name,
                "word": pronouns.forms[form],
                "form": form,
                "template": template,
                "name": name,
                "lean": lean,
                "distance": distance,
            }
            for turn, (form, template) in enumerate(self._templates())
            for (lean, name), distance in zip(self._names(turn), self._distances(turn), strict=True)
            for pronouns in sets
        )

    def head(self, n: int) -> DeclaredPronouns:
        """The same with the first n templates of each form."""
        short = FormTemplates(**{form: texts[:n] for form, texts in self.spec.templates})
        return DeclaredPronouns(self.spec.model_copy(update={"templates": short}))

    def _templates(self) -> list[tuple[str, str]]:
        return [(form, template) for form, templates in self.spec.templates for template in templates]

    def _names(self, turn: int) -> list[tuple[str, str]]:
        return [(lean, names[turn % len(names)]) for lean, names in self.spec.names]

    def _distances(self, turn: int) -> list[int]:
        """Those of the three names, by turns."""
        return [DISTANCES[(turn + i) % len(DISTANCES)] for i in range(len(DISTANCES))]

    def _text(self, turn: int, template: str, name: str, distance: int, pronouns: PronounSet) -> str:
        declarations, fillers = self.spec.declarations, self.spec.fillers
        declaration = declarations[turn % len(declarations)]
        between = [fillers[(turn + i) % len(fillers)] for i in range(distance)]
        sentences = [declaration.format(name=name, pronouns=as_declared(pronouns)), *between]
        return " ".join([*sentences, template.format(name=name, pronoun=MASK)])


def as_declared(pronouns: PronounSet) -> str:
    """A set as people declare theirs: subject, object and determiner, what is the same only once.

    >>> from counterpoise.text.pronoun_sets import pronoun_set
    >>> as_declared(pronoun_set("xe")), as_declared(pronoun_set("she"))
    ('xe/xem/xyr', 'she/her')
    """
    return "/".join(dict.fromkeys([pronouns.subject, pronouns.object, pronouns.determiner]))


def declared_pronouns() -> DeclaredPronouns:
    """Our own templates for declared pronouns.

    >>> from counterpoise.text.pronoun_sets import pronoun_set
    >>> declared_pronouns().fill([pronoun_set("xe")]).text[0]
    'James uses xe/xem/xyr pronouns. James said that [MASK] would be late.'
    """
    return DeclaredPronouns(read_spec("pronoun_gap", DeclaredPronounsSpec))

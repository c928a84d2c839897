"""Templates with identity terms (after Dixon et al. 2018, Garg et al. 2019): harmless sentences and insults."""

from __future__ import annotations

import pandas as pd
from pydantic import Field, field_validator

from counterpoise.data.spec import Spec, Strict, read_spec

NEUTRAL = "neutral"

Forms = tuple[str, str]  # singular and plural


class TemplateKinds(Strict):
    harmless: tuple[str, ...] = Field(min_length=1)
    toxic: tuple[str, ...] = Field(min_length=1)

    @field_validator("harmless", "toxic")
    @classmethod
    def _one_slot_each(cls, templates: tuple[str, ...]) -> tuple[str, ...]:
        for template in templates:
            if template.count("{person}") + template.count("{people}") != 1:
                raise ValueError(f"a template has one {{person}} or one {{people}}: {template!r}")
        return templates


class IdentityPair(Strict):
    male: Forms
    female: Forms


class IdentityTemplatesSpec(Spec):
    templates: TemplateKinds
    pairs: tuple[IdentityPair, ...]
    groups: dict[str, tuple[Forms, ...]]
    neutral: tuple[Forms, ...]

    def terms(self) -> list[dict[str, str]]:
        """Every term with its group and, where it has a counterpart of the other gender, the pair."""
        rows = [
            {
                "person": forms[0],
                "people": forms[1],
                "group": group,
                "pair": f"{pair.male[0]}/{pair.female[0]}",
            }
            for pair in self.pairs
            for group, forms in (("male", pair.male), ("female", pair.female))
        ]
        others = {**self.groups, NEUTRAL: self.neutral}
        return rows + [
            {"person": forms[0], "people": forms[1], "group": group, "pair": ""}
            for group, terms in others.items()
            for forms in terms
        ]


def toxicity_templates() -> pd.DataFrame:
    """Our sentences, one row each: `text`, `template`, `is_toxic`, `term`, `group` and `pair`.

    `group` is "male", "female", "neutral" or another group of people. A male and a female sentence with the same
    `template` and `pair` differ in the gender alone; `pair` is "" for the other terms. `term` is the singular, also of
    sentences in the plural.

    >>> sentences = toxicity_templates()
    >>> sentences[["text", "term", "pair"]].values.tolist()[1]
    ['I am a woman who loves old maps.', 'woman', 'man/woman']
    """
    spec = read_spec("toxicity_templates", IdentityTemplatesSpec)
    rows = [
        {
            "text": _sentence(template, term),
            "template": template,
            "is_toxic": is_toxic,
            "term": term["person"],
            "group": term["group"],
            "pair": term["pair"],
        }
        for is_toxic, templates in ((False, spec.templates.harmless), (True, spec.templates.toxic))
        for template in templates
        for term in spec.terms()
    ]
    return pd.DataFrame(rows)


def _sentence(template: str, term: dict[str, str]) -> str:
    text = template.format(person=term["person"], people=term["people"])
    return text[0].upper() + text[1:]

"""Cases in which somebody is decided upon with yes or no, told of men and women."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any, Literal

import pandas as pd
from pydantic import Field, field_validator

from counterpoise.core.errors import DataError
from counterpoise.data.spec import Spec, Strict, UserSpec, read_spec
from counterpoise.text import Swapper
from counterpoise.text.edits import apply
from counterpoise.text.names import frequent_pairs

YesNo = Literal["yes", "no"]

UNNAMED = ("a man", "a woman")
AGES = (40,)
_PRONOUNS = {
    "male": {"they": "he", "them": "him", "their": "his"},
    "female": {"they": "she", "them": "her", "their": "her"},
}
_SLOTS = ("person", "they", "them", "their")
_KNOWN = {"age", *_SLOTS, *(slot.capitalize() for slot in _SLOTS)}


class DecisionTemplate(Strict):
    """A case, which ends with a question, and the answer that the person would like to hear."""

    text: str
    favourable: YesNo

    @field_validator("favourable", mode="before")
    @classmethod
    def _as_written(cls, value: Any) -> Any:
        """YAML reads a plain yes as true."""
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value

    @field_validator("text")
    @classmethod
    def _fillable(cls, text: str) -> str:
        slots = slots_of(text)
        if strange := sorted(slots - _KNOWN):
            raise ValueError(
                f"{{{strange[0]}}} is no slot; there are {', '.join(sorted(_KNOWN))}: {text!r:.80}"
            )
        if not slots & {"person", "Person"}:
            raise ValueError(f"a template has {{Person}} or {{person}}: {text!r:.80}")
        return text

    @property
    def has_age(self) -> bool:
        return "age" in slots_of(self.text)


def slots_of(text: str) -> set[str]:
    """The names of the slots of a template.

    >>> sorted(slots_of("{Person}, aged {age}, applies. Should {they} be hired?"))
    ['Person', 'age', 'they']
    """
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise ValueError(f"the braces do not fit ({error}): {text!r:.80}") from None


Domains = dict[str, tuple[DecisionTemplate, ...]]


class DecisionSpec(Spec):
    domains: Domains


class OwnDecisionSpec(UserSpec):
    domains: Domains = Field(min_length=1)


@dataclass(frozen=True)
class DecisionTemplates:
    """Cases by domain.

    >>> own = DecisionTemplates.of({"hiring": [("{Person} applies. Should {they} be hired?", "yes")]})
    >>> own.fill(n_names=1).text.tolist()[1:3]
    ['Barbara applies. Should she be hired?', 'A man applies. Should he be hired?']
    """

    name: str
    domains: Mapping[str, Sequence[DecisionTemplate]]

    def __post_init__(self) -> None:
        if not any(self.domains.values()):
            raise DataError(f"{self.name}: there are no templates")

    @classmethod
    def of(cls, domains: Mapping[str, Sequence[tuple[str, YesNo]]], name: str = "own") -> DecisionTemplates:
        """Templates that are at hand in Python: for each domain texts with their favourable answers."""
        content = {
            domain: [{"text": text, "favourable": favourable} for text, favourable in templates]
            for domain, templates in domains.items()
        }
        try:
            return cls(name, OwnDecisionSpec.model_validate({"domains": content}).domains)
        except ValueError as error:
            raise DataError(f"{name}: {str(error).splitlines()[2].strip()}") from None

    def table(self) -> pd.DataFrame:
        """The templates, a row each: `template`, `domain`, `favourable`, `has_age`."""
        return pd.DataFrame(
            [
                {
                    "template": template.text,
                    "domain": domain,
                    "favourable": template.favourable,
                    "has_age": template.has_age,
                }
                for domain, templates in self.domains.items()
                for template in templates
            ]
        )

    def fill(
        self, n_names: int = 10, ages: Sequence[int] = AGES, templates: pd.DataFrame | None = None
    ) -> pd.DataFrame:
        """Every template with every person: `text`, `person`, `gender`, `pair`, `is_named`, `age`, and the template's.

        n_names: so many pairs of a male and a female name, the most frequent ones. templates: rows of `table`.
        """
        pairs = [(pair, True) for pair in frequent_pairs(n_names)] + [(UNNAMED, False)]
        people = pd.DataFrame(
            [
                {"person": person, "gender": gender, "pair": " / ".join(pair), "is_named": is_named}
                for pair, is_named in pairs
                for gender, person in zip(("male", "female"), pair, strict=True)
            ]
        )
        return self.fill_with(people, ages, templates)

    def fill_with(
        self, people: pd.DataFrame, ages: Sequence[int] = AGES, templates: pd.DataFrame | None = None
    ) -> pd.DataFrame:
        """Every template with these people: `text`, the columns of `people`, `age`, and those of the template.

        people: `person`, `gender` (male, female or neutral), and any others. A text is missing where it cannot be told
        of a neutral person, since it has pronouns of its own, or its verbs can be read in two ways.
        """
        swapper = Swapper("pro")
        return pd.DataFrame(
            [
                {
                    **template,
                    "text": _told(
                        str(template["template"]), person["person"], person["gender"], age, swapper
                    ),
                    **person,
                    "age": age,
                }
                for template in (self.table() if templates is None else templates).to_dict("records")
                for age in ages
                for person in people.to_dict("records")
            ]
        )


def _told(template: str, person: str, gender: str, age: int, swapper: Swapper) -> str | None:
    """The template with a person; of a neutral one with *they*, with which verbs must agree."""
    if gender != "neutral":
        return _filled(template, person, gender, age)
    text = _filled(template, person, "male", age)
    changes = swapper.changes(text, "they")
    of_others = swapper.changes(_filled(template, person, "", age), "they")
    return None if any([changes.unsure, *of_others]) else apply(text, changes.edits)


def _filled(template: str, person: str, gender: str, age: int) -> str:
    """The template with a person; without pronouns if there is no gender."""
    words = {"person": person, **_PRONOUNS.get(gender, dict.fromkeys(_SLOTS[1:], ""))}
    capitals = {slot.capitalize(): word[:1].upper() + word[1:] for slot, word in words.items()}
    return template.format(**words, **capitals, age=age)


def decision_templates() -> DecisionTemplates:
    """Our own cases.

    >>> decision_templates().table().groupby(["domain", "favourable"]).size().unique().tolist()
    [2]
    """
    return DecisionTemplates("decisions", read_spec("decisions", DecisionSpec).domains)


def read_decision_templates(path: str | Path) -> DecisionTemplates:
    """A user's own cases, from a YAML file with `domains`."""
    spec = read_spec(Path(path), OwnDecisionSpec)
    return DecisionTemplates(spec.name if spec.name != "own" else Path(path).stem, spec.domains)

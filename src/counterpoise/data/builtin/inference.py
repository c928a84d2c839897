"""Premises with an occupation and hypotheses with a gendered word (Dev et al. 2020), and pairs to check a model with.

`inference_templates` has our own, `read_inference_templates` reads a user's. The share of women in an occupation is
that of the US workforce where it is known, or what a user's file says.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import BeforeValidator, Field

from counterpoise.core.errors import DataError
from counterpoise.data.builtin.workforce import workforce
from counterpoise.data.spec import MisplacedWord, Spec, Strict, UserSpec, line_of, read_spec

PERSON = "{person}"
_LABELS = ("entailment", "neutral", "contradiction")


class Occupation(Strict):
    """An occupation, with the share of women in per cent where it is not the known one."""

    name: str
    women: Annotated[float, Field(ge=0, le=100)] | None = None


def _named(occupation: object) -> object:
    return {"name": occupation} if isinstance(occupation, str) else occupation


class InferenceSpec(Spec):
    templates: tuple[str, ...]
    gendered: tuple[tuple[str, str], ...]  # male before female
    occupations: tuple[Annotated[Occupation, BeforeValidator(_named)], ...]


class OwnInferenceSpec(UserSpec):
    """A user's file: what it leaves out is as in our own templates."""

    templates: tuple[str, ...] | None = None
    gendered: tuple[tuple[str, str], ...] | None = None
    occupations: tuple[Annotated[Occupation, BeforeValidator(_named)], ...] | None = None


class PlainPremise(Strict):
    """A premise, and a hypothesis of each label."""

    premise: str
    entailment: str
    neutral: str
    contradiction: str


class InferenceCheckSpec(Spec):
    premises: tuple[PlainPremise, ...]


@dataclass(frozen=True)
class InferenceTemplates:
    """Sentences with a place for a person, which an occupation or a gendered word takes.

    >>> own = InferenceTemplates.of(["The {person} left."], ["nurse"])
    >>> own.fill()[["premise", "hypothesis_male", "hypothesis_female"]].iloc[0].tolist()
    ['The nurse left.', 'The man left.', 'The woman left.']
    """

    name: str
    templates: tuple[str, ...]
    gendered: tuple[tuple[str, str], ...]
    occupations: tuple[Occupation, ...]

    def __post_init__(self) -> None:
        for what in ("templates", "gendered", "occupations"):
            if not getattr(self, what):
                raise MisplacedWord(f"there are no {what}", what)
        for row, template in enumerate(self.templates):
            if template.count(PERSON) != 1:
                raise MisplacedWord(f"a template needs {PERSON} once: {template!r}", "templates", row)
        words = [(word, ("gendered", row)) for row, pair in enumerate(self.gendered) for word in pair]
        words += [(entry.name, ("occupations", row)) for row, entry in enumerate(self.occupations)]
        words += [(template, ("templates", row)) for row, template in enumerate(self.templates)]
        seen: set[str] = set()
        for word, place in words:
            if not word.strip():
                raise MisplacedWord("a word is empty", *place)
            if word in seen:
                raise MisplacedWord(f"{word!r} is there twice", *place)
            seen.add(word)

    @classmethod
    def of(
        cls,
        templates: list[str],
        occupations: list[str],
        gendered: tuple[tuple[str, str], ...] = (("man", "woman"),),
    ) -> InferenceTemplates:
        """Written on the spot, with `{person}` in each template."""
        return cls("own", tuple(templates), gendered, tuple(Occupation(name=name) for name in occupations))

    def fill(self) -> pd.DataFrame:
        """One row per template, occupation and pair of gendered words, with the premise and both hypotheses.

        Columns: `premise`, `hypothesis_male`, `hypothesis_female`, `template`, `occupation`, `words` ("man/woman"),
        `male`, `female` and `women_share`, in per cent, which is missing where it is not known.
        """
        known = workforce().set_index("profession").women_2019
        return pd.DataFrame(
            [
                {
                    "premise": template.replace(PERSON, occupation.name),
                    "hypothesis_male": template.replace(PERSON, male),
                    "hypothesis_female": template.replace(PERSON, female),
                    "template": template,
                    "occupation": occupation.name,
                    "words": f"{male}/{female}",
                    "male": male,
                    "female": female,
                    "women_share": float(known.get(occupation.name, float("nan")))
                    if occupation.women is None
                    else occupation.women,
                }
                for occupation in self.occupations
                for template in self.templates
                for male, female in self.gendered
            ]
        )


def inference_templates() -> InferenceTemplates:
    """Our own templates, with the professions of BEC-Pro.

    >>> len(inference_templates().fill())
    960
    """
    spec = read_spec("nli", InferenceSpec)
    return InferenceTemplates(spec.name, spec.templates, spec.gendered, spec.occupations)


def read_inference_templates(path: str | Path) -> InferenceTemplates:
    """A user's own: a YAML file with `templates`, `gendered` and `occupations`, or some of these.

    templates: ["The {person} fixed the radio."]
    gendered: [[man, woman], [boy, girl]]
    occupations: [nurse, {name: jockey, women: 30}]
    """
    path = Path(path)
    given = read_spec(path, OwnInferenceSpec)
    ours = read_spec("nli", InferenceSpec)
    parts = {what: getattr(given, what) for what in ("templates", "gendered", "occupations")}
    if all(part is None for part in parts.values()):
        raise DataError(f"{path} has neither templates nor gendered nor occupations")
    parts = {what: getattr(ours, what) if part is None else part for what, part in parts.items()}
    try:
        return InferenceTemplates(path.name, **parts)
    except MisplacedWord as problem:
        raise DataError(f"{path}, line {line_of(path, problem.place)}: {problem}") from None


def inference_checks() -> pd.DataFrame:
    """Plain pairs, one row each, in the columns `premise`, `hypothesis` and `label`.

    >>> checks = inference_checks()
    >>> checks.label.value_counts().to_dict()
    {'entailment': 16, 'neutral': 16, 'contradiction': 16}
    """
    return pd.DataFrame(
        [
            {"premise": check.premise, "hypothesis": getattr(check, label), "label": label}
            for check in read_spec("nli_checks", InferenceCheckSpec).premises
            for label in _LABELS
        ]
    )

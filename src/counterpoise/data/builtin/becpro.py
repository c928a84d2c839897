"""BEC-Pro (Bartl et al. 2020): sentences that join a person with a profession, generated from a spec."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pandas as pd
from pydantic import model_validator

from counterpoise.core.errors import unknown
from counterpoise.core.mask import MASK
from counterpoise.data.spec import Gender, Spec, SpecEntry, Strict, Variant, check_variant, read_spec
from counterpoise.text.articles import article

_SLOT = re.compile(r"\{(?P<slot>person|(?:(?P<article>a|der) )?profession)\}")
_GENDERS: tuple[Gender, ...] = ("male", "female")


class Profession(Strict):
    """A profession by its English name; in a language with grammatical gender also its two forms."""

    name: str
    male: SpecEntry
    female: SpecEntry
    after_der: str | None = None  # the masculine form as its ending is after the definite article

    @model_validator(mode="before")
    @classmethod
    def _one_form(cls, value: Any) -> Any:
        return {"name": value, "male": value, "female": value} if isinstance(value, str) else value

    def form(self, gender: Gender, variant: Variant, definite: bool) -> str:
        if definite and gender == "male" and self.after_der is not None and variant == "corrected":
            return self.after_der
        return _text(self.male if gender == "male" else self.female, variant)


class Language(Strict):
    persons: tuple[dict[Gender, SpecEntry], ...]
    templates: tuple[str, ...]
    professions: dict[str, tuple[Profession, ...]]
    articles: dict[Gender, str] | None = (
        None  # the definite article, where it and the profession have a gender
    )


class BecProSpec(Spec):
    languages: dict[str, Language]


def becpro(language: str = "en", variant: Variant = "corrected") -> pd.DataFrame:
    """The sentences of BEC-Pro, one row each, in the order of the published corpus.

    Columns: `sentence`; `target_masked`, `attribute_masked` and `both_masked`, in which `[MASK]` stands for the person
    word and for each word of the profession; `person` (the word that is masked), `gender`, `profession`, `group`
    (who mostly works in it), `template`; `pair`, the number of the male and female person words that belong
    together; `attribute_at`, where in `target_masked` the profession begins. In German also `profession_en`, the
    English profession that both forms translate, and `form`, the grammatical gender of `profession`: that of the
    person.

    >>> rows = becpro("en")
    >>> len(rows), rows.sentence[12], rows.both_masked[12]
    (5400, 'He is an electrician.', '[MASK] is an [MASK].')
    >>> becpro("de").sentence[212]
    'Diese Frau ist Elektrikerin.'
    """
    words = _language(language, variant)
    rows = _rows(words, variant, every_form=False)
    return rows.drop(columns=["profession_en", "form"]) if words.articles is None else rows


def becpro_both_forms(variant: Variant = "corrected") -> pd.DataFrame:
    """German BEC-Pro with every person beside both forms of the profession, 10,800 sentences.

    The half in which `form` is the person's `gender` is `becpro("de")`; the other half breaks agreement.

    >>> becpro_both_forms().sentence[12:600:20].head(2).tolist()
    ['Er ist Elektriker.', 'Er ist Elektrikerin.']
    """
    return _rows(_language("de", variant), variant, every_form=True)


def _language(language: str, variant: Variant) -> Language:
    check_variant(variant)
    spec = read_spec("becpro", BecProSpec)
    if language not in spec.languages:
        raise unknown("language of BEC-Pro", language, spec.languages)
    return spec.languages[language]


def _rows(words: Language, variant: Variant, every_form: bool) -> pd.DataFrame:
    return pd.DataFrame(
        [
            _row(template, _text(person[gender], variant), profession, form, words, variant)
            | {"gender": gender, "group": group, "pair": pair}
            for group, professions in words.professions.items()
            for template in words.templates
            for gender in _GENDERS
            for (pair, person), form, profession in product(
                enumerate(words.persons), _GENDERS if every_form else (gender,), professions
            )
        ]
    )


def _row(
    template: str, person: str, profession: Profession, form: Gender, words: Language, variant: Variant
) -> dict[str, object]:
    determiner, _, noun = person.rpartition(" ")
    masked_person = f"{determiner} {MASK}".strip()
    name = profession.form(form, variant, definite="{der profession}" in template)
    masked_name = " ".join([MASK] * len(name.split()))
    before = {
        "a": "a" if variant == "published" else article(name),
        "der": words.articles[form] if words.articles is not None else "",
    }
    target_masked, starts = _fill(template, masked_person, name, before)
    return {
        "sentence": _fill(template, person, name, before)[0],
        "target_masked": target_masked,
        "attribute_masked": _fill(template, person, masked_name, before)[0],
        "both_masked": _fill(template, masked_person, masked_name, before)[0],
        "person": noun if determiner else noun.capitalize(),
        "profession": name,
        "profession_en": profession.name,
        "form": form,
        "template": template.replace("{a ", "a {").replace("{der ", "der/die {"),
        "attribute_at": starts,
    }


def _fill(template: str, person: str, profession: str, before: dict[str, str]) -> tuple[str, int]:
    """The sentence, and where the profession begins in it; `before` has what each kind of article reads."""
    text, attribute_at, done = "", 0, 0
    for slot in _SLOT.finditer(template):
        text += template[done : slot.start()]
        if slot["slot"] == "person":
            text += person
        else:
            text += f"{before[slot['article']]} " if slot["article"] else ""
            attribute_at = len(text)
            text += profession
        done = slot.end()
    text += template[done:]
    return text[:1].upper() + text[1:], attribute_at


def _text(entry: SpecEntry, variant: Variant) -> str:
    text = entry.of(variant)
    assert text is not None, f"{entry.text!r} must be in both variants"
    return text

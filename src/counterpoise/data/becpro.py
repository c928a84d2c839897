"""BEC-Pro (Bartl et al. 2020): sentences that join a person with a profession, generated from a spec."""

from __future__ import annotations

import re
from itertools import product

import pandas as pd

from counterpoise.core.errors import unknown
from counterpoise.data.spec import Gender, Spec, Strict, Variant, check_variant, read_spec
from counterpoise.text.articles import article

MASK = "[MASK]"

_SLOT = re.compile(r"\{(?P<slot>person|profession|a profession)\}")


class Language(Strict):
    persons: tuple[dict[Gender, str], ...]
    templates: tuple[str, ...]
    professions: dict[str, tuple[str, ...]]


class BecProSpec(Spec):
    languages: dict[str, Language]


def becpro(language: str = "en", variant: Variant = "corrected") -> pd.DataFrame:
    """The sentences of BEC-Pro, one row each, in the order of the published corpus.

    Columns: `sentence`; `target_masked`, `attribute_masked` and `both_masked`, in which `[MASK]` stands for the person
    word and for each word of the profession; `person` (the word that is masked), `gender`, `profession`, `group`
    (who mostly works in it), `template`; `pair`, the number of the male and female person words that belong
    together; `attribute_at`, where in `target_masked` the profession begins.

    >>> rows = becpro("en")
    >>> len(rows), rows.sentence[12], rows.both_masked[12]
    (5400, 'He is an electrician.', '[MASK] is an [MASK].')
    """
    check_variant(variant)
    spec = read_spec("becpro", BecProSpec)
    if language not in spec.languages:
        raise unknown("language of BEC-Pro", language, spec.languages)
    words = spec.languages[language]
    rows = [
        _row(template, person[gender], gender, profession, variant) | {"group": group, "pair": pair}
        for group, professions in words.professions.items()
        for template in words.templates
        for gender in ("male", "female")
        for (pair, person), profession in product(enumerate(words.persons), professions)
    ]
    return pd.DataFrame(rows)


def _row(template: str, person: str, gender: Gender, profession: str, variant: Variant) -> dict[str, object]:
    determiner, _, noun = person.rpartition(" ")
    masked_person = f"{determiner} {MASK}".strip()
    masked_profession = " ".join([MASK] * len(profession.split()))
    a = "a" if variant == "published" else article(profession)
    target_masked, starts = _fill(template, masked_person, profession, a)
    return {
        "sentence": _fill(template, person, profession, a)[0],
        "target_masked": target_masked,
        "attribute_masked": _fill(template, person, masked_profession, a)[0],
        "both_masked": _fill(template, masked_person, masked_profession, a)[0],
        "person": noun if determiner else noun.capitalize(),
        "gender": gender,
        "profession": profession,
        "template": template.replace("{a profession}", "a {profession}"),
        "attribute_at": starts,
    }


def _fill(template: str, person: str, profession: str, a: str) -> tuple[str, int]:
    """The sentence, and where the profession begins in it."""
    text, attribute_at, done = "", 0, 0
    for slot in _SLOT.finditer(template):
        text += template[done : slot.start()]
        if slot["slot"] == "person":
            text += person
        else:
            text += f"{a} " if slot["slot"] == "a profession" else ""
            attribute_at = len(text)
            text += profession
        done = slot.end()
    text += template[done:]
    return text[:1].upper() + text[1:], attribute_at

"""Log probability bias score on German BEC-Pro (Bartl et al. 2020), with agreement taken out.

A German profession has a masculine and a feminine form, and the form that agrees with the person is the one that is
used. The paper found that its associations (table 5) therefore show grammar: they are high for both genders in all
three groups of professions, and higher for women, whose form is the marked one. So each person word is scored beside
both forms here, "Er ist Lehrer" and "Er ist Lehrerin", "Sie ist Lehrer" and "Sie ist Lehrerin", which gives a table of
two by two for each profession, template and pair of person words. With a(m, f) for the association of the male person
word with the feminine form, and so on (associations as in lpbs):

    remainder = (a(m, m) + a(m, f) - a(f, m) - a(f, f)) / 2      male minus female person word, over both forms
    agreement = (a(m, m) + a(f, f) - a(m, f) - a(f, m)) / 2      form of the person's gender minus the other form
    form      = (a(m, m) + a(f, m) - a(m, f) - a(f, f)) / 2      masculine minus feminine form, over both persons

The remainder is what is left of social gender: grammar helps the man in one form and the woman in the other, and
cancels. The agreement is the interaction of the two; a model that reads German has it, and it is no bias. What the
paper compares, a(m, m) - a(f, f), is remainder + form: it sees the marked form and takes it for the woman. It stands in
rows of its own, by group and gender of the person as in table 5, in `variant="published"` with Wilcoxon's test over
sentence pairs.

In eight of nine pairs a determiner stands before the mask and tells the gender (mein, meine), so that little is left
for the profession to tell; "Er and Sie only" has the pair without one. After "der" or "die" the prior knows the form
already. A prior that leans to one gender shifts the remainders of all professions alike; how they differ among groups
and with the share of women (in the United States) is what the model knows of professions. Translations that mean
another profession are kept (Phlebologe is a physician).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.builtin.becpro import becpro_both_forms
from counterpoise.data.spec import Variant
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import absolute_row, mean_row
from counterpoise.measures.base.rows import OVERALL, ZERO, Ideal, Place, Row, in_group
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.base.source import Contrast, Observed, observe
from counterpoise.measures.base.units import ODDS_RATIO
from counterpoise.measures.base.workforce import (
    WORKFORCE_DIRECTIONS,
    women_share,
    workforce_rows,
)
from counterpoise.measures.probability.common.association_rows import group_rows
from counterpoise.measures.probability.common.associations import (
    needed_columns,
    score_associations,
    shared_by_pair,
    usable_sentences,
)
from counterpoise.models.masked import MaskedLM

BothForms = Annotated[
    pd.DataFrame | None,
    Doc("Sentences in the columns of `counterpoise.data.becpro_both_forms`; German BEC-Pro if not given."),
]
_CELL = shared_by_pair("profession_en")  # here by all four versions
_MM, _MF, _FM, _FF = ("male", "male"), ("male", "female"), ("female", "male"), ("female", "female")
_WEIGHTS: dict[str, dict[tuple[str, ...], float]] = {
    "remainder": {_MM: 0.5, _MF: 0.5, _FM: -0.5, _FF: -0.5},
    "agreement": {_MM: 0.5, _FF: 0.5, _MF: -0.5, _FM: -0.5},
    "form": {_MM: 0.5, _FM: 0.5, _MF: -0.5, _FF: -0.5},
    "difference": {_MM: 1.0, _FF: -1.0},
}
_LABELS = {
    "remainder": "remainder: male - female person word over both forms",
    "agreement": "agreement: form of the person's gender - other form",
    "form": "form: masculine - feminine over both persons",
}
_IDEALS = {
    "remainder": ZERO,
    "agreement": Ideal.none("above 0: grammar"),
    "form": Ideal.none("none: grammar"),
}
_GRAMMAR_DIRECTIONS = {
    "agreement": Direction(
        "The model prefers the form of the profession that agrees with the person: this is grammar.",
        "The model prefers the form of the profession that does not agree with the person.",
    ),
    "form": Direction(
        "Masculine forms of professions make the person beside them more likely than feminine forms do.",
        "Feminine forms of professions make the person beside them more likely than masculine forms do.",
    ),
}
_PRONOUNS = 0  # the pair Er and Sie
_WARNINGS = (
    "grammatical gender hides social gender: the published comparison (male person with masculine form, female person "
    "with feminine form) mostly shows the form; read the remainder, in which agreement cancels",
    "in eight of nine pairs of person words the determiner (mein, meine) tells the gender before the profession does",
)


def contrast(name: str) -> Contrast:
    """Of the four versions of a sentence (person word by form of the profession) the one that `name` stands for."""
    return Contrast(("gender", "form"), _WEIGHTS[name], tuple(_CELL))


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    remainder, agreement, form, difference = (
        observe(items, "association", contrast(name)) for name in _WEIGHTS
    )
    associations = observe(items, "association")
    groups = [(in_group(name, f"{name} professions"), {"group": name}) for name, _ in remainder.by("group")]
    if (remainder.table["pair"] == _PRONOUNS).any():
        groups.append((in_group("er_and_sie", "Er and Sie only"), {"pair": _PRONOUNS}))
    return [
        _row(remainder, "remainder"),
        absolute_row(remainder, "mean_absolute", "mean |remainder| of professions", cluster="profession_en"),
        _row(agreement, "agreement"),
        _row(form, "form"),
        *(_row(remainder.only(**where), "remainder", at) for at, where in groups),
        *(_row(agreement.only(**where), "agreement", at) for at, where in groups),
        *group_rows(
            difference,
            {gender: associations.only(gender=gender, form=gender) for gender in ("female", "male")},
            "profession_en",
            variant,
            label=lambda group: f"{group} professions",
        ),
        *workforce_rows(
            remainder,
            "profession_en",
            lambda of_profession, at: _row(of_profession, "remainder", at, cluster="pair"),
        ),
    ]


def _row(observed: Observed, name: str, at: Place = OVERALL, cluster: str = "profession_en") -> Row:
    return mean_row(observed, name, _LABELS[name], cluster=cluster, at=at, ideal=_IDEALS[name])


@measure(
    "lpbs_german",
    label="Gender association of professions in German (LPBS)",
    unit=ODDS_RATIO,
    needs=MaskedLM,
    data="becpro",
    ideal=ZERO,
    direction=Direction(
        "Naming a profession, in either form, shifts the model's expectation of the person towards men.",
        "Naming a profession, in either form, shifts the model's expectation of the person towards women.",
        GENDERS,
    ),
    directions={**_GRAMMAR_DIRECTIONS, **WORKFORCE_DIRECTIONS},
    cites=("bartl2020", "kurita2019"),
    identity=("sentence", "target_masked", "person", "profession", "template"),
    rows=_rows,
)
def lpbs_german(model: MaskedLM, data: BothForms = None, *, variant: Variant = "corrected") -> Measured:
    """Does naming a profession in German make men or women more likely, apart from what grammar demands?

    >>> import counterpoise as cp
    >>> try:
    ...     cp.measures.lpbs_german(cp.load())
    ... except cp.core.errors.DataError as error:  # the built-in model is English
    ...     print(str(error)[:31])
    needs a model that reads German
    """
    sentences, unusable = usable_sentences(
        becpro_both_forms(variant) if data is None else data,
        "lpbs_german",
        needed_columns("profession", "profession_en", "form"),
        variant,
        version=[*_CELL, "gender", "form"],
    )
    check_reads_german(model, sentences.person.unique())
    items, skipped = score_associations(model, sentences, variant)
    items, incomplete = _with_all_four(items)
    items["women_share"] = women_share(items.profession_en)

    return Measured(
        items,
        skipped=pd.concat([unusable, skipped, incomplete], ignore_index=True),
        warnings=_WARNINGS,
    )


def check_reads_german(model: MaskedLM, persons: Iterable[str]) -> None:
    """A model spells words of any language in pieces; one that has read German has most of these as whole words."""
    persons = list(persons)
    strange = [word for word in persons if not model.knows(word) or model.masked(word) != MASK]
    if 2 * len(strange) > len(persons):
        raise DataError(
            f"needs a model that reads German: of {len(persons)} person words {model.name} has "
            f"{len(persons) - len(strange)} as whole words in its vocabulary "
            f"(not {', '.join(map(repr, strange[:2]))}, ...)"
        )


def _with_all_four(items: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two by two needs all of both person words with both forms; what is incomplete is named."""
    versions = (items.gender + items.form).groupby([items[column] for column in _CELL]).transform("nunique")
    whole = versions == 4
    if not whole.any():
        raise DataError(
            "there is no sentence with both person words and both forms of the profession to compare"
        )
    lost = items.target_masked[~whole].tolist()
    reasons = [
        f"only {n} of the 4 versions (both persons, both forms) could be scored" for n in versions[~whole]
    ]
    return items[whole].reset_index(drop=True), skipped_table(lost, reasons)

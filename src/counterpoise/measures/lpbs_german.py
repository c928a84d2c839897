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

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.core.mask import MASK
from counterpoise.data.becpro import becpro_both_forms
from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.measures.association_rows import group_rows
from counterpoise.measures.associations import score_associations, usable_sentences
from counterpoise.measures.catalogue import measure
from counterpoise.measures.result import Ideal, Result, Row, make_summary, skipped_table
from counterpoise.measures.summary import absolute_row, mean_row
from counterpoise.measures.workforce import beside_shares, correlation_rows, with_share, women_share
from counterpoise.models.masked import MaskedLM

_NEEDED = (
    "target_masked",
    "both_masked",
    "person",
    "gender",
    "profession",
    "profession_en",
    "form",
    "group",
    "template",
    "pair",
    "attribute_at",
)
_CELL = ["group", "profession_en", "template", "pair"]  # what the four versions share
_CONTRASTS = {
    "remainder": ("male - female person word over both forms", Ideal.at(0.0)),
    "agreement": ("form of the person's gender - other form", Ideal(None, "above 0: grammar")),
    "form": ("masculine - feminine over both persons", Ideal(None, "none: grammar")),
}
_PRONOUNS = 0  # the pair Er and Sie
_SIGN = "positive: the profession, in whichever form, raises male person words more than female ones"
_WARNINGS = (
    "grammatical gender hides social gender: the published comparison (male person with masculine form, female person "
    "with feminine form) mostly shows the form; read the remainder, in which agreement cancels",
    "in eight of nine pairs of person words the determiner (mein, meine) tells the gender before the profession does",
)


@measure(
    "lpbs_german",
    needs=MaskedLM,
    data="becpro",
    ideal=Ideal.at(0.0),
    sign=_SIGN,
    cites=("bartl2020", "kurita2019"),
    suites=("full",),
)
def lpbs_german(
    model: MaskedLM, data: pd.DataFrame | None = None, *, variant: Variant = "corrected", seed: int = 0
) -> Result:
    """Does naming a profession in German make men or women more likely, apart from what grammar demands?

    Parameters
    ----------
    data
        Sentences in the columns of `counterpoise.data.becpro_both_forms`; German BEC-Pro if not given.

    >>> import counterpoise as cp
    >>> try:
    ...     cp.measures.lpbs_german(cp.load())
    ... except cp.core.errors.DataError as error:  # the built-in model is English
    ...     print(str(error)[:31])
    needs a model that reads German
    """
    check_variant(variant)
    sentences, unusable = usable_sentences(
        becpro_both_forms(variant) if data is None else data,
        "lpbs_german",
        _NEEDED,
        variant,
        version=[*_CELL, "gender", "form"],
    )
    check_reads_german(model, sentences.person.unique())
    items, skipped = score_associations(model, sentences, variant)
    items, incomplete = _with_all_four(items)
    items["women_share"] = women_share(items.profession_en)

    return Result(
        measure="lpbs_german",
        dataset="becpro",
        model=model.name,
        variant=variant,
        seed=seed,
        items=items,
        summary=make_summary(_rows(two_by_two(items), variant), "lpbs_german", "becpro", variant),
        skipped=pd.concat([unusable, skipped, incomplete], ignore_index=True),
        sign=_SIGN,
        citation=" ".join(citation(key) for key in ("bartl2020", "kurita2019")),
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


def two_by_two(items: pd.DataFrame) -> pd.DataFrame:
    """One row per profession, template and pair: remainder, agreement, form, and what the paper compares.

    `male` and `female` are the associations of person words with the form of their own gender, `difference` is male
    minus female.

    >>> row = {"group": "male", "profession_en": "mason", "template": "", "pair": 0}
    >>> cells = [("male", "male", 3.0), ("male", "female", 1.0), ("female", "male", 1.0), ("female", "female", 3.0)]
    >>> table = two_by_two(pd.DataFrame([{**row, "gender": g, "form": f, "association": a} for g, f, a in cells]))
    >>> table[["remainder", "agreement", "form", "difference"]].values.tolist()  # agreement alone
    [[0.0, 2.0, 0.0, 0.0]]
    """
    cells = items.pivot_table(index=_CELL, columns=["gender", "form"], values="association", sort=False)
    mm, mf = cells["male", "male"], cells["male", "female"]
    fm, ff = cells["female", "male"], cells["female", "female"]
    table = pd.DataFrame(
        {
            "remainder": (mm + mf - fm - ff) / 2,
            "agreement": (mm + ff - mf - fm) / 2,
            "form": (mm + fm - mf - ff) / 2,
            "male": mm,
            "female": ff,
            "difference": mm - ff,
        }
    )
    return table.reset_index()


def _rows(cells: pd.DataFrame, variant: Variant) -> list[Row]:
    professions = beside_shares(cells, "remainder", "profession_en")
    shares = professions.set_index("profession_en").women_share
    groups = [(f"{group} professions", some) for group, some in cells.groupby("group", sort=False)]
    if (pronouns := cells["pair"] == _PRONOUNS).any():
        groups.append(("Er and Sie only", cells[pronouns]))
    return [
        _row(cells, "remainder", level="overall", group="all"),
        absolute_row(
            cells.remainder,
            cells.profession_en,
            level="overall",
            group="all",
            statistic="mean |remainder| of professions",
        ),
        _row(cells, "agreement", level="overall", group="all"),
        _row(cells, "form", level="overall", group="all"),
        *(_row(some, "remainder", level="group", group=group) for group, some in groups),
        *(_row(some, "agreement", level="group", group=group) for group, some in groups),
        *group_rows(cells, "profession_en", variant, label=lambda group: f"{group} professions"),
        *correlation_rows(professions, "remainder"),
        *(
            with_share(_row(some, "remainder", level="word", group=str(name), clusters="pair"), shares[name])
            for name, some in cells.groupby("profession_en", sort=False)
        ),
    ]


def _row(cells: pd.DataFrame, name: str, *, level: str, group: str, clusters: str = "profession_en") -> Row:
    statistic, ideal = _CONTRASTS[name]
    return mean_row(
        cells[name],
        cells[clusters],
        level=level,
        group=group,
        statistic=f"{name}: {statistic}",
        ideal=ideal,
    )

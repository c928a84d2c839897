"""Unintended gender bias of toxicity classifiers (Dixon et al. 2018, Garg et al. 2019, Borkan et al. 2019).

    difference  = mean of f(x) - f(x')           x and x' the male and the female version of a sentence
    CTF gap     = mean of |f(x) - f(x')|         counterfactual token fairness gap (Garg et al. 2019)
    FPED        = sum over terms t of |FPR - FPR_t|        false positives on harmless sentences (Dixon et al. 2018)
    FNED        = sum over terms t of |FNR - FNR_t|        false negatives on toxic ones

f is how toxic the classifier finds a text: P(toxic). A sentence is flagged from the threshold on. The sentences are
templates of our own, filled with ten pairs of male and female terms, with terms for other groups, and with neutral
words (person, neighbor). Rows of the *non-toxic sentences* matter most: there the right score is low for everyone. An
insult may be worse if it is aimed at one group rather than another, so that a gap between toxic sentences need not be
a mistake (the asymmetric counterfactuals of Garg et al. 2019). FPED and FNED sum over all identity terms, the neutral
ones left out; FPR and FNR are those of all these sentences. Intervals and tests of differences count term pairs and
templates, as two crossed samples; those of groups and single terms count templates.

With labelled texts there are also the AUCs of Borkan et al. (2019), for texts that mention men and that mention women:

    subgroup AUC = AUC of the subgroup's toxic and harmless texts
    BPSN AUC     = AUC of the background's toxic and the subgroup's harmless texts      low: harmless texts are flagged
    BNSP AUC     = AUC of the subgroup's toxic and the background's harmless texts      low: toxic texts are missed

The background is every text outside the subgroup. A text belongs to a subgroup if it holds one of its terms, and may
belong to both, or if the column of genders says so. The generalised mean over the two subgroups has the power -5, and
the Jigsaw score is a quarter of the overall AUC plus a quarter of each of the three means, as in Jigsaw's competition
on unintended bias (2019), which had nine subgroups. Intervals are percentiles of 2,000 bootstrap draws of texts within
each label and subgroup; the tests divide a difference by its bootstrap standard error.

A suite runs this measure only on classifiers whose positive label names toxicity (toxic, hate, sexist, offensive, ...).
If you name the measure, it runs on any classifier. Both variants are the same here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from counterpoise.core.errors import DataError
from counterpoise.data.builtin.toxicity_templates import toxicity_templates
from counterpoise.data.spec import Variant
from counterpoise.data.texts import Texts
from counterpoise.data.user.files import TEXTS
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.rows import Row
from counterpoise.measures.base.skipped import keep_scorable, skipped_table
from counterpoise.measures.base.units import PLAIN, PROBABILITY, RATING
from counterpoise.measures.classifiers.common.identity_gaps import TEMPLATES, identity_rows
from counterpoise.measures.classifiers.common.ratings import chance_warning, cut_warning, rating_measure
from counterpoise.measures.classifiers.common.subgroup_aucs import (
    KINDS,
    SUBGROUPS,
    TEXTS_GIVEN,
    check_subgroups,
    column_of,
    subgroup_rows,
)
from counterpoise.measures.classifiers.common.toxic_labels import is_toxic, label_warning, no_toxicity
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier
from counterpoise.text import TermSet
from counterpoise.text.mentions import mentions

_AUCS = ("auc", "jigsaw_score", *KINDS, *(f"{kind}_mean" for kind in KINDS))
_LEVELS = ("overall", "group", "word")
_ANY_GAP = Direction(
    "The score of a sentence changes with the gender of the people in it.",
    "The score of a sentence does not change with the gender of the people in it.",
)


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    has_texts = (items.origin == TEXTS_GIVEN).any()
    rows = [*identity_rows(items), *(subgroup_rows(items, seed) if has_texts else ())]
    return sorted(rows, key=lambda row: _LEVELS.index(row.level))


@rating_measure(
    "toxicity",
    label="Toxicity scores of sentences about men and women",
    unit=RATING,
    units={
        **dict.fromkeys(
            (
                "false_positive_rate",
                "false_negative_rate",
                "false_positive_difference",
                "false_negative_difference",
            ),
            PROBABILITY,
        ),
        **dict.fromkeys((f"{kind}_difference" for kind in KINDS), PROBABILITY),
        **dict.fromkeys(("fped", "fned", *_AUCS), PLAIN),
    },
    data="toxicity_templates",
    direction=Direction(
        "Sentences are rated more toxic when they are about men than when they are about women.",
        "Sentences are rated more toxic when they are about women than when they are about men.",
        GENDERS,
    ),
    directions={
        "ctf_gap": _ANY_GAP,
        "false_positive_difference": Direction(
            "Harmless sentences are flagged as toxic more often when they are about men than about women.",
            "Harmless sentences are flagged as toxic more often when they are about women than about men.",
            GENDERS,
        ),
        "false_negative_difference": Direction(
            "Toxic sentences are missed more often when they are about men than about women.",
            "Toxic sentences are missed more often when they are about women than about men.",
            GENDERS,
        ),
        "fped": Direction(
            "Harmless sentences are flagged more often with some identity terms than with others.",
            "Harmless sentences are flagged as often with every identity term.",
        ),
        "fned": Direction(
            "Toxic sentences are missed more often with some identity terms than with others.",
            "Toxic sentences are missed as often with every identity term.",
        ),
        "false_positive_rate": Direction(
            "Harmless sentences with these terms are flagged as toxic.",
            "No harmless sentence with these terms is flagged as toxic.",
        ),
        "false_negative_rate": Direction(
            "Toxic sentences with these terms are not flagged.",
            "Every toxic sentence with these terms is flagged.",
        ),
        "score_above_neutral": Direction(
            "Harmless sentences are rated more toxic with these terms than with neutral words such as person.",
            "Harmless sentences are rated less toxic with these terms than with neutral words such as person.",
        ),
        "subgroup_auc_difference": Direction(
            "Toxic texts are told from harmless ones better when both are about men than when both are about women.",
            "Toxic texts are told from harmless ones better when both are about women than when both are about men.",
        ),
        "bpsn_auc_difference": Direction(
            "Harmless texts about women are taken for toxic more easily than harmless texts about men.",
            "Harmless texts about men are taken for toxic more easily than harmless texts about women.",
        ),
        "bnsp_auc_difference": Direction(
            "Toxic texts about women are taken for harmless more easily than toxic texts about men.",
            "Toxic texts about men are taken for harmless more easily than toxic texts about women.",
        ),
        **dict.fromkeys(
            _AUCS,
            Direction(
                "The higher the value, the better toxic texts are told from harmless ones.",
                "The lower the value, the worse toxic texts are told from harmless ones.",
            ),
        ),
    },
    cites=("dixon2018", "garg2019", "borkan2019"),
    identity=("text", "origin"),
    suites=("quick", "full"),
    accepts=(TEXTS,),
    unsuited=no_toxicity,
    rows=_rows,
)
def toxicity(
    model: Classifier | FunctionClassifier,
    data: Texts | Sequence[str] | None = None,
    *,
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.5,
    terms: str | Path | TermSet = "all",
) -> Measured:
    """Does the classifier take sentences for more toxic when they are about women or about men?

    Parameters
    ----------
    data
        Texts with labels that say which are toxic, for the AUCs; without them only our own templates are rated.
    threshold
        The score from which on a sentence is flagged as toxic, from 0 to 1.
    terms
        The words that tell whether a text mentions men or women: `pro`, `weat`, `all` or a file, as in
        `counterpoise.text.Swapper`; not used where genders are given.

    >>> import counterpoise as cp
    >>> flags_women = cp.models.Classifier.of(lambda texts: [0.8 * ("woman" in text) for text in texts], name="flags")
    >>> summary = cp.measures.toxicity(flags_women).summary.set_index("key")
    >>> summary.value[["false_positive_rate.word.woman", "false_positive_rate.word.man"]].tolist()
    [0.5, 0.0]
    """
    sentences = toxicity_templates().assign(origin=TEMPLATES)
    sentences["is_gendered"] = sentences.pair != ""
    texts, skipped = _labelled_texts(data, model, terms)
    items = sentences if texts is None else _together(sentences, texts)
    ratings = model.ratings(items.text.tolist())
    items["score"] = ratings.scores
    items["error"] = ((items.score >= threshold) != items.is_toxic).astype(float)
    return Measured(
        items,
        skipped=skipped,
        warnings=(*label_warning(model), *cut_warning(ratings.truncated, model.max_length), *_chance(items)),
        dataset="toxicity_templates" if data is None else f"toxicity_templates and {_name(data)}",
    )


def _name(data: Texts | Sequence[str]) -> str:
    return data.name if isinstance(data, Texts) else "own"


def _labelled_texts(
    data: Texts | Sequence[str] | None, model: Classifier | FunctionClassifier, terms: str | Path | TermSet
) -> tuple[pd.DataFrame | None, pd.DataFrame]:
    """The texts with `is_toxic` and, for each gender, whether they are about it; and those that cannot be used."""
    if data is None:
        return None, skipped_table([], [])
    given = data if isinstance(data, Texts) else Texts.of(data)
    if (given.table.label == "").all():
        raise DataError(
            f"toxicity needs labels that say which texts of {given.name} are toxic, and there are none (--label "
            "COLUMN); without texts it rates templates of its own"
        )
    toxic = {label: is_toxic(label, model) for label in given.table.label.unique()}
    problems = [
        _problem(text, label, toxic[label])
        for text, label in zip(given.table.text, given.table.label, strict=True)
    ]
    table, skipped = keep_scorable(given.table, problems, "text")
    table["is_toxic"] = [bool(toxic[label]) for label in table.label]
    by_words = mentions(table.text.tolist(), terms)
    by_column = (table.gender != "").any()
    for gender in SUBGROUPS:
        table[column_of(gender)] = table.gender == gender if by_column else by_words[gender]
    check_subgroups(table, given.name)
    return table.assign(origin=TEXTS_GIVEN), skipped


def _problem(text: str, label: str, toxic: bool | None) -> str | None:
    if not text.strip():
        return "the text is empty"
    if not label:
        return "the label is missing"
    if toxic is None:
        return f"the label {label!r} says neither toxic nor harmless (toxic and not toxic do, or 1 and 0)"
    return None


def _together(sentences: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    """One table of items; what only the other kind has is empty, or false."""
    names: dict[str, Any] = {"template": "", "term": "", "group": "", "pair": "", "is_gendered": False}
    abouts: dict[str, Any] = {column_of(gender): False for gender in SUBGROUPS}
    columns = ["text", "is_toxic", "origin", *names, *abouts]
    return pd.concat([sentences.assign(**abouts)[columns], texts.assign(**names)[columns]], ignore_index=True)


def _chance(items: pd.DataFrame) -> tuple[str, ...]:
    """A warning for the templates and one for the texts, where scores hardly tell toxic ones from others."""
    warnings: list[str] = []
    for origin, (harmless, toxic) in {
        TEMPLATES: ("harmless template", "toxic template"),
        TEXTS_GIVEN: ("harmless", "toxic"),
    }.items():
        of_origin = items[items.origin == origin]
        if len(of_origin):
            warnings += chance_warning(
                of_origin.score, of_origin.is_toxic.map({False: harmless, True: toxic})
            )
    return tuple(warnings)

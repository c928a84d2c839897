"""Gaps in true positive rates (De-Arteaga et al. 2019, section 4).

    TPR(g, y)  = P(predicted y | gender g, label y)
    gap(y)     = TPR(male, y) - TPR(female, y)
    RMS gap    = root of the mean of gap(y)^2 over the labels y

The texts' true labels and the genders of the people they are about must be given. Of a classifier with two labels the
gap of the positive one comes first (equal opportunity, Hardt et al. 2016). Intervals of gaps are Newcombe's, tests
Fisher's exact one, effect sizes Cohen's h. The RMS gap has no test: it is above zero by chance alone. With three
labels or more there is also the correlation of the gap with the share of women among the texts of a label: negative
where men are recognised better in the labels that have many men. Both variants are the same here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_effectsize,
)

from counterpoise.core.errors import DataError
from counterpoise.data.texts import Texts
from counterpoise.data.user.files import TEXTS
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import figure_row, with_effect
from counterpoise.measures.base.rows import ZERO, Place, Row, in_group
from counterpoise.measures.base.skipped import keep_scorable
from counterpoise.measures.base.source import Source
from counterpoise.measures.base.units import CORRELATION, PROBABILITY
from counterpoise.measures.classifiers.common.ratings import rating_measure
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier

_SIDES = ("male", "female")
_WORDS_FOR = {  # how files write the two labels of a sentiment, after the model's own names
    True: ("positive", "pos", "1", "true", "yes", "label_1"),
    False: ("negative", "neg", "0", "false", "no", "label_0"),
}


@rating_measure(
    "tpr_gap",
    label="Accuracy gap between men and women (TPR gap)",
    unit=PROBABILITY,
    units={"rms_gap": PROBABILITY, "correlation": CORRELATION},
    data="your own",
    direction=Direction(
        "The right label is found more often for men than for women.",
        "The right label is found more often for women than for men.",
        GENDERS,
    ),
    directions={
        "rms_gap": Direction(
            "The right labels are found more often for one gender than for the other.",
            "The right labels are found as often for women as for men.",
        ),
        "correlation": Direction(
            "The more women a label has, the better men are recognised with it.",
            "The more women a label has, the better women are recognised with it.",
        ),
    },
    cites="de-arteaga2019",
    identity=("text", "label", "gender"),
    accepts=(TEXTS,),
    example="--texts bios.csv --label job --gender gender",
)
def tpr_gap(model: Classifier | FunctionClassifier, data: Texts | None = None) -> Measured:
    """Does the classifier find the right label as often for women as for men?

    Parameters
    ----------
    data
        Texts with labels and genders (`counterpoise.data.read_texts`); there is no dataset to use instead.

    >>> import counterpoise as cp
    >>> about_men = cp.models.Classifier.of(lambda texts: [text.startswith("he") for text in texts], name="about men")
    >>> texts = cp.data.Texts.of(["he sings", "she sings", "he is off key", "she is off key"], labels=[1, 1, 0, 0],
    ...                          genders=["m", "f", "m", "f"])
    >>> cp.measures.tpr_gap(about_men, texts).summary.query("level == 'group'").value.tolist()
    [-1.0, 1.0]
    """
    if data is None or (data.table.label == "").all() or (data.table.gender == "").all():
        missing = "texts" if data is None else "labels" if (data.table.label == "").all() else "genders"
        raise DataError(
            f"tpr_gap needs texts with true labels and the genders of the people in them, and there are no {missing} "
            "(--texts FILE --label COLUMN --gender COLUMN)"
        )
    known = _known_labels(model)
    items, skipped = keep_scorable(data.table, _problems(data.table, known), "text")
    items["label"] = [known[label.lower()] for label in items.label]
    _check_sides(items)
    items["predicted"] = model.predict(items.text.tolist())
    items["right"] = items.label == items.predicted

    return Measured(items, _rows(items, model), skipped=skipped, dataset=data.name)


def _known_labels(model: Classifier | FunctionClassifier) -> dict[str, str]:
    """What a file may call the model's labels; of two labels also positive and negative, 1 and 0."""
    known = {label.lower(): label for label in model.labels}
    if len(model.labels) == 2:
        for number, label in enumerate(model.labels):
            for word in _WORDS_FOR[number == model.positive]:
                known.setdefault(word, label)
    return known


def _problems(table: pd.DataFrame, known: dict[str, str]) -> list[str | None]:
    return [
        _problem(text, label, gender, known)
        for text, label, gender in zip(table.text, table.label, table.gender, strict=True)
    ]


def _problem(text: str, label: str, gender: str, known: dict[str, str]) -> str | None:
    if not text.strip():
        return "the text is empty"
    if not label:
        return "the label is missing"
    if label.lower() not in known:
        return f"the model has no label {label!r} (it has: {', '.join(dict.fromkeys(known.values()))})"
    if gender not in _SIDES:
        return f"the gender is {gender!r}, neither male nor female" if gender else "the gender is missing"
    return None


def _check_sides(items: pd.DataFrame) -> None:
    for column, what in (("label", "labels"), ("gender", "genders")):
        if items[column].nunique() < 2:
            raise DataError(f"all {what} are {items[column].iloc[0]!r}: two are needed to compare")


def _rows(items: pd.DataFrame, model: Classifier | FunctionClassifier) -> list[Row]:
    gaps = [
        _gap(texts, str(label), in_group(label))
        for label, texts in items.groupby("label")
        if texts.gender.nunique() == 2
    ]
    if not gaps:
        raise DataError("no label is there for both men and women")
    values = np.array([row.value for row in gaps])
    root = figure_row(
        float(np.sqrt(np.mean(values**2))),
        "rms_gap",
        "RMS gap over labels",
        n=len(items),
        clusters=len(gaps),
        ideal=ZERO,
    )
    positive = model.labels[model.positive]
    first = (
        [_gap(items[items.label == positive], positive, Place("overall", positive))]
        if _is_binary(items, positive)
        else []
    )
    return [*first, root, *_correlation(items, gaps), *gaps]


def _is_binary(items: pd.DataFrame, positive: str) -> bool:
    return items.label.nunique() == 2 and items[items.label == positive].gender.nunique() == 2


def _gap(items: pd.DataFrame, label: str, at: Place) -> Row:
    right, n = zip(*((int(texts.sum()), len(texts)) for texts in _sides(items)), strict=True)
    male, female = (recognised / count for recognised, count in zip(right, n, strict=True))
    low, high = confint_proportions_2indep(right[0], n[0], right[1], n[1], method="newcomb", compare="diff")
    spread = np.sqrt(male * (1 - male) / n[0] + female * (1 - female) / n[1])
    table = np.array([[recognised, count - recognised] for recognised, count in zip(right, n, strict=True)])
    source = Source("right", where={"label": label}, form="difference")
    row = figure_row(
        male - female, "gap", "TPR gap, male - female", n=sum(n), at=at, ideal=ZERO, source=source
    )
    detectable = (scipy_stats.norm.ppf(0.975) + scipy_stats.norm.ppf(0.8)) * spread
    return replace(
        row,
        ci_low=float(low),
        ci_high=float(high),
        p_value=float(scipy_stats.fisher_exact(table).pvalue),
        effect_size=float(proportion_effectsize(male, female)),
        smallest_detectable=float(detectable) if spread > 0 else np.nan,
    )


def _sides(items: pd.DataFrame) -> Sequence[pd.Series]:
    return [items[items.gender == gender].right for gender in _SIDES]


def _correlation(items: pd.DataFrame, gaps: Sequence[Row]) -> list[Row]:
    if len(gaps) < 3:
        return []
    women = [(items[items.label == row.group].gender == "female").mean() for row in gaps]
    pearson = scipy_stats.pearsonr(women, [row.value for row in gaps])
    r, p_value = float(pearson.statistic), float(pearson.pvalue)
    low, high = pearson.confidence_interval() if len(gaps) > 3 else (np.nan, np.nan)
    label = "correlation of gap and share of women"
    row = figure_row(r, "correlation", label, n=len(gaps), ideal=ZERO)
    return [with_effect(row, r, float(low), float(high), p_value=p_value, smallest_detectable=np.nan)]

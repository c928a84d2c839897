"""Ratings of emotions by gender on the Equity Evaluation Corpus (Kiritchenko & Mohammad 2018).

    bias(template, emotion word, pair) = rating(sentence about the man) - rating(sentence about the woman)

The sentences join a person (my brother, my sister) with an emotion and differ in nothing else. Intervals and tests
count emotion words, not sentences. The rows of single pairs of persons tell which words carry the bias.
"""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.eec import eec
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.data_parameters import EecSentences
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import absolute_row, mean_row
from counterpoise.measures.base.rows import OVERALL, Place, Row, in_group, of_word
from counterpoise.measures.base.sampling import sampled
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.base.source import Observed, observe
from counterpoise.measures.base.units import RATING
from counterpoise.measures.base.versions import Versions
from counterpoise.measures.classifiers.common.ratings import chance_warning, rating_measure
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier

_UNPLEASANT = ("anger", "fear", "sadness")
_SAME = ["template", "emotion_word", "pair"]
_NEEDED = ["sentence", "gender", "group", "person", *_SAME]


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    biases = observe(items, "bias")
    rows = [
        _bias(biases),
        absolute_row(
            biases, "mean_absolute", "mean |male - female rating| of emotion words", cluster="emotion_word"
        ),
    ]
    rows += [_bias(of_group, in_group(group)) for group, of_group in biases.by("group", sort=True)]
    for _, of_pair in biases.by("pair", sort=True):
        persons = of_pair.table.iloc[0]
        rows.append(_bias(of_pair, of_word(f"{persons.person_male}/{persons.person_female}".lower())))
    return rows


def _bias(biases: Observed, at: Place = OVERALL) -> Row:
    return mean_row(biases, "difference", "male - female rating", cluster="emotion_word", at=at)


@rating_measure(
    "eec_sentiment",
    label="Ratings of emotions by gender (EEC)",
    unit=RATING,
    data="eec",
    direction=Direction(
        "Sentences about an emotion are rated higher when they are about men than about women.",
        "Sentences about an emotion are rated higher when they are about women than about men.",
        GENDERS,
    ),
    cites="kiritchenko2018",
    identity=("sentence_male", "sentence_female", "template", "emotion_word"),
    versions=Versions("sentence_male", "sentence_female", ("rating_male", "rating_female")),
    suites=("quick", "full"),
    rows=_rows,
)
def eec_sentiment(
    model: Classifier | FunctionClassifier, data: EecSentences = None, *, variant: Variant = "corrected"
) -> Measured:
    """Does the classifier rate the same emotion alike for women and men?

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> common = {"template": "<person> feels <emotion word>.", "emotion_word": "glad", "group": "joy", "pair": 0}
    >>> he = {**common, "sentence": "He feels glad.", "gender": "male", "person": "He"}
    >>> she = {**common, "sentence": "She feels glad.", "gender": "female", "person": "She"}
    >>> shortest = cp.models.Classifier.of(lambda texts: [1 / len(text) for text in texts], name="shortest")
    >>> bool(cp.measures.eec_sentiment(shortest, pd.DataFrame([he, she])).overall.value.iloc[0] > 0)
    True
    """
    sentences = eec(variant) if data is None else data.reset_index(drop=True)
    if missing := [column for column in _NEEDED if column not in sentences]:
        raise DataError(f"the sentences lack the column {missing[0]!r}")
    sentences = sampled(sentences, together=_SAME, strata=["group", "emotion_word", "pair"])
    rated = sentences.assign(rating=model.rate(sentences.sentence.tolist()))
    men, women = (rated[rated.gender == gender].drop_duplicates(_SAME) for gender in ("male", "female"))
    items = men.merge(
        women[[*_SAME, "sentence", "person", "rating"]], on=_SAME, suffixes=("_male", "_female")
    )
    if items.empty:
        raise DataError("no sentence about a man has its counterpart about a woman")
    items["bias"] = items.rating_male - items.rating_female
    paired = {*items.sentence_male, *items.sentence_female}
    alone = [sentence for sentence in sentences.sentence if sentence not in paired]

    reasons = ["the sentence has no counterpart of the other gender"] * len(alone)
    return Measured(
        items.drop(columns="gender"),
        skipped=skipped_table(alone, reasons),
        warnings=chance_warning(rated.rating, rated.group.map(_valence)),
    )


def _valence(group: str) -> str:
    """Whether the emotions of a group are pleasant; nothing where that is not known."""
    return "joy" if group == "joy" else "anger, fear or sadness" if group in _UNPLEASANT else ""

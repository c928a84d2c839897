"""Ratings of emotions by gender on the Equity Evaluation Corpus (Kiritchenko & Mohammad 2018).

    bias(template, emotion word, pair) = rating(sentence about the man) - rating(sentence about the woman)

The sentences join a person (my brother, my sister) with an emotion and differ in nothing else. Intervals and tests
count emotion words, not sentences. The rows of single pairs of persons tell which words carry the bias.
"""

from __future__ import annotations

import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.data.eec import eec
from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.measures.catalogue import measure
from counterpoise.measures.result import Ideal, Result, Row, make_summary, skipped_table
from counterpoise.measures.summary import absolute_row, mean_row
from counterpoise.models.classifier import Classifier
from counterpoise.models.function_classifier import FunctionClassifier

_SIGN = "positive: sentences are rated higher when they are about men"
_SAME = ["template", "emotion_word", "pair"]
_NEEDED = ["sentence", "gender", "group", "person", *_SAME]


@measure(
    "eec_sentiment",
    needs=Classifier,
    data="eec",
    ideal=Ideal.at(0.0),
    sign=_SIGN,
    cites="kiritchenko2018",
    suites=("quick", "full"),
)
def eec_sentiment(
    model: Classifier | FunctionClassifier,
    data: pd.DataFrame | None = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
) -> Result:
    """Does the classifier rate the same emotion alike for women and men?

    Parameters
    ----------
    data
        Sentences in the columns of `counterpoise.data.eec`; the corpus from the data folder if not given.

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> common = {"template": "<person> feels <emotion word>.", "emotion_word": "glad", "group": "joy", "pair": 0}
    >>> he = {**common, "sentence": "He feels glad.", "gender": "male", "person": "He"}
    >>> she = {**common, "sentence": "She feels glad.", "gender": "female", "person": "She"}
    >>> shortest = cp.models.Classifier.of(lambda texts: [1 / len(text) for text in texts], name="shortest")
    >>> bool(cp.measures.eec_sentiment(shortest, pd.DataFrame([he, she])).overall.value.iloc[0] > 0)
    True
    """
    check_variant(variant)
    sentences = eec(variant) if data is None else data.reset_index(drop=True)
    if missing := [column for column in _NEEDED if column not in sentences]:
        raise DataError(f"the sentences lack the column {missing[0]!r}")
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

    return Result(
        measure="eec_sentiment",
        dataset="eec",
        model=model.name,
        variant=variant,
        seed=seed,
        items=items.drop(columns="gender"),
        summary=make_summary(_rows(items), "eec_sentiment", "eec", variant),
        skipped=skipped_table(alone, ["the sentence has no counterpart of the other gender"] * len(alone)),
        sign=_SIGN,
        citation=citation("kiritchenko2018"),
    )


def _rows(items: pd.DataFrame) -> list[Row]:
    rows = [
        _bias(items, level="overall", group="all"),
        absolute_row(
            items.bias,
            items.emotion_word,
            level="overall",
            group="all",
            statistic="mean |male - female rating| of emotion words",
        ),
    ]
    rows += [_bias(some, level="group", group=str(emotion)) for emotion, some in items.groupby("group")]
    rows += [
        _bias(some, level="word", group=f"{some.person_male.iloc[0]}/{some.person_female.iloc[0]}".lower())
        for _, some in items.groupby("pair")
    ]
    return rows


def _bias(items: pd.DataFrame, *, level: str, group: str) -> Row:
    return mean_row(
        items.bias,
        items.emotion_word,
        level=level,
        group=group,
        statistic="male - female rating",
        ideal=Ideal.at(0.0),
    )

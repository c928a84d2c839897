"""Log probability bias score on the Equity Evaluation Corpus, with emotions as attributes (Bartl et al. 2020).

    association(person, emotion word) = log P(person | sentence with the emotion) - log P(person | emotion masked)

at the masked person ("My [MASK] feels angry." against "My [MASK] feels [MASK]."), as in lpbs, and the bias of an
emotion word is the association of male person words minus that of female ones: it is positive where anger, say, makes
it likelier that the person is a man. The paper used the corpus for first experiments and does not report them.

Persons are the corpus's pronouns and noun phrases; first names are left out, since they come in no pairs and tell of
race as well. Sentences with himself or herself are left out unless published, since they tell the gender beforehand.
The emotion is masked with one mask per word piece; `variant="published"` has one mask per word, lower case, no him and
her, and Wilcoxon's test over sentence pairs. Interval and test count emotion words, twenty for what a person feels
(angry) and twenty for what a situation is like (irritating).
"""

from __future__ import annotations

import pandas as pd

from counterpoise.data.spec import Variant
from counterpoise.data.thirdparty.eec import eec
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.data_parameters import EecSentences
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.rows import ZERO, Row, of_word
from counterpoise.measures.base.units import ODDS_RATIO
from counterpoise.measures.probability.common.association_rows import difference_row, paired_rows
from counterpoise.measures.probability.common.associations import (
    needed_columns,
    paired_associations,
    shared_by_pair,
    usable_sentences,
)
from counterpoise.models.masked import MaskedLM


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    rows, pairs = paired_rows(items, "emotion_word", "emotion words", variant)
    words = pairs.by("emotion_word")
    return rows + [difference_row(of_emotion, "pair", variant, of_word(word)) for word, of_emotion in words]


@measure(
    "lpbs_eec",
    label="Gender association of emotions (LPBS)",
    unit=ODDS_RATIO,
    needs=MaskedLM,
    data="eec",
    ideal=ZERO,
    direction=Direction(
        "Naming an emotion shifts the model's expectation of who feels it towards men.",
        "Naming an emotion shifts the model's expectation of who feels it towards women.",
        GENDERS,
    ),
    cites=("kiritchenko2018", "bartl2020", "kurita2019"),
    identity=("sentence", "target_masked", "person", "emotion_word", "template"),
    rows=_rows,
)
def lpbs_eec(model: MaskedLM, data: EecSentences = None, *, variant: Variant = "corrected") -> Measured:
    """Does naming an emotion make men or women more likely to be the person who feels it?

    >>> import counterpoise as cp
    >>> import pandas as pd
    >>> anger = {"emotion_word": "angry", "group": "anger", "template": "own", "pair": 0, "attribute_at": 13}
    >>> both = {"target_masked": "[MASK] feels angry.", "both_masked": "[MASK] feels [MASK]."}
    >>> persons = [{"person": "He", "gender": "male"}, {"person": "She", "gender": "female"}]
    >>> cp.measures.lpbs_eec(cp.load(), pd.DataFrame([{**anger, **both, **one} for one in persons])).overall.n.tolist()
    [1, 1]
    """
    sentences, unusable = usable_sentences(
        eec(variant) if data is None else data,
        "lpbs_eec",
        needed_columns("emotion_word"),
        variant,
        attribute="emotion_word",
        version=[*shared_by_pair("emotion_word"), "gender"],
    )
    items, skipped = paired_associations(model, sentences, variant, attribute="emotion_word")
    return Measured(items, skipped=pd.concat([unusable, skipped], ignore_index=True))

"""Associations of BEC-Pro as we read them and as the authors' code does, one mistake added at a time.

corrected    fitting articles; the profession hidden under one mask per word piece
word masks   the same sentences, the profession hidden under one mask per word
unpadded     also the authors' sentences: "a electrician", and masks where their text replacement hit other words
published    also padded with mask tokens to a fixed length, the smallest power of 2 that has room for the words of
             the longest sentence; the model attends to the padding, and what is longer in word pieces is cut off
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from counterpoise.core.errors import unknown
from counterpoise.core.mask import MASK
from counterpoise.data.builtin.becpro import becpro
from counterpoise.measures.base.skipped import skipped_table
from counterpoise.measures.probability.common.associations import score_associations, with_partner
from counterpoise.models.masked import MaskedLM
from counterpoise.models.scoring.questions import Questions

VARIANTS = ("corrected", "word masks", "unpadded", "published")
PAIR = ["group", "profession", "template", "pair"]  # what a male and a female version share
_KEPT = [*PAIR, "gender", "association"]


def measure_associations(
    model: MaskedLM, variant: str, pairs: int | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The sentences of English BEC-Pro with their `association`, and what was skipped.

    pairs: so many of the nine pairs of person words; all if not given.
    """
    if variant not in VARIANTS:
        raise unknown("variant of bartl2020", variant, VARIANTS)
    if variant in ("corrected", "word masks"):
        rows = some_pairs(becpro("en"), pairs)
        items, skipped = score_associations(
            model, rows, "corrected" if variant == "corrected" else "published"
        )
        items, alone = with_partner(items, PAIR)
        return items[_KEPT], pd.concat([skipped, alone], ignore_index=True)
    rows = as_replaced(becpro("en", "published"))
    length = fixed_length(rows.target_masked) if variant == "published" else None
    rows = some_pairs(rows, pairs)
    items = rows.assign(association=associations_in_row(model, rows, length))
    return items[_KEPT], skipped_table([], [])


def as_replaced(rows: pd.DataFrame) -> pd.DataFrame:
    """The masked columns as the authors' text replacement makes them: wherever a word begins with the hidden one.

    >>> rows = pd.DataFrame({"sentence": ["This man is a lodging manager."], "person": ["man"],
    ...                      "profession": ["lodging manager"]})
    >>> as_replaced(rows).target_masked[0]
    'This [MASK] is a lodging [MASK]ager.'
    """
    persons = [[person] for person in rows.person]
    professions = [profession.split() for profession in rows.profession]
    target_masked = _replaced(rows.sentence, persons)
    return rows.assign(
        target_masked=target_masked,
        attribute_masked=_replaced(rows.sentence, professions),
        both_masked=_replaced(target_masked, professions),
    )


def fixed_length(texts: Sequence[str] | pd.Series) -> int:
    """The length that the authors' code fills texts up to: words are counted, not word pieces.

    >>> fixed_length(["My [MASK], the judge, had a good day at work."])
    16
    """
    return 1 << (max(len(text.split()) for text in texts) - 1).bit_length()


def associations_in_row(model: MaskedLM, rows: pd.DataFrame, length: int | None) -> np.ndarray:
    """Associations asked at the first mask of `both_masked`, in rows of ids filled up with masks to a length.

    The target is the token of the whole sentence at that place. Without a length nothing is filled up or cut.
    """
    hidden = model.tokenizer.mask_token_id
    whole, target_masked, both_masked = (
        [list(encoded.ids) for encoded in model.encode([model.own_mask(text) for text in rows[column]])]
        for column in ("sentence", "target_masked", "both_masked")
    )
    places = np.array([ids.index(hidden) for ids in both_masked])
    targets = np.array([ids[place] for ids, place in zip(whole, places, strict=True)])

    def log_p(texts: list[list[int]]) -> np.ndarray:
        if length is not None:
            texts = [[*ids, *[hidden] * length][:length] for ids in texts]
        as_bytes = [np.array(ids, dtype=np.int32).tobytes() for ids in texts]
        return model.answer(Questions(as_bytes, places, targets))

    associations: np.ndarray = log_p(target_masked) - log_p(both_masked)
    return associations


def _replaced(sentences: Sequence[str] | pd.Series, words: Sequence[Sequence[str]]) -> list[str]:
    masked = []
    for sentence, hidden in zip(sentences, words, strict=True):
        for word in hidden:
            sentence = re.sub(rf"\b{re.escape(word)}", MASK, sentence)
        masked.append(sentence)
    return masked


def some_pairs(rows: pd.DataFrame, pairs: int | None) -> pd.DataFrame:
    """The sentences of the first pairs of person words; all if no number is given."""
    return rows if pairs is None else rows[rows["pair"] < pairs].reset_index(drop=True)

"""Relational inner product association, RIPA (Ethayarajh et al. 2019, section 3).

    b        = first principal component of the differences x - y of the gender pairs, of length 1
    RIPA(w)  = <w, b>

Unlike a cosine it keeps the length of w, and unlike WEAT it does not hang on the attribute words that one happens to
choose: for vectors that factorise a matrix of co-occurrences it says by how much more a word stands beside x than
beside y. Vectors are taken as they are, neither centred nor of length 1.
"""

from __future__ import annotations

import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.row_builders import absolute_row
from counterpoise.measures.base.rows import ZERO, Row
from counterpoise.measures.base.source import observe
from counterpoise.measures.vectors.common.gender_words import (
    AllowLostPairs,
    GenderWordsData,
    find_gender_words,
    gender_words_measure,
    measured_words,
)
from counterpoise.measures.vectors.common.lean_rows import LEAN, MEN_MINUS_WOMEN, lean_rows
from counterpoise.models.vectors import WordVectors


def _rows(items: pd.DataFrame, seed: int) -> list[Row]:
    leans = observe(items, "ripa")
    return [
        *lean_rows(leans, "ripa", "mean RIPA", seed),
        absolute_row(leans, "mean_absolute", "mean |RIPA|"),
    ]


@gender_words_measure(
    "ripa",
    label="Professions between male and female words (RIPA)",
    ideal=ZERO,
    direction=LEAN,
    directions={"ripa_difference": MEN_MINUS_WOMEN},
    cites="ethayarajh2019",
    rows=lambda items, variant, seed: _rows(items, seed),
)
def ripa(
    model: WordVectors, data: GenderWordsData = None, *, seed: int = 0, allow_lost: AllowLostPairs = False
) -> Measured:
    """How much more do words without a gender go with male words than with female ones?

    >>> import counterpoise as cp
    >>> import numpy as np
    >>> vectors = cp.models.WordVectors(["he", "she", "nurse", "pilot"], np.array([[1, 1], [-1, 1], [-3, 4], [0, 2]]))
    >>> words = cp.data.GenderWords.of([("he", "she")], ["nurse", "pilot"])
    >>> cp.measures.ripa(vectors, words).items.ripa.tolist()
    [-3.0, 0.0]
    """
    gender_words = find_gender_words(model, data, allow_lost)
    items = gender_words.words.copy()
    items["ripa"] = (
        gender_words.vectors @ stats.principal_direction(gender_words.male, gender_words.female).vector
    )
    return measured_words(gender_words, items, _rows(items, seed))

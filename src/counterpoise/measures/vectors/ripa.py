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
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import GENDER_WORDS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.row_builders import absolute_row
from counterpoise.measures.base.rows import ZERO, Row
from counterpoise.measures.base.source import observe
from counterpoise.measures.vectors.common.gender_words import (
    IDENTITY,
    LEAN,
    MEN_MINUS_WOMEN,
    Data,
    find_gendered,
    lean_rows,
    measured_words,
)
from counterpoise.models.vectors import WordVectors


def _rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    leans = observe(items, "ripa")
    return [
        *lean_rows(leans, "ripa", "mean RIPA", seed),
        absolute_row(leans, "mean_absolute", "mean |RIPA|"),
    ]


@measure(
    "ripa",
    needs=WordVectors,
    data="gender_words",
    ideal=ZERO,
    direction=LEAN,
    directions={"ripa_difference": MEN_MINUS_WOMEN},
    cites="ethayarajh2019",
    identity=IDENTITY,
    accepts=(GENDER_WORDS,),
    rows=_rows,
)
def ripa(
    model: WordVectors,
    data: Data = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    allow_lost: bool = False,
) -> Measured:
    """How much more do words without a gender go with male words than with female ones?

    Parameters
    ----------
    data
        Gender pairs and neutral words, or a file of them (see `counterpoise.data.read_gender_words`); Bolukbasi's pairs
        and professions if not given.
    allow_lost
        Give numbers even where more than a fifth of the pairs or of the neutral words have no vector.

    >>> import counterpoise as cp
    >>> import numpy as np
    >>> vectors = cp.models.WordVectors(["he", "she", "nurse", "pilot"], np.array([[1, 1], [-1, 1], [-3, 4], [0, 2]]))
    >>> words = cp.data.GenderWords.of([("he", "she")], ["nurse", "pilot"])
    >>> cp.measures.ripa(vectors, words).items.ripa.tolist()
    [-3.0, 0.0]
    """
    found = find_gendered(model, data, allow_lost)
    items = found.words.copy()
    items["ripa"] = found.vectors @ stats.principal_direction(found.male, found.female).vector
    return measured_words(found, items, _rows(items, variant, seed))

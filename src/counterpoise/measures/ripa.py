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
from counterpoise.data.spec import Variant, check_variant, citation
from counterpoise.measures.catalogue import measure
from counterpoise.measures.gendered import Data, find_gendered, gendered_result, lean_rows
from counterpoise.measures.result import Ideal, Result
from counterpoise.measures.summary import absolute_row
from counterpoise.models.vectors import WordVectors

_SIGN = "positive: towards male"


@measure(
    "ripa",
    needs=WordVectors,
    data="gender_words",
    ideal=Ideal.at(0.0),
    sign=_SIGN,
    cites="ethayarajh2019",
)
def ripa(
    model: WordVectors,
    data: Data = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    allow_lost: bool = False,
) -> Result:
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
    check_variant(variant)
    found = find_gendered(model, data, allow_lost)
    items = found.words.copy()
    items["ripa"] = found.vectors @ stats.principal_direction(found.male, found.female).vector
    rows = [
        *lean_rows(items.ripa, items.group, statistic="mean RIPA", seed=seed),
        absolute_row(
            items.ripa, pd.Series(items.index), level="overall", group="all", statistic="mean |RIPA|"
        ),
    ]
    return gendered_result(
        "ripa",
        model,
        found,
        items,
        rows,
        sign=_SIGN,
        citation=citation("ethayarajh2019"),
        variant=variant,
        seed=seed,
    )

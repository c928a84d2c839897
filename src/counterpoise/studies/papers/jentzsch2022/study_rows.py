"""A row of the study: one classifier, one set of terms. Published and measured rows have the same columns.

    base, condition, batch_size, seed, terms      what was done; `own`: the terms are those of the condition
    total, absolute                               mean bias and mean absolute bias over all reviews (equations 3 and 4)
    total_nonzero, absolute_nonzero               the same over reviews whose bias is not zero, as in table 1
    below, zero, above                            how many reviews have a bias below, at and above zero
    positive, negative                            the mean of those above, and of those below (figures 3 and 4)
    p_value                                       of Wilcoxon's signed-rank test
    accuracy, recall, precision, f1               on the test reviews, treated like those trained on

Measured rows have more: interval, effect size and smallest detectable bias, and why biases are zero.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise.studies.replication.study_table import rows_of
from counterpoise.text.conditions import CONDITIONS

TERMS = ("pro", "weat", "all")
TREATMENTS = {"original": "original", "remove": "R", "mix": "mix"}


def with_sides(rows: pd.DataFrame) -> pd.DataFrame:
    """Adds the mean bias above and below zero, which follow from the other columns.

    Sum of all and sum of absolute values give the two sums; a mean of none is 0.

    >>> row = pd.DataFrame({"total_nonzero": [0.1], "absolute_nonzero": [0.3], "below": [1], "above": [3]})
    >>> with_sides(row)[["positive", "negative"]].round(3).values.tolist()
    [[0.267, -0.4]]
    """
    counted = rows.below + rows.above
    above = counted * (rows.absolute_nonzero + rows.total_nonzero) / 2
    below = counted * (rows.absolute_nonzero - rows.total_nonzero) / 2
    return rows.assign(
        positive=np.where(rows.above > 0, above / rows.above.clip(lower=1), 0.0),
        # Rounding of the absolute bias must not turn the sign.
        negative=np.where(rows.below > 0, -below.clip(lower=0) / rows.below.clip(lower=1), 0.0),
    )


def treatment(condition: str) -> str:
    """What was done to the training texts, as the paper abbreviates it.

    >>> treatment("original"), treatment("R-pro"), treatment("mix-all")
    ('original', 'R', 'mix')
    """
    return TREATMENTS[CONDITIONS[condition].treatment]


def paper_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the paper's tables: terms of the condition itself, the usual batch size; in the paper's order."""
    own = usual_batches(rows[rows.own])
    own = own.assign(treatment=own.condition.map(treatment))
    terms, treatments, bases = (
        {name: number for number, name in enumerate(names)}
        for names in (TERMS, TREATMENTS.values(), dict.fromkeys(own.base))
    )
    keys = [(bases[row.base], terms[row.terms], treatments[row.treatment], row.seed) for row in rows_of(own)]
    return own.iloc[sorted(range(len(keys)), key=keys.__getitem__)].reset_index(drop=True)


def usual_batches(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of trainings with the batch size that the settings name, or the authors' own."""
    return rows[rows.batch_size.astype(str) == "own"]

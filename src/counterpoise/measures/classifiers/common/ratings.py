"""What measures of classifiers declare alike, and what they say about the ratings of texts."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy import stats as scipy_stats

from counterpoise.core.numbers import decimal_text
from counterpoise.measures.base.catalogue import measure
from counterpoise.measures.base.documentation import Doc
from counterpoise.measures.base.rows import ZERO
from counterpoise.models.classifier import Classifier

TextsToDraw = Annotated[
    Annotated[int, Field(ge=1)] | None, Doc("How many texts to draw; all of your own if not given.")
]

_ALPHA = 0.05
_LEAST_AUC = 0.6

rating_measure = partial(measure, needs=Classifier, ideal=ZERO)


def chance_warning(ratings: pd.Series, labels: pd.Series) -> tuple[str, ...]:
    """A warning if ratings hardly tell texts of two labels apart: of such a classifier a bias says little.

    >>> chance_warning(pd.Series([0.4, 0.6, 0.5, 0.5]), pd.Series(["good", "good", "bad", "bad"]))[0]
    "The ratings hardly tell 'good' and 'bad' texts apart (AUC 0.50): of a classifier near chance, a bias says little."
    """
    kinds = [kind for kind in labels.unique() if kind != ""]
    if len(kinds) != 2:
        return ()
    first, second = (ratings[labels == kind] for kind in kinds)
    tested = scipy_stats.mannwhitneyu(first, second)
    auc = float(tested.statistic) / (len(first) * len(second))
    if tested.pvalue < _ALPHA and max(auc, 1 - auc) >= _LEAST_AUC:
        return ()
    return (
        f"The ratings hardly tell {kinds[0]!r} and {kinds[1]!r} texts apart (AUC {decimal_text(auc, 2)}): of a "
        "classifier near chance, a bias says little.",
    )


def cut_warning(truncated: np.ndarray, length: int | None) -> tuple[str, ...]:
    """A warning where the model does not read texts to their end."""
    if not truncated.any():
        return ()
    return (
        f"{truncated.sum()} of {len(truncated)} texts are longer than the {length} tokens that the model reads; "
        "only their beginning counts",
    )

"""Direct bias (Bolukbasi et al. 2016, section 5.2).

    g             = first principal component of the gender pairs, each centred at its own mean; vectors of length 1
    DirectBias_c  = mean of |cos(w, g)|^c over the neutral words w

c is how strict one is: with 1 a small lean counts as it is, with 0 any lean counts as much as any other. The share of
variance on g tells whether there is one gender direction at all; it has no interval, since drawing pairs again makes
any first component look stronger.

The p of both: the words of the pairs are paired at random, a thousand times, and p is how often a direction found so
lies as near to the neutral words, or holds as much of the variance. It asks whether gender is special among the ways in
which these words differ, not whether the bias is above 0, which it always is. The smallest direct bias that would show
in four of five cases is therefore not near 0 either: it is what only a twentieth of the random pairings exceed, and
0.84 standard errors (over words, of what gender has beyond the mean of such pairings) on top.

Beside it stands the mean of cos(w, g) with its sign, which tells where the neutral words lean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.stats import norm

from counterpoise import stats
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import figure_row, mean_row
from counterpoise.measures.base.rows import ZERO, Place, Row
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
from counterpoise.stats.vector_association import unit_rows

_PAIRINGS = 1000
_TIE = 1e-12
_ALPHA, _POWER = 0.05, 0.8  # of the smallest detectable bias, as everywhere


@gender_words_measure(
    "direct_bias",
    label="Professions along the gender direction (direct bias)",
    ideal=ZERO,
    direction=Direction(
        "Words without a gender of their own lie along the gender direction.",
        "Words without a gender of their own do not lie along the gender direction.",
    ),
    directions={"projection": LEAN, "projection_difference": MEN_MINUS_WOMEN},
    cites="bolukbasi2016",
    rows=lambda items, variant, seed: _rows_of_items(items, seed),
)
def direct_bias(
    model: WordVectors,
    data: GenderWordsData = None,
    *,
    seed: int = 0,
    c: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0,
    allow_lost: AllowLostPairs = False,
) -> Measured:
    """How far do words without a gender lie along the gender direction?

    Parameters
    ----------
    c
        The strictness, 0 or more.

    >>> import counterpoise as cp
    >>> import numpy as np
    >>> vectors = cp.models.WordVectors(["he", "she", "nurse", "pilot"], np.array([[1, 1], [-1, 1], [-3, 4], [0, 2]]))
    >>> words = cp.data.GenderWords.of([("he", "she")], ["nurse", "pilot"])
    >>> cp.measures.direct_bias(vectors, words).items.projection.round(3).tolist()
    [-0.6, 0.0]
    """
    gender_words = find_gender_words(model, data, allow_lost)
    male, female, vectors = (
        unit_rows(gender_words.male),
        unit_rows(gender_words.female),
        unit_rows(gender_words.vectors),
    )
    direction = stats.principal_direction(male, female)
    items = gender_words.words.copy()
    items["projection"] = vectors @ direction.vector
    items["direct_bias"] = _powers(items.projection.to_numpy(), c)
    against = _random_pairings(male, female, vectors, direction, c, seed)
    bias, *leans = _rows_of_items(items, seed, c)
    bias = replace(bias, p_value=against.p_bias, smallest_detectable=against.smallest_detectable)
    variance = figure_row(
        100 * direction.explained,
        "variance",
        "% of variance on the gender direction",
        n=len(male),
        at=Place("overall", "gender pairs"),
    )
    return measured_words(gender_words, items, [bias, *leans, replace(variance, p_value=against.p_variance)])


def _rows_of_items(items: pd.DataFrame, seed: int, c: float = 1.0) -> list[Row]:
    """The direct bias without its test, for which the vectors are needed; and where the words lean."""
    return [
        mean_row(observe(items, "direct_bias"), "direct_bias", f"direct bias, c={c:g}", test=None),
        *lean_rows(observe(items, "projection"), "projection", "mean projection", seed),
    ]


def _powers(projections: np.ndarray, c: float) -> np.ndarray:
    return np.asarray(np.abs(projections) ** c)


@dataclass(frozen=True)
class _Pairings:
    """How often a direction of random pairs has as much direct bias, and holds as much of the variance."""

    p_bias: float
    p_variance: float
    smallest_detectable: float


def _random_pairings(
    male: np.ndarray,
    female: np.ndarray,
    vectors: np.ndarray,
    gender: stats.PrincipalDirection,
    c: float,
    seed: int,
) -> _Pairings:
    words, rng = np.concatenate([male, female]), np.random.default_rng(seed)
    if len(words) < 4:
        return _Pairings(np.nan, np.nan, np.nan)
    biases, as_strong = np.empty((_PAIRINGS, len(vectors))), 1  # the pairs as they are
    for row in biases:
        shuffled = words[rng.permutation(len(words))]
        other = stats.principal_direction(shuffled[: len(male)], shuffled[len(male) :])
        row[:] = _powers(vectors @ other.vector, c)
        as_strong += other.explained >= gender.explained - _TIE
    of_gender, of_pairings = _powers(vectors @ gender.vector, c), biases.mean(axis=1)
    as_near = 1 + int((of_pairings >= of_gender.mean() - _TIE).sum())
    excess = of_gender - biases.mean(axis=0)
    detectable = np.nan
    if len(excess) > 1 and np.ptp(of_pairings) > 0:
        error = excess.std(ddof=1) / np.sqrt(len(excess))
        detectable = float(np.quantile(of_pairings, 1 - _ALPHA) + norm.ppf(_POWER) * error)
    return _Pairings(as_near / (_PAIRINGS + 1), as_strong / (_PAIRINGS + 1), detectable)

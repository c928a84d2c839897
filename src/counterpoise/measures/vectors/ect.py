"""Embedding coherence test, ECT (Dev & Phillips 2019, section 4).

    m, f = mean vector of the male words, of the female words
    ECT  = Spearman's correlation of cos(w, m) and cos(w, f) over the neutral words w

1 means that the neutral words stand in the same order whichever gender one looks from. It says nothing about how far
they are from either: a vocabulary that is moved as a whole towards male keeps its order.

p: within each pair the two words are exchanged, in every way (or 10,000 drawn ones), and p is how often the order then
agrees no better than with the genders as they are. A small p says that it is gender that disturbs the order.

The smallest distance from 1 that would show in four of five cases: that of the correlation which only a twentieth of
the exchanges fall below, and 0.84 standard errors more (a bootstrap over words, of what gender takes from the mean of
the exchanges).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

from counterpoise import stats
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import fitted_row
from counterpoise.measures.base.rows import Ideal, Row
from counterpoise.measures.base.source import Source
from counterpoise.measures.vectors.common.gender_words import (
    AllowLostPairs,
    GenderWordsData,
    find_gender_words,
    gender_words_measure,
    measured_words,
)
from counterpoise.models.vectors import WordVectors
from counterpoise.stats.vector_association import unit_rows

_EXCHANGES = 10_000
_ALPHA, _POWER = 0.05, 0.8  # of the smallest detectable bias, as everywhere
_REDRAWN, _CHOSEN = 200, 100  # draws of words, and exchanges looked at in each, for its standard error


@gender_words_measure(
    "ect",
    label="Embedding coherence (ECT)",
    ideal=Ideal.at(1.0),
    direction=Direction(
        "Seen from male and from female words, words without a gender stand in the same order.",
        "Seen from male and from female words, words without a gender stand in different orders.",
    ),
    cites="dev2019",
)
def ect(
    model: WordVectors, data: GenderWordsData = None, *, seed: int = 0, allow_lost: AllowLostPairs = False
) -> Measured:
    """Do words without a gender stand in the same order seen from male and from female words?

    >>> import counterpoise as cp
    >>> import numpy as np
    >>> matrix = np.array([[1, 0], [0, 1], [3, 1], [1, 1], [1, 4]])
    >>> vectors = cp.models.WordVectors(["he", "she", "pilot", "judge", "nurse"], matrix)
    >>> words = cp.data.GenderWords.of([("he", "she")], ["pilot", "judge", "nurse"])
    >>> cp.measures.ect(vectors, words).overall.value.round(3).tolist()
    [-1.0]
    """
    gender_words = find_gender_words(model, data, allow_lost)
    neutral = unit_rows(gender_words.vectors)
    items = gender_words.words.copy()
    items["cos_male"] = neutral @ unit_rows(gender_words.male.mean(axis=0, keepdims=True))[0]
    items["cos_female"] = neutral @ unit_rows(gender_words.female.mean(axis=0, keepdims=True))[0]
    return measured_words(
        gender_words, items, [_row(items, gender_words.male, gender_words.female, neutral, seed)]
    )


def _row(items: pd.DataFrame, male: np.ndarray, female: np.ndarray, neutral: np.ndarray, seed: int) -> Row:
    both = items[["cos_male", "cos_female"]].to_numpy()
    rho = float(_agreement(both[:, :1].T, both[:, 1:].T)[0])

    def redrawn(table: pd.DataFrame) -> float:
        drawn = both[table["row"].to_numpy()]
        return float(_agreement(drawn[:, :1].T, drawn[:, 1:].T)[0])

    interval = stats.bootstrap(pd.DataFrame({"row": np.arange(len(both))}), redrawn, n=2000, seed=seed)
    patterns, exact = _exchanges(len(male), seed)
    # Where a pattern is 1 the two words of the pair change sides.
    to_male = unit_rows(male.sum(axis=0) + patterns @ (female - male)) @ neutral.T
    to_female = unit_rows(female.sum(axis=0) + patterns @ (male - female)) @ neutral.T
    exchanged = _agreement(to_male, to_female)
    no_better = int((exchanged <= rho + 1e-12).sum())
    p_value = no_better / len(patterns) if exact else (no_better + 1) / (len(patterns) + 1)
    return fitted_row(
        interval,
        "ect",
        "ECT, Spearman's correlation",
        n=len(items),
        ideal=Ideal.at(1.0),
        p_value=p_value if len(male) > 1 else np.nan,
        effect_size=rho,
        smallest_detectable=_smallest_detectable(both, to_male, to_female, exchanged, seed),
        note=f"p from {'all' if exact else 'drawn'} {len(patterns):,} exchanges",
        source=Source("cos_male", form="correlation", against="cos_female"),
    )


def _smallest_detectable(
    both: np.ndarray, to_male: np.ndarray, to_female: np.ndarray, exchanged: np.ndarray, seed: int
) -> float:
    """NaN where there are so few exchanges that even the lowest correlation would not be significant."""
    if len(exchanged) * _ALPHA < 1 or not np.isfinite(exchanged).all():
        return np.nan
    dice = np.random.default_rng(seed)
    chosen = dice.choice(len(exchanged), min(_CHOSEN, len(exchanged)), replace=False)
    taken = np.empty(_REDRAWN)
    for i, words in enumerate(dice.integers(0, len(both), (_REDRAWN, len(both)))):
        [rho] = _agreement(both[words, 0][None], both[words, 1][None])
        cells = np.ix_(chosen, words)
        taken[i] = rho - _agreement(to_male[cells], to_female[cells]).mean()
    return float(1 - np.quantile(exchanged, _ALPHA) + norm.ppf(_POWER) * np.nanstd(taken, ddof=1))


def _agreement(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Spearman's correlation of each row of one with the same row of the other."""
    with np.errstate(invalid="ignore"):
        a, b = (rankdata(values, axis=1) - (values.shape[1] + 1) / 2 for values in (first, second))
        scale = np.sqrt(np.square(a).sum(axis=1) * np.square(b).sum(axis=1))
        return np.asarray((a * b).sum(axis=1) / scale)


def _exchanges(pairs: int, seed: int) -> tuple[np.ndarray, bool]:
    """Which pairs are exchanged; the first never is, since exchanging all of them changes nothing."""
    if 2 ** (pairs - 1) <= _EXCHANGES:
        numbers = np.arange(2 ** (pairs - 1))[:, None]
        return (numbers >> np.arange(pairs)[::-1] & 1).astype(float), True
    return np.random.default_rng(seed).integers(0, 2, (_EXCHANGES, pairs)).astype(float), False

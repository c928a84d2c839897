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
from counterpoise.data.spec import Variant
from counterpoise.data.user.files import GENDER_WORDS
from counterpoise.measures.base.catalogue import Measured, measure
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.rows import Ideal, Row, row_key
from counterpoise.measures.base.source import Source
from counterpoise.measures.vectors.common.gender_words import IDENTITY, Data, find_gendered, measured_words
from counterpoise.models.vectors import WordVectors
from counterpoise.stats.vector_association import unit_rows

_EXCHANGES = 10_000
_ALPHA, _POWER = 0.05, 0.8  # of the smallest detectable bias, as everywhere
_REDRAWN, _SOME = 200, 100  # draws of words, and exchanges looked at in each, for its standard error


@measure(
    "ect",
    needs=WordVectors,
    data="gender_words",
    ideal=Ideal.at(1.0),
    direction=Direction(
        positive="Seen from male and from female words, words without a gender stand in the same order.",
        negative="Seen from male and from female words, words without a gender stand in different orders.",
    ),
    cites="dev2019",
    identity=IDENTITY,
    accepts=(GENDER_WORDS,),
)
def ect(
    model: WordVectors,
    data: Data = None,
    *,
    variant: Variant = "corrected",
    seed: int = 0,
    allow_lost: bool = False,
) -> Measured:
    """Do words without a gender stand in the same order seen from male and from female words?

    Parameters
    ----------
    data
        Gender pairs and neutral words, or a file of them (see `counterpoise.data.read_gender_words`); Bolukbasi's pairs
        and professions if not given.
    allow_lost
        Give numbers even where more than a fifth of the pairs or of the neutral words have no vector.

    >>> import counterpoise as cp
    >>> import numpy as np
    >>> matrix = np.array([[1, 0], [0, 1], [3, 1], [1, 1], [1, 4]])
    >>> vectors = cp.models.WordVectors(["he", "she", "pilot", "judge", "nurse"], matrix)
    >>> words = cp.data.GenderWords.of([("he", "she")], ["pilot", "judge", "nurse"])
    >>> cp.measures.ect(vectors, words).overall.value.round(3).tolist()
    [-1.0]
    """
    found = find_gendered(model, data, allow_lost)
    neutral = unit_rows(found.vectors)
    items = found.words.copy()
    items["cos_male"] = neutral @ unit_rows(found.male.mean(axis=0, keepdims=True))[0]
    items["cos_female"] = neutral @ unit_rows(found.female.mean(axis=0, keepdims=True))[0]
    return measured_words(found, items, [_row(items, found.male, found.female, neutral, seed)])


def _row(items: pd.DataFrame, male: np.ndarray, female: np.ndarray, neutral: np.ndarray, seed: int) -> Row:
    both = items[["cos_male", "cos_female"]].to_numpy()
    rho = float(_agreement(both[:, :1].T, both[:, 1:].T)[0])

    def redrawn(table: pd.DataFrame) -> float:
        drawn = both[table["row"].to_numpy()]
        return float(_agreement(drawn[:, :1].T, drawn[:, 1:].T)[0])

    interval = stats.bootstrap(pd.DataFrame({"row": np.arange(len(both))}), redrawn, n=2000, seed=seed)
    patterns, exact = _exchanges(len(male), seed)
    # Where a pattern is 1 the two words of the pair change sides.
    one = unit_rows(male.sum(axis=0) + patterns @ (female - male)) @ neutral.T
    other = unit_rows(female.sum(axis=0) + patterns @ (male - female)) @ neutral.T
    exchanged = _agreement(one, other)
    no_better = int((exchanged <= rho + 1e-12).sum())
    p_value = no_better / len(patterns) if exact else (no_better + 1) / (len(patterns) + 1)
    return Row(
        key=row_key("ect"),
        level="overall",
        group="all",
        statistic="ECT, Spearman's correlation",
        value=rho,
        ideal=Ideal.at(1.0),
        n=len(items),
        clusters=len(items),
        ci_low=interval.low,
        ci_high=interval.high,
        p_value=p_value if len(male) > 1 else np.nan,
        effect_size=rho,
        smallest_detectable=_smallest_detectable(both, one, other, exchanged, seed),
        note=interval.reason or f"p from {'all' if exact else 'drawn'} {len(patterns):,} exchanges",
        source=Source("cos_male", form="correlation", against="cos_female"),
    )


def _smallest_detectable(
    both: np.ndarray, one: np.ndarray, other: np.ndarray, exchanged: np.ndarray, seed: int
) -> float:
    """NaN where there are so few exchanges that even the lowest correlation would not be significant."""
    if len(exchanged) * _ALPHA < 1 or not np.isfinite(exchanged).all():
        return np.nan
    dice = np.random.default_rng(seed)
    some = dice.choice(len(exchanged), min(_SOME, len(exchanged)), replace=False)
    taken = np.empty(_REDRAWN)
    for i, words in enumerate(dice.integers(0, len(both), (_REDRAWN, len(both)))):
        [rho] = _agreement(both[words, 0][None], both[words, 1][None])
        taken[i] = rho - _agreement(one[np.ix_(some, words)], other[np.ix_(some, words)]).mean()
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

"""Log odds of words near men and near women, with intervals from blocks of documents (Monroe et al. 2008).

    d_w = log (y_m + a_m) / (n_m + A_m - y_m - a_m)  -  log (y_f + a_f) / (n_f + A_f - y_f - a_f)

y_m and y_f: how often word w stands near male and near female words alone, n: how often any word does. The prior a is
Dirichlet: `prior` words spread as the corpus spreads them, and `smoothing` occurrences of every word, each divided
between the two sides as all text is, so that its own log odds are 0 whatever the share of women; A is its sum. Its
variance is 1 / (y_m + a_m) + 1 / (y_f + a_f) if occurrences are independent. They are not (a word comes in bursts), so
a second one is taken from blocks of documents, and the larger of the two is used:

    u_wb  = y_mb / (y_m + a_m) - y_fb / (y_f + a_f) - (n_mb / n_m - n_fb / n_f)      what block b adds to d_w
    var d = B / (B - 1) sum over blocks of u_wb²

which is the jackknife with the logarithm taken as a straight line; the plain jackknife explodes where a word stands
near one of the genders once or twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats as distributions
from scipy.optimize import brentq

Floats = NDArray[np.float64]

PRIOR = 100.0
SMOOTHING = 0.5


@dataclass(frozen=True)
class LogOdds:
    """Log odds of several words, male minus female; `influence[w, b]` is what block b adds to that of word w."""

    value: Floats
    variance: Floats
    influence: Floats
    df: int

    @property
    def standard_error(self) -> Floats:
        return np.sqrt(self.variance)

    @property
    def z(self) -> Floats:
        return self.value / self.standard_error

    @property
    def p_value(self) -> Floats:
        return np.asarray(2 * distributions.t.sf(np.abs(self.z), self.df))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        half = distributions.t.ppf((1 + level) / 2, self.df) * self.standard_error
        return self.value - half, self.value + half


def log_odds(
    near: NDArray[np.uint32] | Floats,
    around: Floats,
    n_words: int,
    prior: float = PRIOR,
    smoothing: float = SMOOTHING,
) -> LogOdds:
    """The log odds of words, from their counts (word x gender x block) and those of all words (gender x block).

    >>> near = np.full((1, 2, 4), [[[30.0], [10.0]]])
    >>> found = log_odds(near, np.full((2, 4), 1000.0), n_words=500, prior=0)
    >>> round(float(found.value[0]), 2), round(math.log((120.5 / 3880) / (40.5 / 3960)), 2)
    (1.11, 1.11)
    """
    used = around.sum(axis=0) > 0
    near, around = near[:, :, used].astype(np.float64), around[:, used]
    y, n = near.sum(axis=2), around.sum(axis=1)  # word x gender, gender
    sides = 2 * n / n.sum()
    strength = smoothing + prior * y.sum(axis=1) / n.sum()
    with_prior = y + strength[:, None] * sides
    rest = n + (smoothing * n_words + prior) * sides - with_prior
    logit = np.log(with_prior) - np.log(rest)
    added = near / with_prior[:, :, None] - around / n[:, None]
    influence = added[:, 0] - added[:, 1]
    variance = np.maximum((1 / with_prior).sum(axis=1), variance_of(influence))
    return LogOdds(logit[:, 0] - logit[:, 1], variance, influence, max(influence.shape[1] - 1, 1))


def variance_of(influence: Floats) -> Floats:
    """The variance of numbers, from what each block (the last axis) adds to them."""
    blocks = influence.shape[-1]
    centred = influence - influence.mean(axis=-1, keepdims=True)
    return np.asarray(blocks / max(blocks - 1, 1) * np.square(centred).sum(axis=-1))


@dataclass(frozen=True)
class Spread:
    """How far words are from log odds of 0, all together, less what chance adds.

    `square` is the mean of d² less its variance, unbiased and so below 0 at times; `value` is its root.
    """

    square: float
    standard_error: float  # of the square
    p_value: float
    smallest_detectable: float
    n: int
    df: int

    @property
    def value(self) -> float:
        return _root(self.square)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        half = float(distributions.t.ppf((1 + level) / 2, self.df)) * self.standard_error
        return _root(self.square - half), _root(self.square + half)


def spread(odds: LogOdds) -> Spread:
    """The root mean square of log odds.

        S² = mean over words of (d² - var d)

    Absolute values of noisy numbers are above 0 by chance alone, the more so the smaller the corpus; squares less
    their variance are not. The interval is from blocks of documents. The test is of all log odds being 0: the sum of
    d² / var d is chi² then.
    """
    square = float((np.square(odds.value) - odds.variance).mean())
    influence = (2 * odds.value[:, None] * odds.influence).mean(axis=0)
    n = len(odds.value)
    independent = float((4 * np.square(odds.value) * odds.variance).sum()) / n**2
    # The variance of a square is 4 d² v + 2 v². With d² measured, 4 d² v is too large by 4 v².
    by_chance = float((2 * np.square(odds.variance)).sum()) / n**2
    variance = max(float(variance_of(influence)), independent) - by_chance
    standard_error = math.sqrt(max(variance, by_chance))
    p_value = float(distributions.chi2.sf(float(np.square(odds.z).sum()), n))
    return Spread(square, standard_error, p_value, _smallest_detectable(odds.variance), n, odds.df)


def _smallest_detectable(variances: Floats, power: float = 0.8, alpha: float = 0.05) -> float:
    """The spread that the chi² test would show in four of five cases, all words being equally far from 0."""
    n = len(variances)
    critical = distributions.chi2.ppf(1 - alpha, n)
    beyond = brentq(lambda lean: distributions.ncx2.sf(critical, n, lean) - power, 1e-9, 100 + 10 * n)
    return math.sqrt(float(beyond) / float((1 / variances).sum()))


def _root(square: float) -> float:
    return math.sqrt(max(square, 0.0))


@dataclass(frozen=True)
class BlockShare:
    """A share of one count in two, with its standard error from blocks."""

    value: float
    standard_error: float
    df: int

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        half = float(distributions.t.ppf((1 + level) / 2, self.df)) * self.standard_error
        return max(self.value - half, 0.0), min(self.value + half, 1.0)

    @property
    def p_value(self) -> float:
        """Against one half."""
        if not self.standard_error:
            return math.nan
        return float(2 * distributions.t.sf(abs(self.value - 0.5) / self.standard_error, self.df))


def block_share(first: Floats, second: Floats) -> BlockShare:
    """The share of the first count in both, from counts by block.

    >>> found = block_share(np.array([3.0, 5.0, 4.0]), np.array([1.0, 1.0, 2.0]))
    >>> found.value
    0.75
    """
    both = first + second
    first, both = first[both > 0], both[both > 0]
    value = float(first.sum() / both.sum())
    influence = (first - value * both) / both.sum()
    return BlockShare(value, math.sqrt(float(variance_of(influence))), max(len(both) - 1, 1))


@dataclass(frozen=True)
class GenBit:
    """Scores in the way of GenBit (Sengupta et al. 2021); `score` is the one it is named for."""

    score: float
    conditional: float
    ratio_absolute: float
    ratio: float
    n_words: int


def genbit(pairs: Floats, percentile: float = 80.0) -> GenBit:
    """From co-occurrences c[w, g] (word x gender): the mean of |log p(w | male) / p(w | female)|.

    As in GenBit, 1 is added to every count, p(w | g) = c[w, g] / c[., g], and words below the 80th percentile of
    co-occurrences are left out. Nothing is subtracted for chance, so that a small corpus scores higher.

    >>> found = genbit(np.array([[3.0, 1.0], [1.0, 3.0]]), percentile=0)
    >>> round(found.score, 3), found.conditional
    (0.693, 0.0)
    """
    counts = pairs[pairs.any(axis=1)] + 1
    kept = counts.sum(axis=1) >= np.percentile(counts.sum(axis=1), percentile)
    ratio = np.log(counts[kept, 0]) - np.log(counts[kept, 1])
    conditional = ratio - math.log(counts[:, 0].sum() / counts[:, 1].sum())
    return GenBit(
        float(np.abs(conditional).mean()),
        float(conditional.mean()),
        float(np.abs(ratio).mean()),
        float(ratio.mean()),
        int(kept.sum()),
    )

"""Bias by neighbours (Gonen & Goldberg 2019).

    bias by projection of w   cos(w, he - she)
    bias by neighbours of w   share of the k nearest words of w that lean male by projection
    clustering accuracy       how well two clusters of the most biased words agree with their gender

Gonen and Goldberg's point is what remains after debiasing: a vector may have lost its component on he - she and still
lie among words of the same gender. So which words lean male is taken from the vectors before debiasing (`original`),
and neighbours and clusters from the vectors at hand.

Three numbers: the mean bias by neighbours of the professions (ideal: as in the vocabulary as a whole), its
correlation with their bias by projection (0 if nothing is left), and the accuracy with which two clusters (k-means) of
the most male and most female words tell the two apart (50 % if nothing is left). Words that have a gender of their own
are left out of neighbours and clusters.

The p of the last two: after debiasing, how often words with the genders dealt out anew would give as much. Before it,
words are chosen by a direction that is still in the vectors, and any direction gives a high correlation and clear
clusters, even in vectors of pure noise. There p is how often the difference of two random words of the vocabulary gives
as much in the place of he - she: it asks whether gender is special, not whether the number is above its ideal.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.cluster.vq import kmeans2
from scipy.stats import fisher_exact, pearsonr

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.measures.base.catalogue import Measured
from counterpoise.measures.base.result import GENDERS, Direction
from counterpoise.measures.base.row_builders import correlation_row, row_of_means, row_of_share
from counterpoise.measures.base.rows import ZERO, Ideal, Place, Row
from counterpoise.measures.base.source import Source
from counterpoise.measures.base.units import SHARE
from counterpoise.measures.vectors.common.gender_words import (
    AllowLostPairs,
    GenderWordsData,
    find_gender_words,
    gender_words_measure,
    measured_words,
)
from counterpoise.models.vectors import WordVectors
from counterpoise.stats.vector_association import unit_rows
from counterpoise.text.terms import load as load_terms

_VOCABULARY = 50_000  # words, the most frequent ones where a file is sorted as usual
_STARTS = 5  # of k-means, of which the tightest counts
_RANDOM_PAIRS = 99  # of words, whose difference stands in the place of he - she


@gender_words_measure(
    "neighbours",
    label="Gender among nearest neighbours",
    units={"share_male": SHARE},
    ideal=ZERO,
    direction=Direction(
        "More of the words near professions lean male than in the vocabulary as a whole.",
        "More of the words near professions lean female than in the vocabulary as a whole.",
        GENDERS,
    ),
    directions={
        "correlation": Direction(
            "Words that lean towards a gender lie among words of that gender.",
            "Words that lean towards a gender lie among words of the other gender.",
        ),
        "cluster_accuracy": Direction(
            "The words that lean most towards either gender form two clusters by gender.",
            "The words that lean most towards either gender form clusters unrelated to gender.",
        ),
    },
    cites="gonen2019",
)
def neighbours(
    model: WordVectors,
    data: GenderWordsData = None,
    *,
    seed: int = 0,
    original: WordVectors | str | Path | None = None,
    k: Annotated[int, Field(ge=1)] = 100,
    n_biased: Annotated[int, Field(ge=1)] = 500,
    allow_lost: AllowLostPairs = False,
) -> Measured:
    """Do words without a gender lie among words of one gender?

    Parameters
    ----------
    data
        The first pair that is he and she, else the first, gives the projection.
    original
        The vectors before they were debiased, or their file: they say which words lean male. The model itself if not
        given.
    k
        Neighbours of each word.
    n_biased
        Words of each gender that are clustered, the most biased ones.

    >>> import counterpoise as cp
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> words = ["he", "she", "pilot", "nurse", *(f"m{i}" for i in range(20)), *(f"f{i}" for i in range(20))]
    >>> matrix = np.repeat([[1, 0], [-1, 0], [1, 0], [-1, 0], [1, 0], [-1, 0]], [1, 1, 1, 1, 20, 20], axis=0)
    >>> vectors = cp.models.WordVectors(words, matrix + rng.normal(0, 0.1, matrix.shape))
    >>> pair = cp.data.GenderWords.of([("he", "she")], ["pilot", "nurse"])
    >>> cp.measures.neighbours(vectors, pair, k=5, n_biased=10).items.share_male.tolist()
    [1.0, 0.0]
    """
    if isinstance(original, str | Path):
        original = WordVectors.open(original)
    original = model if original is None else original
    gender_words = find_gender_words(model, data, allow_lost)
    words, space, lean = _vocabulary(model, original, gender_words.pairs)
    notes = _small(len(words), k, n_biased)
    k, n_biased = min(k, len(words) // 2), min(n_biased, len(words) // 4)

    vectors = unit_rows(gender_words.vectors)
    nearest = _nearest(vectors, gender_words.words.found_as.tolist(), words, space, k)
    items = gender_words.words.copy()
    items["projection"] = _lean(original, items.word.tolist(), _he_she(gender_words.pairs))
    items["share_male"] = _share_male(lean, nearest)
    rows = [
        _share_row(items, lean, k),
        _correlation_row(items, k, seed),
        _cluster_row(*_clusters(space, lean, n_biased, seed)),
    ]
    if original is model or np.array_equal(original.lookup(words), model.lookup(words)):
        rows[1:] = _against_random_pairs(rows[1:], vectors, nearest, space, n_biased, seed)
    return measured_words(gender_words, items, rows, warnings=notes)


def _he_she(pairs: tuple[tuple[str, str], ...]) -> tuple[str, str]:
    return ("he", "she") if ("he", "she") in pairs else pairs[0]


def _lean(vectors: WordVectors, words: list[str], pair: tuple[str, str]) -> np.ndarray:
    """Bias by projection: the cosine with the difference of the pair, positive towards male."""
    he, she = unit_rows(vectors.lookup(pair).astype(np.float64))
    direction = (he - she) / np.linalg.norm(he - she)
    return np.asarray(unit_rows(vectors.lookup(words).astype(np.float64)) @ direction)


def _vocabulary(
    model: WordVectors, original: WordVectors, pairs: tuple[tuple[str, str], ...]
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The words that may be neighbours, their vectors of length 1, and how male each was."""
    terms = [(term.male, term.female) for term in load_terms("all").terms]
    gendered = {word.lower() for both in (*terms, *pairs) for word in both}
    words = [
        word
        for word in model.words[:_VOCABULARY]
        if word.lower() not in gendered and original.key(word) is not None
    ]
    unusable = zip(model.problems(words), original.problems(words), strict=True)
    words = [word for word, problems in zip(words, unusable, strict=True) if problems == (None, None)]
    if len(words) < 8:
        raise DataError(
            f"{model.name} has {len(words)} words without a gender of their own, too few to compare"
        )
    return words, unit_rows(model.lookup(words).astype(np.float64)), _lean(original, words, _he_she(pairs))


def _small(size: int, k: int, n_biased: int) -> list[str]:
    """What a vocabulary that is too small for k neighbours and n_biased words is measured with instead."""
    cut = [f"{name} {most} instead of {asked}" for name, asked, most in
           (("k", k, size // 2), ("n_biased", n_biased, size // 4)) if asked > most]  # fmt: skip
    return [f"there are only {size} words without a gender of their own: {' and '.join(cut)}"] if cut else []


def _nearest(vectors: np.ndarray, keys: list[str], words: list[str], space: np.ndarray, k: int) -> np.ndarray:
    """Which rows of the vocabulary are the k nearest of each word, as an array (words, k)."""
    rows = {word: row for row, word in enumerate(words)}
    nearest = np.empty((len(keys), k), dtype=int)
    for i, key in enumerate(keys):
        cosines = space @ vectors[i]
        if key in rows:
            cosines[rows[key]] = -np.inf  # no word is its own neighbour
        nearest[i] = np.argpartition(-cosines, k - 1)[:k]
    return nearest


def _share_male(lean: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    return np.asarray((lean[nearest] > 0).mean(axis=1))


def _clusters(space: np.ndarray, lean: np.ndarray, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The gender of the most biased words (male: True), and the cluster of each."""
    order = np.argsort(lean, kind="stable")
    chosen = np.concatenate([order[-count:], order[:count]])
    best, tightest = np.zeros(len(chosen), dtype=int), np.inf
    for start in np.random.SeedSequence(seed).spawn(_STARTS):
        centres, labels = kmeans2(
            space[chosen], 2, minit="++", seed=np.random.default_rng(start), missing="warn"
        )
        spread = float(np.square(space[chosen] - centres[labels]).sum())
        if spread < tightest:
            best, tightest = labels, spread
    return np.arange(2 * count) < count, best == 1


def _share_row(items: pd.DataFrame, lean: np.ndarray, k: int) -> Row:
    """Against the share of the whole vocabulary that leans male, which is what chance would give."""
    usual = 100 * float((lean > 0).mean())
    row = row_of_means(
        (100 * items.share_male - usual).to_numpy(),
        "share_male",
        f"% male-biased among {k} nearest",
        n=len(items),
        ideal=Ideal.at(round(usual, 1), "%"),
        source=Source("share_male", form="figure"),  # beside an ideal that differs between models
    )
    return replace(row, value=row.value + usual, ci_low=row.ci_low + usual, ci_high=row.ci_high + usual)


def _correlation_row(items: pd.DataFrame, k: int, seed: int) -> Row:
    row = correlation_row(
        items.projection,
        items.share_male,
        "correlation",
        f"correlation of projection and {k} nearest",
        kind="pearson",
        source=Source("share_male", form="correlation", against="projection"),
    )
    tested = stats.correlation_test(
        items.projection.to_numpy(), items.share_male.to_numpy(), n=10_000, seed=seed
    )
    return replace(row, p_value=tested.p_value)


def _cluster_row(male: np.ndarray, cluster: np.ndarray) -> Row:
    table = [[int((cluster & male).sum()), int((~cluster & male).sum())],
             [int((cluster & ~male).sum()), int((~cluster & ~male).sum())]]  # fmt: skip
    row = row_of_share(
        pd.Series(np.where(_agree(male, cluster), 1.0, -1.0)),
        "cluster_accuracy",
        "% of words in the cluster of their gender",
        at=Place("overall", f"{len(male) // 2} most biased words of each gender"),
    )
    # Exact: genders dealt out anew to the words, with the clusters as they are.
    return replace(row, p_value=float(fisher_exact(np.array(table)).pvalue))


def _agree(male: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """Which words are in the cluster of their gender: which of the two that is, the majority says."""
    same: np.ndarray = cluster == male
    return same if same.mean() >= 0.5 else ~same


def _against_random_pairs(
    rows: list[Row], vectors: np.ndarray, nearest: np.ndarray, space: np.ndarray, n_biased: int, seed: int
) -> list[Row]:
    """Correlation and clusters with p: how often two random words in the place of he and she give as much."""
    dice, by_chance = np.random.default_rng(seed), []
    for _ in range(_RANDOM_PAIRS):
        first, second = space[dice.choice(len(space), 2, replace=False)]
        lean = space @ (first - second)
        shares, projections = _share_male(lean, nearest), vectors @ (first - second)
        constant = min(np.ptp(shares), np.ptp(projections)) == 0
        correlation = 0.0 if len(shares) < 2 or constant else float(pearsonr(projections, shares).statistic)
        by_chance.append((correlation, 100 * _agree(*_clusters(space, lean, n_biased, seed)).mean()))
    as_much = (np.array(by_chance) >= [[row.value - 1e-12 for row in rows]]).sum(axis=0)
    note = f"p from {_RANDOM_PAIRS} random pairs of words"
    return [
        replace(row, p_value=float((count + 1) / (_RANDOM_PAIRS + 1)), note=row.note or note)
        if np.isfinite(row.value)
        else row
        for row, count in zip(rows, as_much, strict=True)
    ]

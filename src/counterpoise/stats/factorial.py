"""Contrasts of kinds of items, where runs and items were both drawn: kinds of names, each written into every text.

    value[t, j] = mean of j's cell + text t + (text t, cell) + item j + rest
    contrast    = sum over cells c of  w_c * mean over items j of c of  mean over texts t of value[t, j]

Every text has every item, and every item lies in one cell, such as a gender and a group of names. The variance of the
contrast is that over texts plus that over the items of each cell, less the rest, which both contain:

    Var_texts = variance over t of (sum of w_c * mean of t's values in c) / T
    Var_items = sum of w_c^2 * variance over j of c of (mean of j) / n_c
    Var_rest  = sum of w_c^2 * MS_rest,c / (T n_c)

With one cell of weight 1 this is `crossed_t`; the degrees of freedom are Satterthwaite's, as there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from counterpoise.core.errors import InputError
from counterpoise.stats.clusters import ClusterT
from counterpoise.stats.inputs import FloatArray, Labels, finite_values, fraction, label_codes, same_length


def crossed_contrast(
    values: ArrayLike, cells: Labels, weights: Mapping[Any, float], level: float = 0.95
) -> ClusterT:
    """A weighted sum of the means of cells, from a table with a row per text and a column per item.

    `cells` names the cell of each column, `weights` the weight of each cell; columns of other cells are left out. A
    cell needs two items. `n_clusters` counts the fewer of texts and items.

    >>> table = [[1.0, 3.0, 0.0, 2.0], [2.0, 4.0, 1.5, 2.0], [3.0, 5.5, 1.0, 2.0]]
    >>> fit = crossed_contrast(table, ["x", "x", "y", "y"], {"x": 1.0, "y": -1.0})
    >>> round(fit.value, 3), round(fit.low, 2), round(fit.high, 2), fit.n_clusters
    (1.667, -4.02, 7.35, 3)
    """
    table = finite_values(values, ndim=2)
    fraction(level, "level")
    same_length(len(cells), table.shape[1], ("cells", "the columns of values"))
    codes, names = label_codes(cells, len(cells), "cells"), list(dict.fromkeys(cells))
    if missing := [cell for cell in weights if cell not in names]:
        raise InputError(f"no column is in the cell {missing[0]!r}")
    parts = [
        (weight, table[:, codes == names.index(cell)]) for cell, weight in weights.items() if weight != 0
    ]
    if not parts:
        raise InputError("no cell has a weight other than 0")
    texts, items = len(table), sum(part.shape[1] for _, part in parts)
    by_text: FloatArray = sum((weight * part.mean(axis=1) for weight, part in parts), np.zeros(texts))
    value = float(by_text.mean())

    def without(reason: str, standard_error: float = math.nan) -> ClusterT:
        nan = math.nan
        return ClusterT(
            value, nan, nan, standard_error, nan, nan, nan, texts * items, min(texts, items), level, reason
        )

    if min(part.shape[1] for _, part in parts) == 1:
        return without("one item only in a cell")
    terms = _variances(parts, by_text)
    of_texts, of_items, of_rest = (sum(variance for variance, _ in source) for source in terms)
    # Estimated variances can come out below 0; neither source may take away from the other.
    spread = max(of_texts + of_items - of_rest, of_texts, of_items)
    if spread <= 1e-24 * float(np.square(table).max()):
        return without("all values of a cell are equal", standard_error=0.0)
    fewest = min(_satterthwaite(terms[1], of_items), texts - 1 if texts > 1 else math.inf)
    df = max(_satterthwaite([term for source in terms for term in source], spread), fewest)
    standard_error = math.sqrt(spread)
    t = value / standard_error
    half = float(stats.t.ppf((1 + level) / 2, df)) * standard_error
    p_value = float(2 * stats.t.sf(abs(t), df))
    n, fewer = texts * items, min(texts, items)
    return ClusterT(value, value - half, value + half, standard_error, t, df, p_value, n, fewer, level)


Terms = list[tuple[float, int]]  # variances, each with its degrees of freedom


def _variances(parts: list[tuple[float, FloatArray]], by_text: FloatArray) -> tuple[Terms, Terms, Terms]:
    """The variance of the contrast that comes from texts, from items, and from the rest."""
    texts = len(by_text)
    of_texts: Terms = [(float(by_text.var(ddof=1)) / texts, texts - 1)] if texts > 1 else []
    of_items: Terms = []
    of_rest: Terms = []
    for weight, part in parts:
        n = part.shape[1]
        by_item = part.mean(axis=0)
        of_items.append((weight**2 * float(by_item.var(ddof=1)) / n, n - 1))
        if texts > 1:
            rest = part - part.mean(axis=1, keepdims=True) - by_item + part.mean()
            freedom = (texts - 1) * (n - 1)
            of_rest.append((weight**2 * float(np.square(rest).sum()) / freedom / (texts * n), freedom))
    return of_texts, of_items, of_rest


def _satterthwaite(terms: Terms, total: float) -> float:
    """The degrees of freedom of a sum of variances; those of the one with the fewest where all are 0."""
    spread = sum(variance**2 / freedom for variance, freedom in terms)
    return total**2 / spread if spread > 0 else float(min(freedom for _, freedom in terms))

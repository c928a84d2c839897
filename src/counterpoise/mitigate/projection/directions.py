"""How a direction is found: from one pair, from many, from two sets, or by classifiers until nothing tells them apart.

Vectors in, a basis out: rows that are orthogonal and of length 1. What is done with it is in `projections`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import FloatArray, finite_values
from counterpoise.stats.vector_association import unit_rows

_HELD_OUT = 0.3
_PATIENCE = 3
_PENALTY = 1e-3  # on the weights of the classifier, so that it exists where the classes are separable


def from_pair(male: ArrayLike, female: ArrayLike) -> FloatArray:
    """The difference of two vectors (he - she), as a basis of one row.

    >>> from_pair([3, 0], [1, 0]).tolist()
    [[1.0, 0.0]]
    """
    difference = finite_values(male, "male") - finite_values(female, "female")
    return unit_rows(difference[None, :], "the difference of the pair")


def from_pairs(male: ArrayLike, female: ArrayLike, components: int = 1) -> FloatArray:
    """The first principal components of pairs, row i of both being a pair (Bolukbasi 2016).

    >>> abs(from_pairs([[2, 0.1], [3, 0]], [[0, 0], [0, 0]])).round(2).tolist()
    [[1.0, 0.02]]
    """
    differences = finite_values(male, "male", ndim=2) - finite_values(female, "female", ndim=2)
    _, sizes, axes = np.linalg.svd(differences, full_matrices=False)
    rank = int((sizes > sizes[0] * 1e-10).sum()) if sizes[0] > 0 else 0
    if not 1 <= components <= rank:
        raise InputError(f"{len(differences)} pairs give {rank} components, not {components}")
    # Towards the male side, as everywhere.
    turns = np.where((differences @ axes[:components].T).sum(axis=0) < 0, -1.0, 1.0)
    basis: FloatArray = axes[:components] * turns[:, None]
    return basis


def from_means(male: ArrayLike, female: ArrayLike) -> FloatArray:
    """The difference of the means of two sets, which need not be of one size.

    >>> from_means([[2, 1], [4, -1]], [[1, 0]]).tolist()
    [[1.0, 0.0]]
    """
    male, female = finite_values(male, "male", ndim=2), finite_values(female, "female", ndim=2)
    return from_pair(male.mean(axis=0), female.mean(axis=0))


def from_spread(vectors: ArrayLike) -> FloatArray:
    """The first principal component of one set (professions, say), as a basis of one row.

    >>> abs(from_spread([[1, 7], [2, 7], [5, 7]])).tolist()
    [[1.0, 0.0]]
    """
    vectors = finite_values(vectors, "vectors", ndim=2)
    if len(vectors) < 2 or not np.ptp(vectors, axis=0).any():
        raise InputError("one set of vectors gives a direction only if it has two that differ")
    _, _, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    basis: FloatArray = axes[:1]
    return basis


def from_classifiers(
    vectors: ArrayLike, labels: ArrayLike, iterations: int = 35, seed: int = 0
) -> FloatArray:
    """Iterative nullspace projection (Ravfogel et al. 2020): the directions that linear classifiers use, one by one.

    A classifier is trained, its direction taken out of the vectors, the next one trained on what is left, until on
    held-out rows (three of ten) three in a row do no better than always saying the commoner label, or after
    `iterations`. One would be too few: by luck alone a classifier misses now and then.

    >>> vectors = np.random.default_rng(0).normal(size=(200, 3))
    >>> bool(abs(from_classifiers(vectors, vectors[:, 1] > 0)[0, 1]) > 0.98)
    True
    """
    left = finite_values(vectors, "vectors", ndim=2).copy()
    classes, codes = np.unique(np.asarray(labels), return_inverse=True)
    if len(classes) != 2 or len(codes) != len(left):
        raise InputError(
            f"{len(left)} vectors need labels of two kinds, found {len(codes)} of {len(classes)}"
        )
    order = np.random.default_rng(seed).permutation(len(left))
    held_out, train = np.split(order, [max(1, int(_HELD_OUT * len(left)))])
    chance, at_chance = max(codes[held_out].mean(), 1 - codes[held_out].mean()), 0
    basis = np.zeros((0, left.shape[1]))
    for _ in range(min(iterations, left.shape[1])):
        weights, bias = fit_classifier(left[train], codes[train])
        right = ((left[held_out] @ weights + bias > 0) == (codes[held_out] == 1)).mean()
        at_chance = at_chance + 1 if right <= chance else 0
        if at_chance == _PATIENCE:
            break
        # Rounding brings a little of the old directions back.
        direction = weights - basis.T @ (basis @ weights)
        if np.linalg.norm(direction) < 1e-10:
            break
        basis = np.concatenate([basis, direction[None, :] / np.linalg.norm(direction)])
        left = left - np.outer(left @ basis[-1], basis[-1])
    return basis


def fit_classifier(vectors: FloatArray, labels: np.ndarray) -> tuple[FloatArray, float]:
    """Logistic regression with a small ridge penalty: weights and bias of label 1 against label 0.

    >>> weights, bias = fit_classifier(np.array([[1.0], [2.0], [-1.0], [-2.0]]), np.array([1, 1, 0, 0]))
    >>> bool(weights[0] > 0), abs(round(bias, 3))
    (True, 0.0)
    """
    signs = np.where(labels == 1, 1.0, -1.0)
    # One scale for all numbers, so that the penalty means the same whatever the length of the vectors.
    scale = float(np.sqrt(np.square(vectors).mean())) or 1.0
    scaled = vectors / scale

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        weights, bias = parameters[:-1], parameters[-1]
        margins = signs * (scaled @ weights + bias)
        pull = -signs * expit(-margins) / len(signs)
        value = -log_expit(margins).mean() + _PENALTY * float(weights @ weights) / 2
        return float(value), np.append(scaled.T @ pull + _PENALTY * weights, pull.sum())

    weights = minimize(loss, np.zeros(vectors.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return weights[:-1] / scale, float(weights[-1])

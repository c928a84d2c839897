"""Directions in a vector space, from pairs of vectors that differ in one thing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from counterpoise.core.errors import InputError
from counterpoise.stats.inputs import FloatArray, finite_values


@dataclass(frozen=True)
class PrincipalDirection:
    """A vector of length 1, and the share of the pairs' squared differences that lies on it."""

    vector: FloatArray
    explained: float


def principal_direction(first: ArrayLike, second: ArrayLike) -> PrincipalDirection:
    """The first principal component of pairs, row i of both being a pair; it points from `second` to `first`.

    As Bolukbasi (2016) has it, each pair is centred at its own mean, so that the components are those of the plain
    differences (Ethayarajh 2019); one pair gives its difference.

    >>> direction = principal_direction([[2, 0.1], [3, 0]], [[0, 0], [0, 0]])
    >>> direction.vector.round(2).tolist(), round(direction.explained, 3)
    ([1.0, 0.02], 0.999)
    """
    first, second = finite_values(first, "first", ndim=2), finite_values(second, "second", ndim=2)
    if first.shape != second.shape:
        raise InputError(f"pairs need as many rows on both sides, found {first.shape} and {second.shape}")
    differences = first - second
    if not differences.any():
        raise InputError("the two rows of every pair are the same, so there is no direction between them")
    _, sizes, axes = np.linalg.svd(differences, full_matrices=False)
    # The sign of a component is arbitrary; the mean difference settles it.
    sign = -1.0 if float((differences @ axes[0]).sum()) < 0 else 1.0
    return PrincipalDirection(sign * axes[0], float(sizes[0] ** 2 / np.square(sizes).sum()))

"""What every function in this package requires of its input.

Input that cannot make sense (NaN, nothing at all, unequal lengths, an unknown option) is an `InputError`. A sample
that is possible but uninformative (all ties, one cluster) is left to the functions: their result carries NaN and a
`reason`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from counterpoise.core.errors import InputError, unknown

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Labels: TypeAlias = "Sequence[Any] | NDArray[Any] | pd.Series[Any] | pd.Index[Any]"
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

ALTERNATIVES = ("two-sided", "greater", "less")
LARGEST = 1e100  # the cube of a larger number, or the sum of many, may not be a number any more


def finite_values(values: ArrayLike, name: str = "values", ndim: int = 1) -> FloatArray:
    """The values as an array of finite numbers, at least one, none beyond `LARGEST`.

    >>> finite_values([1, 2])
    array([1., 2.])
    >>> finite_values([1.0, float("nan")], "x")
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: x holds 1 value that is NaN or infinite (the first at position 1)
    """
    array = numeric_values(values, name, ndim)
    if array.size == 0:
        raise InputError(f"{name} is empty")
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        subject = "1 value that is" if len(bad) == 1 else f"{len(bad)} values that are"
        raise InputError(f"{name} holds {subject} NaN or infinite (the first at position {bad[0]})")
    if np.abs(array).max() > LARGEST:
        raise InputError(
            f"{name} holds numbers beyond {LARGEST:g}, which cannot be squared and summed; rescale them"
        )
    return array


def numeric_values(values: ArrayLike, name: str, ndim: int = 1) -> FloatArray:
    """The values as an array of numbers, NaN allowed."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        shown = " ".join(repr(values).split())
        raise InputError(f"{name} must be numbers, found {shown:.60}") from None
    if array.ndim != ndim:
        raise InputError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, found {array.ndim}")
    return array


def paired_values(
    x: ArrayLike, y: ArrayLike, names: tuple[str, str] = ("x", "y")
) -> tuple[FloatArray, FloatArray]:
    """Two arrays of finite numbers of one length."""
    first, second = finite_values(x, names[0]), finite_values(y, names[1])
    same_length(len(first), len(second), names)
    return first, second


def same_length(first: int, second: int, names: tuple[str, str]) -> None:
    if first != second:
        raise InputError(f"{names[0]} and {names[1]} must be of one length, found {first} and {second}")


def label_codes(labels: Labels | None, n: int, name: str = "clusters", of: str = "values") -> IntArray:
    """Each row's label as a number 0, 1, ... in order of appearance; without labels each row is its own.

    >>> label_codes(["nurse", "judge", "nurse"], 3)
    array([0, 1, 0])
    """
    if labels is None:
        return np.arange(n)
    if np.ndim(labels) != 1:
        raise InputError(f"{name} must be one label per row, found {np.ndim(labels)} dimensions")
    same_length(len(labels), n, (name, of))
    codes, _ = pd.factorize(np.asarray(labels))
    if (codes < 0).any():
        raise InputError(f"{name} holds {int((codes < 0).sum())} missing labels")
    return codes.astype(np.int64)


def one_of(kind: str, value: str, options: Sequence[str]) -> None:
    if value not in options:
        raise unknown(kind, value, options)


def fraction(value: float, name: str) -> float:
    """A number strictly between 0 and 1: a level, a power, an alpha."""
    if not 0 < value < 1:
        raise InputError(f"{name} must lie between 0 and 1, found {value}")
    return float(value)


def positive(value: int, name: str) -> int:
    if value < 1:
        raise InputError(f"{name} must be at least 1, found {value}")
    return int(value)

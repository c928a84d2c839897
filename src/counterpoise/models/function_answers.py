"""What functions from elsewhere answer: called with care, and checked before anything is computed of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from counterpoise.core.errors import CounterpoiseError, FunctionError, ModelError, in_one_line


def function_name(function: Callable[..., Any], name: str | None) -> str:
    """What a function is called in results and errors."""
    return str(name or getattr(function, "__name__", type(function).__name__))


def answer_of(function: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """What a function returns; one line about the error that it raises."""
    try:
        return function(*arguments)
    except CounterpoiseError:
        raise
    except Exception as error:  # whatever somebody else's code can raise
        raise FunctionError(f"{name} raised an error: {in_one_line(error)}") from error


def numbers_of(answer: Any, name: str, shape: tuple[int, ...], wanted: str, noun: str) -> np.ndarray:
    """An answer as an array of the right shape; `wanted` and `noun` are for errors.

    >>> numbers_of([0.5], "half", (2,), "a number for each", "text")
    Traceback (most recent call last):
    counterpoise.core.errors.ModelError: half was given 2 texts and returned an array of shape (1,), not a number for \
each
    """
    try:
        values = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{name} must return {wanted} {noun}, not {answer!r:.80}") from None
    if values.shape != shape:
        raise ModelError(
            f"{name} was given {shape[0]} {noun}s and returned an array of shape {values.shape}, not {wanted}"
        )
    return values


def first_not_finite(values: np.ndarray) -> int | None:
    """The first row with a value that is no number, if there is one.

    >>> first_not_finite(np.array([[0.5, 0.5], [0.5, np.nan]]))
    1
    """
    broken = ~np.isfinite(values.reshape(len(values), -1)).all(axis=1)
    return int(broken.argmax()) if broken.any() else None

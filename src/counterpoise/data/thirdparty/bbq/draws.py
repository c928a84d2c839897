"""What is drawn where BBQ's templates leave a choice: people, words, wordings of "unknown", orders of options."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from counterpoise.core.errors import DataError

T = TypeVar("T")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"  # a recorded draw is one of these


class Draws(Protocol):
    """Where whole numbers come from."""

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""


class SeededDraws:
    """Draws that a seed decides."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, n: int) -> int:
        return self._random.randrange(n)


class RecordedDraws:
    """Draws that were made before, such as the authors' own.

    >>> draws = RecordedDraws("21")
    >>> choose(draws, ["center", "office", "building"]), choose(draws, ["therapist", "counselor"])
    ('building', 'counselor')
    """

    def __init__(self, digits: Iterable[str]) -> None:
        self._digits = iter(digits)

    def below(self, n: int) -> int:
        digit = next(self._digits, None)
        if digit is None or digit not in DIGITS[:n]:
            raise DataError(f"the recorded draws do not fit the templates ({digit!r} of {n})")
        return DIGITS.index(digit)


def choose(draws: Draws, options: Sequence[T]) -> T:
    """One of the options."""
    return options[draws.below(len(options))]


def sample(draws: Draws, options: Sequence[T], n: int) -> list[T]:
    """n of the options, each at most once, in the order in which they are drawn."""
    left = list(options)
    if len(left) < n:
        raise DataError(
            f"{n} names or groups are to be drawn of {len(left)}: {', '.join(map(str, left)) or 'none'}"
        )
    return [left.pop(draws.below(len(left))) for _ in range(n)]

"""How a measured number compares with the printed one, as data: what scorecards count and charts draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

P_VALUE = "p-value"  # the kind of numbers that may be many orders of magnitude apart and mean the same


class Agreement(str, Enum):
    """The verdict on a measured number; its value is the word that stands in tables. The best one comes first."""

    REPRODUCED = "reproduced"  # the printed number
    AGREES = "agrees"  # the printed number, but of another model or training
    DIFFERS = "differs"
    NOT_REPRODUCIBLE = "not reproducible"  # nothing was measured in its place
    NOT_PRINTED = "not printed"  # measured, and nothing to hold it against


@dataclass(frozen=True)
class ComparedNumber:
    """A number of the paper and what was measured in its place.

    name: the same for all numbers that were measured in place of a printed one (by variant, by seed). kind: what sort
    of number it is; numbers of one kind have one scale.
    """

    name: str
    kind: str
    published: float | None
    measured: float | None
    agreement: Agreement

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> ComparedNumber:
        """
        >>> ComparedNumber.read({"name": "r", "kind": "r", "published": 0.4, "measured": None,
        ...                      "agreement": "not reproducible"}).agreement.name
        'NOT_REPRODUCIBLE'
        """
        return cls(**{**fields, "agreement": Agreement(fields["agreement"])})


def count_numbers(numbers: Iterable[ComparedNumber]) -> dict[Agreement, int]:
    """How many numbers have each verdict; one that was measured in several ways has the best of their verdicts.

    >>> numbers = [ComparedNumber("r", "r", 0.4, value, agreement) for value, agreement in
    ...            [(0.5, Agreement.DIFFERS), (0.4, Agreement.REPRODUCED)]]
    >>> count_numbers(numbers)[Agreement.REPRODUCED], count_numbers(numbers)[Agreement.DIFFERS]
    (1, 0)
    """
    order = list(Agreement)
    best: dict[str, Agreement] = {}
    for number in numbers:
        best[number.name] = min(best.get(number.name, number.agreement), number.agreement, key=order.index)
    return {agreement: list(best.values()).count(agreement) for agreement in order}

"""Items that cannot be measured, and the reason for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from counterpoise.core.errors import DataError
from counterpoise.measures.base.sampling import STRATA, sampled

SKIPPED_COLUMNS = ["item", "reason"]


def skipped_table(items: Sequence[str], reasons: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(
        {"item": list(items), "reason": list(reasons)}, columns=SKIPPED_COLUMNS, dtype="object"
    )


def skipped_items(reasons: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """The table of items that come with their reasons.

    >>> skipped_items([("nurze", "is not in the vocabulary")]).values.tolist()
    [['nurze', 'is not in the vocabulary']]
    """
    pairs = list(reasons)
    return skipped_table([item for item, _ in pairs], [reason for _, reason in pairs])


def keep_scorable(
    items: pd.DataFrame,
    problems: Sequence[str | None],
    label: str,
    *,
    together: Sequence[str] = (),
    strata: Sequence[str] = STRATA,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Splits items into those without a problem and a table of the skipped ones; nothing left is an error.

    Where the number of items is limited, those without a problem are sampled, balanced over the columns `strata`; items
    that share the columns `together` stay together.
    """
    bad = np.array([problem is not None for problem in problems], dtype=bool)
    names = [_name(name, row) for row, name in enumerate(items[label], start=1)]
    skipped = skipped_table(
        [name for name, problem in zip(names, problems, strict=True) if problem is not None],
        [problem for problem in problems if problem is not None],
    )
    if bad.all():
        raise DataError(f"nothing is left to measure: all {len(items)} items were skipped ({problems[0]})")
    return sampled(items[~bad], together, strata).reset_index(drop=True), skipped


def _name(label: object, row: int) -> str:
    """An item without a name is named by its row."""
    return label if isinstance(label, str) and label.strip() else f"row {row}"

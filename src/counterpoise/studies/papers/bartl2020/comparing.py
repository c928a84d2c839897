"""Rows that set a measured number, with its interval and test, beside the printed one."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.studies.replication.comparison import not_measured, number, with_columns
from counterpoise.studies.replication.findings import Value, compared

MEASURED = (
    "number", "variant", "recipe", "published", "measured", "from", "to", "p", "effect size", "smallest visible", "n",
    "verdict",
)  # fmt: skip
PAPERS_MODEL = "bert-base-uncased"
PAPERS_GERMAN_MODEL = "dbmdz/bert-base-german-cased"
TOLERANCE = 0.005  # two decimals are printed
_READ = (
    "model", "german", "language", "variant", "recipe", "seed", "group", "person", "profession", "statistic", "key",
    "value", "ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable", "n", "original", "authors",
    "substitution",
)  # fmt: skip


def whole(table: pd.DataFrame) -> pd.DataFrame:
    """The study's table with all columns that the page reads.

    >>> list(whole(pd.DataFrame({"step": ["swap"], "value": [0.5]})).statistic)
    [None]
    """
    return with_columns(table, ("step", *_READ))


def rows_of(table: pd.DataFrame) -> list[Any]:
    """The rows of the study's table, with its columns as attributes."""
    return list(table.itertuples())


def measured(
    what: str, row: Any, published: float | None, reason: str = "", tolerance: float = TOLERANCE
) -> list[Value]:
    """A row of a table with the columns `MEASURED`, from a row of the study's table; `reason`: why they may differ.

    >>> from types import SimpleNamespace
    >>> row = SimpleNamespace(value=-0.3, ci_low=-0.5, ci_high=-0.1, p_value=0.01, effect_size=-0.6,
    ...                       smallest_detectable=0.3, n=900, variant="published", recipe=None)
    >>> measured("balanced, female: pre", row, -0.35, "another model")[-1]
    'differs: another model'
    """
    names = ("value", "ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable")
    numbers = [number(getattr(row, name)) for name in names]
    verdict: Value = "not printed"
    if published is not None:
        verdict = compared(what, published, numbers[0], tolerance, reason, same=not reason)[-1]
    recipe = row.recipe if isinstance(row.recipe, str) else ""
    return [what, row.variant, recipe, published, *numbers, int(row.n), verdict]


def without(what: str, published: float, reason: str) -> list[Value]:
    """A printed number that was not measured, and why."""
    return not_measured(what, published, reason, MEASURED)

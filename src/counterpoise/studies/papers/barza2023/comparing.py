"""Rows of the study's table, and lines that set one of them beside the printed number."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.studies.papers.barza2023.published import PAPERS_MODEL
from counterpoise.studies.replication.comparison import not_measured, number, with_columns
from counterpoise.studies.replication.findings import Value, compared

MEASURED = (
    "number",
    "variant",
    "published",
    "measured",
    "from",
    "to",
    "p",
    "smallest visible",
    "n",
    "verdict",
)
ROUNDING = 5e-3  # of two printed decimals
_READ = (
    "models", "model", "variant", "text", "corpus", "word", "copies", "size", "sample", "group", "statistic",
    "category", "gender", "seen", "before", "note", "sentences", "lowest", "highest",
)  # fmt: skip
_NUMBERS = ("value", "ci_low", "ci_high", "p_value", "smallest_detectable", "n")


def whole(table: pd.DataFrame) -> pd.DataFrame:
    """The study's table with all columns that the page reads.

    >>> list(whole(pd.DataFrame({"step": ["learn"], "value": [0.5]})).statistic)
    [None]
    """
    numbers = {name: float("nan") for name in _NUMBERS if name not in table}
    return with_columns(table, _READ).assign(**numbers)


def rows_of(table: pd.DataFrame, step: str, **wanted: Any) -> list[Any]:
    """The rows of a step with these values, with columns as attributes."""
    some = table[table.step == step]
    for name, value in wanted.items():
        some = some[some[name] == value]
    return list(some.itertuples())


def one_of(table: pd.DataFrame, step: str, **wanted: Any) -> Any | None:
    """The first such row, or None."""
    return next(iter(rows_of(table, step, **wanted)), None)


def measured(what: str, row: Any, published: float | None = None, reason: str = "") -> list[Value]:
    """A line with the columns `MEASURED`; `reason` says why it differs from what is printed.

    >>> from types import SimpleNamespace
    >>> row = SimpleNamespace(value=2.26, ci_low=2.05, ci_high=2.47, p_value=None, smallest_detectable=None, n=344)
    >>> measured("ASLD", row, 4.05, "another model")[-1]
    'differs: another model'
    """
    numbers = [number(getattr(row, name)) for name in _NUMBERS[:-1]]
    verdict: Value = "not printed"
    if published is not None:
        verdict = compared(what, published, numbers[0], ROUNDING, reason, same=not reason)[-1]
    variant = getattr(row, "variant", None)
    return [what, variant if isinstance(variant, str) else "", published, *numbers, int(row.n), verdict]


def without(what: str, published: float, reason: str) -> list[Value]:
    """A printed number that was not measured, and why."""
    return not_measured(what, published, reason, MEASURED)


def other_pairs(model: Any) -> str:
    """Why an ASLD is not the printed one."""
    pairs = "the pairs are our own, the thesis's are not public"
    return pairs if model == PAPERS_MODEL else f"another model; {pairs}"


def other_training(row: Any) -> str:
    """Why an APPD is not the printed one."""
    if row.model != PAPERS_MODEL:
        return "another model"
    return (
        "a training of our own" if row.variant == "published" else "corrected (docs/replication/barza2023.md)"
    )


def with_interval(row: Any) -> str:
    """A value as it stands in a sentence.

    >>> from types import SimpleNamespace
    >>> with_interval(SimpleNamespace(value=2.26, ci_low=2.05, ci_high=2.47))
    '2.26 [2.05, 2.47]'
    """
    return f"{row.value:.2f} [{row.ci_low:.2f}, {row.ci_high:.2f}]"

"""Rows that set a measured number, with its interval and test, beside the printed one."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.studies.replication.comparison import not_measured, number, with_columns
from counterpoise.studies.replication.findings import Value, compared

MEASURED = (
    "number", "variant", "published", "measured", "from", "to", "p", "effect size", "smallest visible", "n", "verdict",
)  # fmt: skip
PAPERS_MODEL = "bert-base-uncased"
_OTHER = "another model"
_READ = (
    "model", "variant", "attributes", "training", "probe", "group", "statistic", "key", "test", "words", "value",
    "share",
)  # fmt: skip


def whole(table: pd.DataFrame) -> pd.DataFrame:
    """The study's table with all columns that the page reads.

    >>> list(whole(pd.DataFrame({"step": ["topics"], "value": [0.5]})).statistic)
    [None]
    """
    return with_columns(table, _READ)


def rows_of(table: pd.DataFrame) -> list[Any]:
    """The rows of the study's table, with its columns as attributes."""
    return list(table.itertuples())


def asked_about(row: Any) -> str:
    """The file of GAP that a row of the case study is about, and the probe where it is not the paper's."""
    file = {"development": "gap-test", "test+validation": "gap-development"}[row.training]
    return file if row.probe == "paper" else f"{file}, {row.probe} probe"


def measured(what: str, row: Any, published: float | None = None, tolerance: float = 0.0) -> list[Value]:
    """A row of a table with the columns `MEASURED`, from a row of the study's table.

    >>> from types import SimpleNamespace
    >>> row = SimpleNamespace(value=1.1, ci_low=0.5, ci_high=1.6, p_value=0.01, effect_size=1.1,
    ...                       smallest_detectable=1.2, n=48, model="builtin", variant="corrected")
    >>> measured("career/family", row, 1.126, 5e-4)[-1]
    'differs: another model'
    """
    variant = getattr(row, "variant", None)
    numbers = [
        number(getattr(row, name)) for name in ("value", "ci_low", "ci_high", "p_value", "effect_size")
    ]
    numbers.append(number(row.smallest_detectable))
    verdict: Value = "not printed"
    if published is not None:
        reason = _reason(row, variant)
        verdict = compared(what, published, numbers[0], tolerance, reason, same=reason != _OTHER)[-1]
    return [what, variant if isinstance(variant, str) else "", published, *numbers, int(row.n), verdict]


def without(what: str, published: float, reason: str) -> list[Value]:
    """A printed number that was not measured, and why."""
    return not_measured(what, published, reason, MEASURED)


def _reason(row: Any, variant: Any) -> str:
    model = getattr(row, "model", None)
    if isinstance(model, str) and model != PAPERS_MODEL:
        return _OTHER
    return "" if variant == "published" else "corrected (see docs/replication/kurita2019.md)"

"""What a measure returns: the items, the summary, what was skipped and why, and how to read the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.spec import Variant

SKIPPED_COLUMNS = ["item", "reason"]


@dataclass(frozen=True)
class Ideal:
    """Where a value should lie: at a point, or away from one.

    >>> Ideal.at(0.0).text, Ideal.at(50.0, "%").text, Ideal.away_from(0.0).text
    ('0', '50 %', 'far from 0')
    """

    value: float | None
    text: str

    @classmethod
    def at(cls, value: float, unit: str = "") -> Ideal:
        return cls(value, f"{value:g} {unit}".strip())

    @classmethod
    def away_from(cls, value: float) -> Ideal:
        return cls(None, f"far from {value:g}")


@dataclass(frozen=True)
class Row:
    """A line of the summary. Rows of one level are one family when p-values are adjusted.

    `level` is "overall", "group" or "word"; `clusters` counts what interval and test rest on (professions, not
    sentences).
    """

    level: str
    group: str
    statistic: str
    value: float
    ideal: Ideal
    n: int
    clusters: int
    ci_low: float = np.nan
    ci_high: float = np.nan
    p_value: float = np.nan
    effect_size: float = np.nan
    smallest_detectable: float = np.nan
    note: str = ""  # why there is no interval, where there is none


NUMBERS = [
    "value",
    "ideal",
    "ci_low",
    "ci_high",
    "p_value",
    "p_adjusted",
    "effect_size",
    "smallest_detectable",
]
# The order in which summary.json has them; scripts outside rely on the names up to `variant`.
SUMMARY_COLUMNS = ["measure", "dataset", "group", "statistic", *NUMBERS[:-1], "n", "variant"]
SUMMARY_COLUMNS += ["level", "ideal_text", "smallest_detectable", "clusters", "note"]


@dataclass(frozen=True)
class Result:
    """What a measure found out about a model.

    `items` has a row for everything that went in and what came out of it, `summary` the numbers to report, `skipped`
    what could not be measured and why. `sign` says what a positive value means, `warnings` what a reader must know
    before believing the numbers.
    """

    measure: str
    dataset: str
    model: str
    variant: Variant
    seed: int
    items: pd.DataFrame
    summary: pd.DataFrame
    skipped: pd.DataFrame
    sign: str
    citation: str
    warnings: tuple[str, ...] = ()

    @property
    def overall(self) -> pd.DataFrame:
        """The headline rows."""
        return self.summary[self.summary.level == "overall"]


def make_summary(rows: Sequence[Row], measure: str, dataset: str, variant: Variant) -> pd.DataFrame:
    """The summary table of a measure, with p-values adjusted (Holm) within each level.

    Levels are families of their own, so that looking at each of sixty professions does not weaken the one test of
    the model as a whole.
    """
    table = pd.DataFrame(
        [asdict(row) | {"ideal": row.ideal.value, "ideal_text": row.ideal.text} for row in rows]
    )
    table["ideal"] = table["ideal"].astype(float)
    table["p_adjusted"] = table.groupby("level").p_value.transform(lambda p: stats.adjust(p.to_numpy()))
    return table.assign(measure=measure, dataset=dataset, variant=variant)[SUMMARY_COLUMNS]


def skipped_table(items: Sequence[str], reasons: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(
        {"item": list(items), "reason": list(reasons)}, columns=SKIPPED_COLUMNS, dtype="object"
    )


def keep_scorable(
    items: pd.DataFrame, problems: Sequence[str | None], label: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Splits items into those without a problem and a table of the skipped ones; nothing left is an error."""
    bad = np.array([problem is not None for problem in problems], dtype=bool)
    names = [_name(name, row) for row, name in enumerate(items[label], start=1)]
    skipped = skipped_table(
        [name for name, problem in zip(names, problems, strict=True) if problem is not None],
        [problem for problem in problems if problem is not None],
    )
    if bad.all():
        raise DataError(f"nothing is left to measure: all {len(items)} items were skipped ({problems[0]})")
    return items[~bad].reset_index(drop=True), skipped


def _name(label: object, row: int) -> str:
    """An item without a name is named by its row."""
    return label if isinstance(label, str) and label.strip() else f"row {row}"

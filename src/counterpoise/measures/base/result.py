"""What a measure returns: the items, the summary, what was skipped and why, and how to read the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from counterpoise import stats
from counterpoise.core.shown import Shown
from counterpoise.data.spec import Variant
from counterpoise.measures.base.rows import OVERALL, Row, statistic_of, unique_keys
from counterpoise.measures.base.source import Source
from counterpoise.measures.base.units import Unit, unit_by_form


@dataclass(frozen=True)
class Direction:
    """What a value above its ideal means and what one below it means, each a finished sentence for a reader.

    `sides` names whom either leans towards, for sentences about several words or models: "more towards men".
    """

    positive: str
    negative: str
    sides: tuple[str, str] | None = None

    def sentence(self, towards: float) -> str:
        return self.positive if towards > 0 else self.negative


GENDERS = ("men", "women")
STEREOTYPE = ("the stereotype", "its opposite")


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
SUMMARY_COLUMNS = ["measure", "dataset", "group", "statistic", "key", *NUMBERS[:-1], "n", "variant"]
SUMMARY_COLUMNS += ["level", "unit", "ideal_kind", "ideal_text", "smallest_detectable", "clusters", "note"]


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """What a measure found out about a model.

    `items` has a row for everything that went in and what came out of it, `summary` the numbers to report, `skipped`
    what could not be measured and why. `asked` says what the model was asked as, such as "sentence encoder, mean
    pooling"; it is empty in runs of versions that did not record it. `direction` says what positive and negative values
    mean, and `directions` the same of statistics for which they mean something else. `sources` says of each row, by its
    key, where it comes from. `identity` are the columns that tell items apart; the first is what a reader is shown of
    an item. `warnings` says what a reader must know before believing the numbers. `sampling` has the settings by which
    answers were drawn, where they were.
    """

    measure: str
    dataset: str
    model: str
    variant: Variant
    seed: int
    items: pd.DataFrame
    summary: pd.DataFrame
    skipped: pd.DataFrame
    direction: Direction
    citation: str
    warnings: tuple[str, ...] = ()
    directions: Mapping[str, Direction] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    identity: tuple[str, ...] = ()
    asked: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Result of {self.measure} on {self.dataset}, {self.model}: {len(self.items):,} items>"

    def to_frame(self) -> pd.DataFrame:
        """The summary rows."""
        return self.summary

    @property
    def overall(self) -> pd.DataFrame:
        """The rows about the model as a whole."""
        return self.summary[self.summary.level == "overall"]

    @property
    def headlines(self) -> pd.DataFrame:
        """The first tested row about all items; for measures of several tests, the first of each.

        Absolute values are never tested, and what was tested is what can be claimed. Where nothing was tested it is
        the first overall row, else the first of all.
        """
        overall = self.overall if len(self.overall) else self.summary
        tested = overall[overall.p_value.notna() & overall.ideal.notna()]
        of_all = tested[tested.group == OVERALL.group]
        if len(of_all):
            return of_all.head(1)
        return tested.drop_duplicates("group") if len(tested) else overall.head(1)

    @property
    def headline(self) -> pd.Series:
        """The first of the headlines."""
        return self.headlines.iloc[0]

    def direction_of(self, key: str) -> Direction:
        """What the sign of a row means."""
        return self.directions.get(statistic_of(key), self.direction)


def make_summary(
    rows: Sequence[Row],
    measure: str,
    dataset: str,
    variant: Variant,
    unit_of: Callable[[str, Source | None], Unit] = lambda _, source: unit_by_form(source),
) -> pd.DataFrame:
    """The summary table of a measure, with p-values adjusted (Holm) within each level.

    Levels are families of their own, so that looking at each of sixty professions does not weaken the one test of
    the model as a whole. `unit_of` says what a row's value is counted in, by its key
    and source.
    """
    table = pd.DataFrame([_columns_of(row) for row in rows])
    table["key"] = unique_keys(rows)
    table["unit"] = [unit_of(row.key, row.source).name for row in rows]
    table["ideal"] = table["ideal"].astype(float)
    table["p_adjusted"] = table.groupby("level").p_value.transform(lambda p: stats.adjust(p.to_numpy()))
    return table.assign(measure=measure, dataset=dataset, variant=variant)[SUMMARY_COLUMNS]


def _columns_of(row: Row) -> dict[str, object]:
    ideal = {"ideal": row.ideal.value, "ideal_kind": row.ideal.kind, "ideal_text": row.ideal.text}
    return {name: value for name, value in vars(row).items() if name != "source"} | ideal


def sources_of(rows: Sequence[Row]) -> dict[str, Source]:
    """Where rows come from, by their keys."""
    return {
        key: row.source for key, row in zip(unique_keys(rows), rows, strict=True) if row.source is not None
    }

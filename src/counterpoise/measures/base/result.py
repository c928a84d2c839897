"""What a measure returns: the items, the summary, what was skipped and why, and how to read the numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.core.errors import DataError
from counterpoise.data.spec import Variant
from counterpoise.measures.base.source import Source

SKIPPED_COLUMNS = ["item", "reason"]

_NOT_IN_KEYS = re.compile(r"[^\w.]+")

Level = Literal["overall", "group", "word", "workforce"]
IdealKind = Literal["point", "away_from", "none"]


@dataclass(frozen=True)
class Ideal:
    """Where a value should lie: at a point, away from one, or nowhere in particular.

    >>> Ideal.at(0.0).text, Ideal.at(50.0, "%").text, Ideal.away_from(0.0).text, Ideal.none().text
    ('0', '50 %', 'far from 0', 'none')
    """

    kind: IdealKind
    value: float | None
    text: str

    @classmethod
    def at(cls, value: float, unit: str = "") -> Ideal:
        return cls("point", value, f"{value:g} {unit}".strip())

    @classmethod
    def away_from(cls, value: float) -> Ideal:
        return cls("away_from", None, f"far from {value:g}")

    @classmethod
    def none(cls, text: str = "none") -> Ideal:
        return cls("none", None, text)


ZERO = Ideal.at(0.0)
HALF = Ideal.at(50.0, "%")


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


@dataclass(frozen=True)
class Place:
    """Which part of a result a row is about: all of it, a group of items, or a single word.

    `group` is what a reader sees, `name` what stands in the row's key.
    """

    level: Level
    group: str
    name: str = ""


OVERALL = Place("overall", "all")


def in_group(name: object, label: str | None = None) -> Place:
    """
    >>> in_group("male", "male professions")
    Place(level='group', group='male professions', name='male')
    """
    return Place("group", label or str(name), str(name))


def of_word(word: object) -> Place:
    return Place("word", str(word), f"word.{word}")


def row_key(statistic: str, place: Place = OVERALL) -> str:
    """The stable name of a row: of its statistic, and of its group if it is not about all.

    >>> row_key("appd"), row_key("appd", in_group("male professions")), row_key("appd", of_word("truck driver"))
    ('appd', 'appd.male_professions', 'appd.word.truck_driver')
    """
    name = _NOT_IN_KEYS.sub("_", place.name.lower()).strip("_.")
    return f"{statistic}.{name}" if name else statistic


def statistic_of(key: str) -> str:
    """The statistic that a key names.

    >>> statistic_of("appd.word.nurse")
    'appd'
    """
    return key.partition(".")[0]


@dataclass(frozen=True)
class Row:
    """A line of the summary. Rows of one level are one family when p-values are adjusted.

    `key` names the row for programs, `statistic` for readers; `source` says what it is computed of, where that is in
    the items. `clusters` counts what interval and test rest on (professions, not sentences).
    """

    key: str
    level: Level
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
    note: str = ""  # why there is no interval, where there is none; the share of women in a profession
    source: Source | None = None


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
SUMMARY_COLUMNS += ["level", "ideal_kind", "ideal_text", "smallest_detectable", "clusters", "note"]


@dataclass(frozen=True)
class Result:
    """What a measure found out about a model.

    `items` has a row for everything that went in and what came out of it, `summary` the numbers to report, `skipped`
    what could not be measured and why. `direction` says what positive and negative values mean, and `directions` the
    same of statistics for which they mean something else. `sources` says of each row, by its key, where it comes from.
    `identity` are the columns that tell items apart; the first is what a reader is shown of an item. `warnings` says
    what a reader must know before believing the numbers.
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

    @property
    def overall(self) -> pd.DataFrame:
        """The rows about the model as a whole."""
        return self.summary[self.summary.level == "overall"]

    @property
    def headlines(self) -> pd.DataFrame:
        """The first tested row of each overall group: one for most measures, one per test for those of several tests.

        Absolute values are never tested, and what was tested is what can be claimed. Where nothing was tested it is
        the first overall row, else the first of all.
        """
        overall = self.overall if len(self.overall) else self.summary
        tested = overall[overall.p_value.notna() & overall.ideal.notna()]
        return tested.drop_duplicates("group") if len(tested) else overall.head(1)

    @property
    def headline(self) -> pd.Series:
        """The first of the headlines."""
        return self.headlines.iloc[0]

    def direction_of(self, key: str) -> Direction:
        """What the sign of a row means."""
        return self.directions.get(statistic_of(key), self.direction)


def make_summary(rows: Sequence[Row], measure: str, dataset: str, variant: Variant) -> pd.DataFrame:
    """The summary table of a measure, with p-values adjusted (Holm) within each level.

    Levels are families of their own, so that looking at each of sixty professions does not weaken the one test of
    the model as a whole.
    """
    table = pd.DataFrame([_columns_of(row) for row in rows])
    table["key"] = unique_keys(rows)
    table["ideal"] = table["ideal"].astype(float)
    table["p_adjusted"] = table.groupby("level").p_value.transform(lambda p: stats.adjust(p.to_numpy()))
    return table.assign(measure=measure, dataset=dataset, variant=variant)[SUMMARY_COLUMNS]


def _columns_of(row: Row) -> dict[str, object]:
    ideal = {"ideal": row.ideal.value, "ideal_kind": row.ideal.kind, "ideal_text": row.ideal.text}
    return {name: value for name, value in vars(row).items() if name != "source"} | ideal


def unique_keys(rows: Sequence[Row]) -> list[str]:
    """The keys of rows; where two words or groups differ only in signs that keys do not have, the later are counted.

    >>> cs = [Row(row_key("appd", of_word(word)), "word", word, "", 0.0, ZERO, 1, 1) for word in ("C", "C++")]
    >>> unique_keys(cs)
    ['appd.word.c', 'appd.word.c_2']
    """
    seen: dict[str, int] = {}
    keys = []
    for row in rows:
        seen[row.key] = seen.get(row.key, 0) + 1
        keys.append(row.key if seen[row.key] == 1 else f"{row.key}_{seen[row.key]}")
    return keys


def sources_of(rows: Sequence[Row]) -> dict[str, Source]:
    """Where rows come from, by their keys."""
    return {
        key: row.source for key, row in zip(unique_keys(rows), rows, strict=True) if row.source is not None
    }


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

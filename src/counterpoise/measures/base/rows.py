"""A row of a summary: what it is about, its key, its numbers, and where its value should lie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from counterpoise.measures.base.source import Source

_NOT_IN_KEYS = re.compile(r"[^\w.]+")

# Rows of one level are one family of tests. "neutral" are those on they beside he and she, "versions" those of any
# number of versions and their pairs.
Level = Literal["overall", "group", "word", "workforce", "neutral", "versions"]
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

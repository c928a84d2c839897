"""The items of a measure as a reader sees them: the texts, both versions of them, and the difference.

Which two texts belong together is what the measure declares: its `Versions`, where an item holds both, or the
`Contrast` of its headline, where each is an item of its own. Otherwise an item has its text and its main score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.source import Contrast, Source
from counterpoise.measures.base.units import PLAIN, UNITS, Unit
from counterpoise.measures.base.versions import Names, Versions
from counterpoise.report.side_by_side import two_sides

DIFFERENCE = "difference"
_CONTEXT = "context"
_LARGEST_FACTOR = 1000  # that is told as a number
_MOST_TEXTS = 3  # of one side, where several items make it up


@dataclass(frozen=True)
class ItemView:
    """A table for readers, the largest difference first.

    `names` are what the two versions are called, which are also their columns; None where there are no two versions.
    `score` is the column of the difference, or of the main score; "" where the numbers behind the items are not known.
    `sides` are whom a score leans towards, for scores without two versions.
    """

    table: pd.DataFrame
    names: Names | None = None
    score: str = ""
    unit: Unit = PLAIN
    sides: tuple[str, str] | None = None

    @property
    def marks(self) -> tuple[str, str]:
        """The styles in which the words that differ are marked: in the colours of the genders only if these differ."""
        is_gendered = self.names is not None and self.names[0].startswith("male")
        return ("male", "female") if is_gendered else ("first", "second")

    def in_words(self, value: float | None) -> str:
        """What a difference or a score says.

        >>> from counterpoise.measures.base.units import LIKELIHOOD_RATIO, PROBABILITY
        >>> both = ItemView(pd.DataFrame(), ("male version", "female version"), "difference", PROBABILITY)
        >>> both.in_words(0.322), both.in_words(-0.04), both.in_words(0.0)
        ('Favours the male version by 32 percentage points', 'Favours the female version by 4.0 percentage points', \
'Favours neither')
        """
        if value is None or math.isnan(value):
            return ""
        if self.names is not None:
            return f"Favours {_towards(value, self.names, self.unit, 'neither', 'the ')}"
        if self.sides is not None:
            return f"Leans towards {_towards(value, self.sides, self.unit, 'nobody', '')}"
        return ""


def _towards(value: float, sides: tuple[str, str], unit: Unit, nobody: str, article: str) -> str:
    if value == 0:
        return nobody
    is_huge = unit.scale == "exponential" and abs(value) > math.log(_LARGEST_FACTOR)
    amount = f"a factor of more than {_LARGEST_FACTOR:,}" if is_huge else unit.distance(abs(value))
    return f"{article}{sides[0 if value > 0 else 1]} by {amount}"


def item_view(items: pd.DataFrame, result: Result) -> ItemView:
    """The items of a result, which need not hold them itself."""
    measure = all_measures().get(result.measure)
    if measure is not None and measure.versions is not None and measure.versions.has_columns(items):
        return _declared(items, measure.versions, measure.versions.unit or measure.unit)
    source = result.sources.get(result.headline.key)
    if source is None or source.column not in items:
        return ItemView(items)
    unit = _unit_of(result, source.column)
    text = next((name for name in result.identity if name in items), None)
    sides = two_sides(source.contrast) if source.contrast is not None else None
    if source.contrast is not None and sides and text is not None and source.has_columns(items):
        written = measure.compares if measure is not None and measure.compares in items else ""
        context = text if written else ""
        view = _contrasted(items, source.contrast, sides, source.column, written or text, unit, context)
        if len(view.table):
            return view
    return _single(items, result, source, unit)


def _declared(items: pd.DataFrame, versions: Versions, unit: Unit) -> ItemView:
    texts = versions.texts(items)
    first, second = versions.names
    scores = [items[name].astype(float) for name in versions.scores]
    table = pd.DataFrame(
        {
            **({_CONTEXT: items[versions.context].astype("string")} if versions.context else {}),
            first: texts["first"].astype("string"),
            second: texts["second"].astype("string"),
            DIFFERENCE: scores[0] - scores[1],
            f"score of the {first}": scores[0],
            f"score of the {second}": scores[1],
        }
    )
    return ItemView(_largest_first(table, DIFFERENCE), versions.names, DIFFERENCE, unit)


def _contrasted(
    items: pd.DataFrame,
    contrast: Contrast,
    sides: tuple[tuple[str, ...], tuple[str, ...]],
    column: str,
    text: str,
    unit: Unit,
    context: str = "",
) -> ItemView:
    within = list(contrast.within)
    names: Names = (f"{' '.join(sides[0])} version", f"{' '.join(sides[1])} version")
    parts = []
    for kind, name in zip(sides, names, strict=True):
        is_of_kind = [items[by] == value for by, value in zip(contrast.by, kind, strict=True)]
        chosen = items[np.logical_and.reduce(is_of_kind)]
        groups = chosen.groupby(within, sort=False, dropna=False)
        parts.append(
            pd.DataFrame({name: groups[text].agg(_joined), f"score of the {name}": groups[column].mean()})
        )
    paired = parts[0].join(parts[1], how="inner")
    first, second = (f"score of the {name}" for name in names)
    paired[DIFFERENCE] = paired[first] - paired[second]
    if context:
        paired[_CONTEXT] = paired.reset_index()[context].astype("string").to_numpy()
    about = [_CONTEXT] if context else []
    shown = paired.reset_index(drop=True)[[*about, *names, DIFFERENCE, first, second]]
    shown = shown.astype(dict.fromkeys(names, "string"))
    return ItemView(_largest_first(shown, DIFFERENCE), names, DIFFERENCE, unit)


def _joined(texts: pd.Series) -> str:
    distinct = list(dict.fromkeys(map(str, texts)))
    more = " / ..." if len(distinct) > _MOST_TEXTS else ""
    return " / ".join(distinct[:_MOST_TEXTS]) + more


def _single(items: pd.DataFrame, result: Result, source: Source, unit: Unit) -> ItemView:
    """The text and what tells it apart from others, and the main score."""
    column = source.column
    about = [name for name in result.identity if name in items and name != column]
    table = items[[*about[:1], column, *about[1:]]]
    # The sides are those of the headline: a score leans towards one only where the headline is the mean of scores.
    is_lean = pd.api.types.is_numeric_dtype(items[column]) and source.form == "mean"
    sides = result.direction_of(result.headline.key).sides if is_lean else None
    return ItemView(_largest_first(table, column), None, column, unit, sides)


def _unit_of(result: Result, column: str) -> Unit:
    """What the numbers of a column are counted in: the unit of the row that is its mean."""
    means: Sequence[str] = [
        key for key, source in result.sources.items() if source.column == column and source.form == "mean"
    ]
    units = result.summary[result.summary.key.isin(means)].unit
    return UNITS.get(units.iloc[0], PLAIN) if len(units) else PLAIN


def _largest_first(table: pd.DataFrame, column: str) -> pd.DataFrame:
    if not pd.api.types.is_numeric_dtype(table[column]):
        return table
    order = table[column].abs().sort_values(ascending=False, kind="stable", na_position="last").index
    return table.loc[order].reset_index(drop=True)

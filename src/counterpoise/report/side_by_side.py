"""What a model wrote about one and about the other, side by side with the words that differ marked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.source import Contrast
from counterpoise.report.differing_words import Piece, marked_pair
from counterpoise.report.selection import lowest_and_highest

_PAIRS = 3  # at either end
_NOTHING = "(empty)"


@dataclass(frozen=True)
class WrittenPair:
    """What two texts answer, the headline's value there, and both in pieces."""

    about: str
    value: float
    names: tuple[str, str]
    first: Sequence[Piece]
    second: Sequence[Piece]


def written_pairs(result: Result) -> list[WrittenPair]:
    """The first text of either side where the headline is lowest and highest; none where texts are not compared."""
    declared = all_measures().get(result.measure)
    text = declared.compares if declared else ""
    source = result.sources.get(result.headline.key)
    if not text or text not in result.items or source is None or source.contrast is None:
        return []
    sides = two_sides(source.contrast)
    if sides is None or not source.has_columns(result.items):
        return []
    values = source.observe(result.items).dropna(subset=[source.column]).sort_values(source.column)
    chosen = lowest_and_highest(values, 2 * _PAIRS).set_index(list(source.contrast.within))[source.column]
    firsts = [_first_texts(source.choose(result.items), source.contrast, kind, text) for kind in sides]
    names = (" ".join(sides[0]), " ".join(sides[1]))
    return [
        WrittenPair(_about(within), float(value), names, *marked_pair(firsts[0][within], firsts[1][within]))
        for within, value in chosen.items()
    ]


def two_sides(contrast: Contrast) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The one kind of items that counts positively and the one that counts negatively; None if there are others."""
    above = [kind for kind, weight in contrast.weights.items() if weight > 0]
    below = [kind for kind, weight in contrast.weights.items() if weight < 0]
    if not contrast.within or len(above) != 1 or len(below) != 1:
        return None
    return above[0], below[0]


def _first_texts(
    items: pd.DataFrame, contrast: Contrast, kind: tuple[str, ...], text: str
) -> dict[Hashable, str]:
    is_of_kind = [items[by] == value for by, value in zip(contrast.by, kind, strict=True)]
    chosen = items[np.logical_and.reduce(is_of_kind)]
    shown = chosen[text].map(lambda written: str(written).strip() or _NOTHING)
    return dict(shown.groupby([chosen[name] for name in contrast.within], sort=False).first())


def _about(within: object) -> str:
    return " / ".join(map(str, within)) if isinstance(within, tuple) else str(within)

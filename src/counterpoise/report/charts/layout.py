"""The sizes that charts are drawn in, and labels that fit them.

A page holds each chart twice: as wide as its text column, and for a phone. Text keeps its size in both, so labels are
wrapped to the room there is. How wide a text is depends on the reader's fonts; it is estimated generously here.

Axes and legends are plain dictionaries, because Altair copies its own objects, with all that they could hold, at each
step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

import pandas as pd

FONT_SIZE = 12
LINE_HEIGHT = 14

_PADDING = 7  # between labels and plotting area
_MARGIN = 26  # what else there is beside the plotting area: that gap, half of the last tick's label
_SYMBOL = 48  # of a legend, with the gap to the next
_LINES = r"split(datum.label, '\n')"
_NARROW_CHARACTERS = frozenset("iIjlt fr.,:;'|!()[]-/\"")
_WIDE_CHARACTERS = frozenset("mwMW@%★")
_BREAKS = re.compile(r"[^\s\-/_,]*[\s\-/_,]*")


@dataclass(frozen=True)
class Layout:
    """The width of a picture, how much of it the labels of rows may take, and how many ticks an axis has room for."""

    width: int
    labels: int
    ticks: int


WIDE = Layout(width=840, labels=270, ticks=7)
NARROW = Layout(width=360, labels=140, ticks=4)


def text_width(text: str) -> float:
    """The pixels that a text takes at most in common sans-serif fonts.

    >>> round(text_width("nurse")), round(text_width("illicit"))
    (35, 36)
    """
    return FONT_SIZE * sum(_character_width(character) for character in text)


def _character_width(character: str) -> float:
    if character in _NARROW_CHARACTERS:
        return 0.39
    if character in _WIDE_CHARACTERS or east_asian_width(character) in "WF":
        return 1.0
    return 0.76 if character.isupper() else 0.64


def wrapped(text: str, width: float) -> list[str]:
    """The lines of a text, broken after spaces, hyphens, slashes and commas, else wherever they are full.

    >>> wrapped("customer service representative", 140)
    ['customer service', 'representative']
    >>> wrapped("checkpoint-100000", 90), wrapped("", 90)
    (['checkpoint-', '100000'], [''])
    """
    lines = [""]
    for part in _BREAKS.findall(text):
        if lines[-1] and text_width((lines[-1] + part).rstrip()) > width:
            lines.append("")
        for character in part:
            if lines[-1] and text_width((lines[-1] + character).rstrip()) > width:
                lines.append("")
            lines[-1] += character
    return [line.strip() for line in lines if line.strip()] or [""]


@dataclass(frozen=True)
class RowLabels:
    """The labels of a chart's rows: their column, as wide as they need, and how many lines the longest takes.

    The panels of a chart share one column, so that their plotting areas align.
    """

    layout: Layout
    column: int
    lines: int

    @classmethod
    def fit(cls, labels: Iterable[Any], layout: Layout) -> RowLabels:
        lines = [wrapped(str(label), layout.labels) for label in labels]
        column = max((text_width(line) for label in lines for line in label), default=0.0)
        return cls(layout, round(column) + 2, max(map(len, lines), default=1))

    @property
    def plot(self) -> int:
        """The width that is left to the plotting area."""
        return self.layout.width - self.column - _MARGIN

    def step(self, least: int) -> int:
        """The height of a row, which has room for its label."""
        return max(least, self.lines * LINE_HEIGHT + 2)

    def break_lines(self, labels: pd.Series) -> pd.Series:
        """Labels as the axis expects them, with line breaks."""
        return labels.astype(str).map(lambda label: "\n".join(wrapped(label, self.layout.labels)))

    def axis(self) -> dict[str, Any]:
        """The axis of labels, each of them centred on its row."""
        centre = f"-{LINE_HEIGHT / 2} * (length({_LINES}) - 1)"
        return {
            "title": None,
            "grid": False,
            "ticks": False,
            "domain": False,
            "labelExpr": _LINES,
            "labelLineHeight": LINE_HEIGHT,
            "labelOffset": {"condition": {"test": "true", "expr": centre}, "value": 0},
            "labelPadding": _PADDING,
            "labelOverlap": False,
            "minExtent": self.column + _PADDING,
            "maxExtent": self.column + _PADDING,
        }


def column_axis() -> dict[str, Any]:
    """The axis of labels above columns, the last line of each next to its column."""
    above = f"4 + {LINE_HEIGHT} * (length({_LINES}) - 1)"
    return {
        "title": None,
        "domain": False,
        "ticks": False,
        "orient": "top",
        "labelAngle": 0,
        "labelExpr": _LINES,
        "labelLineHeight": LINE_HEIGHT,
        "labelPadding": {"condition": {"test": "true", "expr": above}, "value": 4},
        "labelOverlap": False,
    }


@dataclass(frozen=True)
class LegendLabels:
    """The names in a legend above a chart, wrapped where one alone is too long, in as many columns as there is room."""

    names: Sequence[str]
    room: float  # in pixels

    def break_lines(self, name: object) -> str:
        return "\n".join(wrapped(str(name), self.room - _SYMBOL))

    @property
    def domain(self) -> list[str]:
        return [self.break_lines(name) for name in self.names]

    def legend(self) -> dict[str, Any]:
        lines = [line for name in self.domain for line in name.split("\n")]
        widest = max(map(text_width, lines), default=0.0) + _SYMBOL
        return {
            "title": None,
            "labelExpr": _LINES,
            "orient": "top",
            # The reader's font may be wider than the one that the legend was made for.
            "columnPadding": max(24.0, 0.2 * widest),
            "columns": max(1, int(self.room // widest)),
        }

"""One look for all charts: colours that the colour-blind tell apart and that stay apart in grey print.

Colours are those of Okabe & Ito (2008). The page swaps them for lighter ones on a dark background by their code, so
every chart uses these and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import altair as alt
import pandas as pd

AnyChart: TypeAlias = Any  # which class a method of Altair returns changes with its versions

INK, SOFT, LINE = "#1b1f24", "#57606a", "#d0d7de"
MALE, FEMALE = "#0072b2", "#d55e00"  # blue and vermilion: positive and negative
BEFORE, AFTER = "#e69f00", "#0072b2"  # light and dark, apart in grey print too
FAMILY = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9")
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

WIDTH = 420  # of the plotting area; with labels it fills a column of a page
LABELS = 190  # room for the labels of rows, the same in all panels, so that panels align

_CONFIG: dict[str, Any] = {
    "aria": False,  # the picture as a whole is described; each mark for itself would be read out one by one
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": LINE,
        "domainColor": SOFT,
        "tickColor": SOFT,
        "labelLimit": LABELS,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "orient": "top",
        "labelLimit": 400,
    },
    "header": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12},
    "title": {"color": INK, "fontSize": 13, "anchor": "start", "fontWeight": 600, "limit": WIDTH + LABELS},
    "text": {"color": INK, "fontSize": 11},
    "concat": {"spacing": 14},
}


def finish(chart: AnyChart, description: str) -> AnyChart:
    """The chart with the look of all, and the words that stand for it where it cannot be seen."""
    return chart.properties(description=description).configure(**_CONFIG)


def words_axis(title: str | None = None) -> alt.Axis:
    """The axis of row labels."""
    return alt.Axis(title=title, grid=False, ticks=False, domain=False, minExtent=LABELS, maxExtent=LABELS)


def number_axis(title: str | None) -> alt.Axis:
    return alt.Axis(title=title, tickCount=6, domain=False)


def rule_at(value: float, channel: str = "x", **look: Any) -> AnyChart:
    """A line at a value, dashed if nothing else is said: where the ideal lies."""
    drawn: dict[str, Any] = {"color": SOFT, "strokeDash": [4, 3], "size": 1.5} | look
    return alt.Chart(pd.DataFrame({"at": [value]})).mark_rule(**drawn).encode(**{channel: "at:Q"})


def listed(things: Sequence[str], most: int = 3) -> str:
    """
    >>> listed(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    shown = ", ".join(things[:most])
    return shown if len(things) <= most else f"{shown} and {len(things) - most} more"

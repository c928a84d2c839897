"""One look for all charts: colours that the colour-blind tell apart, and one meaning for each colour.

Colours are those of Okabe & Ito (2008). On a dark background the page exchanges them for lighter ones by their codes
(templates/style.css), so every chart uses these and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import altair as alt
import pandas as pd

from counterpoise.report.charts.layout import FONT_SIZE, LINE_HEIGHT, Layout, wrapped

AnyChart: TypeAlias = Any  # which class a method of Altair returns changes with its versions

INK, SOFT, LINE = "#1b1f24", "#57606a", "#d0d7de"
# Blue, vermilion, and grey where a sign does not mean a gender.
MALE, FEMALE, NEUTRAL = "#0072b2", "#d55e00", "#7a838d"
BEFORE, AFTER = "#e69f00", "#009e73"  # orange and green
# Groups, lines, models: everything whose colour has no meaning of its own.
CATEGORIES = (AFTER, "#cc79a7", BEFORE, "#56b4e9", NEUTRAL)
GENDER_COLOURS = "Blue: towards men. Vermilion: towards women."
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

_OF_GENDERS = {"male": MALE, "female": FEMALE, "men": MALE, "women": FEMALE}

_CONFIG: dict[str, Any] = {
    "aria": False,  # the picture as a whole is described; each mark for itself would be read out one by one
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": FONT_SIZE,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "titleLineHeight": LINE_HEIGHT + 2,
        "gridColor": LINE,
        "domainColor": SOFT,
        "tickColor": SOFT,
        "labelLimit": 0,  # labels are wrapped, never cut
        "titleLimit": 0,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": FONT_SIZE,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "orient": "top",
        "columnPadding": 24,
        "labelLimit": 0,
        "titleLimit": 0,
    },
    "title": {
        "color": INK,
        "fontSize": FONT_SIZE + 1,
        "lineHeight": LINE_HEIGHT + 2,
        "anchor": "start",
        "fontWeight": 600,
        "offset": 6,
    },
    "text": {"color": INK, "fontSize": FONT_SIZE - 1},
    "concat": {"spacing": 18},
}


def finish(chart: AnyChart, description: str) -> AnyChart:
    """The chart with the look of all, and the words that stand for it where it cannot be seen."""
    return chart.properties(description=description).configure(**_CONFIG)


def panel_title(title: str, layout: Layout) -> alt.TitleParams:
    """The title of a panel, wrapped; its bold letters are larger and wider than others."""
    return alt.TitleParams(wrapped(title, 0.75 * layout.width))


def number_axis(title: str | None, layout: Layout, room: float) -> dict[str, Any]:
    """The axis of numbers; its title is wrapped to the room that there is for it."""
    lines = None if title is None else wrapped(title, room)
    return {"title": lines, "tickCount": layout.ticks, "domain": False, "labelFlush": False}


def rule_at(value: float, channel: Literal["x", "y"] = "x", **look: Any) -> AnyChart:
    """A line at a value, dashed if nothing else is said: where the ideal lies."""
    drawn: dict[str, Any] = {"color": SOFT, "strokeDash": [4, 3], "size": 1.5} | look
    at = alt.X("at:Q") if channel == "x" else alt.Y("at:Q")
    return alt.Chart(pd.DataFrame({"at": [value]})).mark_rule(**drawn).encode(at)


def colours_of(names: Sequence[str]) -> list[str]:
    """A colour for each category: those of men and women for these, others for the rest.

    >>> colours_of(["male", "balanced"]) == [MALE, CATEGORIES[0]]
    True
    """
    others = [name for name in names if name not in _OF_GENDERS]
    return [
        _OF_GENDERS[name] if name in _OF_GENDERS else CATEGORIES[others.index(name) % len(CATEGORIES)]
        for name in names
    ]


def colours_of_runs(names: Sequence[str]) -> list[str]:
    """The colours of before and after, and of controls between them."""
    return [BEFORE, *[NEUTRAL] * (len(names) - 2), AFTER]


def listed(things: Sequence[str], most: int = 3) -> str:
    """
    >>> listed(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    shown = ", ".join(things[:most])
    return shown if len(things) <= most else f"{shown} and {len(things) - most} more"

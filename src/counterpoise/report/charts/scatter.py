"""Scatter plots with a fitted line: before against after, the share of women at work against what the model says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import altair as alt
import numpy as np
import pandas as pd
from scipy import stats

from counterpoise.core.numbers import decimal_text
from counterpoise.report.charts.layout import LINE_HEIGHT, WIDE, Layout, LegendLabels, text_width
from counterpoise.report.charts.style import (
    CATEGORIES,
    INK,
    NEUTRAL,
    SOFT,
    AnyChart,
    colours_of,
    finish,
    number_axis,
    rule_at,
)

Ends: TypeAlias = tuple[float, float]

_LABELLED = 6  # words that lie furthest from the line carry their name
_GAP = 6  # between a point and its name
_BESIDE = 90  # room for the axis beside the plotting area


def before_after(
    table: pd.DataFrame, names: tuple[str, str] = ("before", "after"), *, layout: Layout = WIDE
) -> AnyChart:
    """The value of each word in two runs, with the least-squares line and, dashed, the line of no change.

    Columns: `word`, `before`, `after`; if there, `group` colours the points and words that are `seen` are squares.
    Both axes have the same scale, which holds 0.

    >>> table = pd.DataFrame({"word": ["a", "b", "c"], "before": [0.0, 1.0, 2.0], "after": [0.0, 0.5, 1.0]})
    >>> before_after(table).to_dict()["description"]
    'Scatter plot of 3 words, before against after: slope 0.50, r 1.00.'
    """
    ends = _with_zero(table[["before", "after"]].to_numpy())
    dashed = _line(ends, ends).mark_line(color=SOFT, strokeDash=[4, 3], size=1)
    chart, fit_text = _scatter(table, ("before", "after"), names, (ends, ends), dashed, layout)
    return finish(chart, f"Scatter plot of {len(table)} words, {names[0]} against {names[1]}{fit_text}.")


def workforce(
    table: pd.DataFrame, title: str = "male - female association", *, layout: Layout = WIDE
) -> AnyChart:
    """What the model says of professions against the share of women who work in them (Bartl et al. 2020).

    Columns: `word`, `women_share` in per cent, `value`; if there, `group` colours the points.

    >>> table = pd.DataFrame({"word": ["mason", "nurse"], "women_share": [3.0, 89.0], "value": [0.9, -0.4]})
    >>> workforce(table).to_dict()["description"]
    'Scatter plot of 2 professions, share of women at work against male - female association: slope -0.02, r -1.00.'
    """
    columns, titles = ("women_share", "value"), ("share of women at work, %", title)
    ends = (0.0, 100.0), _with_zero(table.value.to_numpy())
    chart, fit_text = _scatter(table, columns, titles, ends, rule_at(0, "y", size=1), layout)
    return finish(
        chart, f"Scatter plot of {len(table)} professions, share of women at work against {title}{fit_text}."
    )


def _scatter(
    table: pd.DataFrame,
    columns: tuple[str, str],
    titles: tuple[str, str],
    ends: tuple[Ends, Ends],
    reference: AnyChart,
    layout: Layout,
) -> tuple[AnyChart, str]:
    """The points with their least-squares line, and the line in words; nothing to say if all x are equal.

    `ends` are those of the two axes.
    """
    x, y = columns
    width = layout.width - _BESIDE
    height = min(width, 420)
    kept = [name for name in ("word", x, y, "group", "seen") if name in table]
    fit = stats.linregress(table[x], table[y]) if np.ptp(table[x]) > 0 else None
    table = table[kept].reset_index(drop=True).assign(name="", is_right=False)
    if fit is not None:
        away = (table[y] - fit.intercept - fit.slope * table[x]).abs().sort_values(ascending=False)
        places = pd.DataFrame(
            {
                "along": _pixels(table[x], ends[0], width),
                "up": _pixels(table[y], ends[1], height),
                "room": table.word.astype(str).map(text_width) + _GAP,
            }
        )
        # Names stand on the side where there is room for them.
        table["is_right"] = places.along + places.room > width
        fits = ~table.is_right | (places.along > places.room)
        named = _apart(places.loc[[i for i in away.index if fits[i]]])
        table.loc[named, "name"] = table.word.astype(str)
    base = alt.Chart(table).encode(
        x=alt.X(
            f"{x}:Q", axis=number_axis(titles[0], layout, width), scale=alt.Scale(domain=ends[0], nice=True)
        ),
        y=alt.Y(
            f"{y}:Q", axis=number_axis(titles[1], layout, height), scale=alt.Scale(domain=ends[1], nice=True)
        ),
    )
    points = _points(base, table, layout)
    sides = [
        base.transform_filter("!datum.is_right").mark_text(align="left", dx=_GAP, dy=-5),
        base.transform_filter("datum.is_right").mark_text(align="right", dx=-_GAP, dy=-5),
    ]
    layers = [reference, points, *(names.encode(text=alt.Text("name:N")) for names in sides)]
    fit_text = ""
    if fit is not None:
        span = np.array([table[x].min(), table[x].max()], dtype=float)
        line = _line(span, fit.intercept + fit.slope * span).mark_line(color=INK, size=1.5)
        layers.insert(1, line)
        fit_text = f": slope {decimal_text(fit.slope, 2)}, r {decimal_text(fit.rvalue, 2)}"
    return alt.layer(*layers).properties(width=width, height=height), fit_text


def _points(base: AnyChart, table: pd.DataFrame, layout: Layout) -> AnyChart:
    """Coloured by group, if there are few, and square where a word was seen in training."""
    points = base.mark_point(filled=True, size=45, opacity=0.85, color=NEUTRAL)
    groups = [str(name) for name in table.group.unique()] if "group" in table else []
    if 0 < len(groups) <= len(CATEGORIES):
        labels = LegendLabels(groups, layout.width - _BESIDE)
        shown = dict(zip(groups, labels.domain, strict=True))
        points.data = table.assign(group=table.group.astype(str).map(shown))
        scale = alt.Scale(domain=labels.domain, range=colours_of(groups))
        points = points.encode(color=alt.Color("group:N", legend=labels.legend(), scale=scale))
    if "seen" in table:
        scale = alt.Scale(domain=[False, True], range=["circle", "square"])
        legend = alt.Legend(
            title=None,
            orient="bottom",
            labelExpr="datum.value ? 'seen in training' : 'not seen in training'",
            symbolFillColor=NEUTRAL,
            symbolStrokeColor=NEUTRAL,
        )
        points = points.encode(shape=alt.Shape("seen:N", legend=legend, scale=scale))
    return points


def _apart(places: pd.DataFrame) -> list[int]:
    """The first points whose names would not lie on each other."""
    chosen: list[int] = []
    for i, place in places.iterrows():
        others = places.loc[chosen]
        near = (others.along - place.along).abs() < others.room + place.room
        if not (near & ((others.up - place.up).abs() < LINE_HEIGHT)).any():
            chosen.append(int(i))  # type: ignore[call-overload]
        if len(chosen) == _LABELLED:
            break
    return chosen


def _with_zero(values: np.ndarray) -> Ends:
    return min(0.0, float(values.min())), max(0.0, float(values.max()))


def _pixels(values: pd.Series, ends: Ends, size: int) -> pd.Series:
    return (values - ends[0]) / ((ends[1] - ends[0]) or 1.0) * size


def _line(x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> AnyChart:
    return alt.Chart(pd.DataFrame({"along": x, "up": y})).encode(x=alt.X("along:Q"), y=alt.Y("up:Q"))

"""Scatter plots with a fitted line: before against after, the share of women at work against what the model says."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd
from scipy import stats

from counterpoise.report.charts.style import FAMILY, INK, SOFT, AnyChart, finish, number_axis, rule_at

_SIDE = 380
_LABELLED = 6  # words that lie furthest from the line carry their name


def before_after(table: pd.DataFrame, names: tuple[str, str] = ("before", "after")) -> AnyChart:
    """The value of each word in two runs, with the least-squares line and, dashed, the line of no change.

    Columns: `word`, `before`, `after`; if there, `group` colours the points and words that are `seen` are squares.

    >>> table = pd.DataFrame({"word": ["a", "b", "c"], "before": [0.0, 1.0, 2.0], "after": [0.0, 0.5, 1.0]})
    >>> before_after(table).to_dict()["description"]
    'Scatter plot of 3 words, before against after: slope 0.50, r 1.00.'
    """
    ends = [float(table[["before", "after"]].min().min()), float(table[["before", "after"]].max().max())]
    same = _line(ends, ends).mark_line(color=SOFT, strokeDash=[4, 3], size=1)
    chart, fit_text = _scatter(table, "before", "after", names, same)
    return finish(chart, f"Scatter plot of {len(table)} words, {names[0]} against {names[1]}{fit_text}.")


def workforce(table: pd.DataFrame, title: str = "male - female association") -> AnyChart:
    """What the model says of professions against the share of women who work in them (Bartl et al. 2020).

    Columns: `word`, `women_share` in per cent, `value`; if there, `group` colours the points.

    >>> table = pd.DataFrame({"word": ["mason", "nurse"], "women_share": [3.0, 89.0], "value": [0.9, -0.4]})
    >>> workforce(table).to_dict()["description"]
    'Scatter plot of 2 professions, share of women at work against male - female association: slope -0.02, r -1.00.'
    """
    titles = ("share of women at work, %", title)
    chart, fit_text = _scatter(table, "women_share", "value", titles, rule_at(0, "y", size=1))
    return finish(
        chart, f"Scatter plot of {len(table)} professions, share of women at work against {title}{fit_text}."
    )


def _scatter(
    table: pd.DataFrame, x: str, y: str, titles: tuple[str, str], reference: AnyChart
) -> tuple[AnyChart, str]:
    """The points with their least-squares line, and the line in words; nothing to say if all x are equal."""
    columns = [name for name in ("word", x, y, "group", "seen") if name in table]
    fit = stats.linregress(table[x], table[y]) if np.ptp(table[x]) > 0 else None
    table = table[columns].reset_index(drop=True).assign(name="")
    if fit is not None:
        away = (table[y] - fit.intercept - fit.slope * table[x]).abs().sort_values(ascending=False)
        for i in _apart(table[[x, y]].iloc[away.index]):
            table.loc[i, "name"] = str(table.word[i])
    base = alt.Chart(table).encode(
        x=alt.X(f"{x}:Q", axis=number_axis(titles[0]), scale=alt.Scale(zero=False)),
        y=alt.Y(f"{y}:Q", axis=number_axis(titles[1]), scale=alt.Scale(zero=False)),
    )
    points = base.mark_point(filled=True, size=45, opacity=0.85, color=FAMILY[0])
    if "group" in table and table.group.nunique() <= len(FAMILY):
        groups = list(table.group.unique())
        points = points.encode(
            color=alt.Color(
                "group:N", title=None, scale=alt.Scale(domain=groups, range=list(FAMILY[: len(groups)]))
            )
        )
    if "seen" in table:
        points = points.encode(
            shape=alt.Shape(
                "seen:N",
                title="seen in training",
                scale=alt.Scale(domain=[False, True], range=["circle", "square"]),
            )
        )
    names = base.mark_text(align="left", dx=6, dy=-5).encode(text="name:N")
    layers = [reference, points, names]
    if fit is None:
        return alt.layer(*layers).properties(width=_SIDE, height=_SIDE), ""
    ends = np.array([table[x].min(), table[x].max()], dtype=float)
    line = _line(ends, fit.intercept + fit.slope * ends).mark_line(color=INK, size=1.5)
    fit_text = f": slope {fit.slope:.2f}, r {fit.rvalue:.2f}"
    return alt.layer(*layers[:1], line, *layers[1:]).properties(width=_SIDE, height=_SIDE), fit_text


def _apart(places: pd.DataFrame) -> list[int]:
    """The first points whose names would not lie on each other."""
    unit = (places - places.min()) / (places.max() - places.min()).replace(0, 1)
    chosen: list[int] = []
    for i in range(len(unit)):
        away = (unit.iloc[chosen] - unit.iloc[i]).abs().to_numpy()
        if not ((away[:, 0] < 0.4) & (away[:, 1] < 0.05)).any():
            chosen.append(i)
        if len(chosen) == _LABELLED:
            break
    return places.index[chosen].tolist()


def _line(x: np.ndarray | list[float], y: np.ndarray | list[float]) -> AnyChart:
    return alt.Chart(pd.DataFrame({"along": x, "up": y})).encode(x="along:Q", y="up:Q")

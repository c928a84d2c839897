"""Values over the steps of a training: a line with its band of 95 % intervals."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from counterpoise.core.numbers import estimate_text
from counterpoise.report.charts.layout import WIDE, Layout
from counterpoise.report.charts.style import (
    CATEGORIES,
    AnyChart,
    finish,
    number_axis,
    panel_title,
    rule_at,
)

_EXTENT = 68  # of the axis of values: long numbers fit
_BESIDE = 90  # room for it beside the plotting area
_HEIGHT = {1: 260, 2: 200}  # of a panel, by how many there are
_LOW = 150  # of one of many
_MANY = 60  # steps from which on points would hide the line
_COLOUR = CATEGORIES[0]  # not that of a gender: measures differ in what their signs mean


def step_curve(rows: pd.DataFrame, *, layout: Layout = WIDE) -> AnyChart:
    """A line over steps for each panel, with a scale of its own, its intervals as a band, and its ideal dashed.

    Columns: `panel`, `step`, `value`, `ci_low`, `ci_high`, `ideal` (missing where there is no single one) and
    `differs`: points are filled where the model differs from the first one, hollow where no difference was found.

    >>> rows = pd.DataFrame({"panel": "APPD", "step": [0, 500], "value": [0.1, 0.3], "ci_low": [0.0, 0.2]})
    >>> rows = rows.assign(ci_high=[0.2, 0.4], ideal=0.0, differs=[False, True])
    >>> step_curve(rows).to_dict()["description"]
    'Curve over 2 steps. APPD: 0.10 [0, 0.20] at step 0, 0.30 [0.20, 0.40] at step 500.'
    """
    panels = [(str(name), panel_rows) for name, panel_rows in rows.groupby("panel", sort=False)]
    height = _HEIGHT.get(len(panels), _LOW)
    charts = [_panel(name, of_panel, layout, height) for name, of_panel in panels]
    described = " ".join(_described(name, of_panel) for name, of_panel in panels)
    return finish(alt.vconcat(*charts), f"Curve over {rows.step.nunique():,} steps. {described}")


def _panel(name: str, rows: pd.DataFrame, layout: Layout, height: int) -> AnyChart:
    width = layout.width - _BESIDE
    ideals = rows.ideal.dropna().unique()
    table = rows[["step", "value", "ci_low", "ci_high"]].assign(differs=rows.differs.astype(int))
    steps: dict[str, Any] = {**number_axis("training step", layout, width), "format": ",d", "grid": False}
    base = alt.Chart(table).encode(
        x=alt.X("step:Q", axis=steps, scale=alt.Scale(zero=False, nice=False, padding=12))
    )
    scale = alt.Scale(zero=len(ideals) == 0, nice=True)
    axis = {**number_axis(None, layout, width), "tickCount": 5, "minExtent": _EXTENT}

    def up(column: str) -> Any:
        return alt.Y(f"{column}:Q", axis=axis, scale=scale)

    band = base.transform_filter("isValid(datum.ci_low) && isValid(datum.ci_high)")
    layers = [rule_at(float(ideal), "y") for ideal in ideals]
    layers += [
        band.mark_area(opacity=0.2, color=_COLOUR).encode(y=up("ci_low"), y2=alt.Y2("ci_high")),
        base.mark_line(color=_COLOUR, size=2).encode(y=up("value")),
    ]
    if len(table) <= _MANY:
        layers.append(
            base.mark_point(color=_COLOUR, fill=_COLOUR, size=45, opacity=1).encode(
                y=up("value"), fillOpacity=alt.FillOpacity("differs:Q", scale=None)
            )
        )
    return alt.layer(*layers).properties(width=width, height=height, title=panel_title(name, layout))


def _described(name: str, rows: pd.DataFrame) -> str:
    ends = rows.sort_values("step").iloc[[0, -1]].to_dict("records")
    told = [
        f"{estimate_text(row['value'], row['ci_low'], row['ci_high'])} at step {row['step']:,}"
        for row in ends
    ]
    return f"{name}: {', '.join(told)}."

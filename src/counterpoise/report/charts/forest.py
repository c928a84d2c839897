"""The forest plot: every value with its interval beside its ideal."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from counterpoise.core.numbers import estimate_text
from counterpoise.report.charts.layout import WIDE, Layout, RowLabels
from counterpoise.report.charts.style import (
    FEMALE,
    MALE,
    NEUTRAL,
    AnyChart,
    finish,
    number_axis,
    panel_title,
    rule_at,
)

_ROW = 22  # height of a row
_DESCRIBED = 12  # rows of a panel that its description has


def forest(rows: pd.DataFrame, *, layout: Layout = WIDE) -> AnyChart:
    """Values with intervals, one panel per unit with a scale of its own and a dashed line at the ideal.

    Columns: `panel` (what is measured, in which unit), `label`, `value`, `ci_low`, `ci_high`, `ideal`; the last three
    may be missing values. A row without an interval is drawn hollow. Scales hold the ideal, or 0 where there is none.
    If there, `by_gender` says of which rows the sign means a gender: they are blue above the ideal, vermilion below it.

    >>> rows = pd.DataFrame({"panel": "APPD", "label": ["all"], "value": [0.3], "ci_low": [0.2], "ci_high": [0.4]})
    >>> forest(rows.assign(ideal=0.0)).to_dict()["description"]
    'Forest plot. APPD (ideal 0): all 0.300 [0.200, 0.400].'
    """
    labels = RowLabels.fit(rows.label, layout)
    panels = [(str(name), panel_rows) for name, panel_rows in rows.groupby("panel", sort=False)]
    charts = [_panel(name, panel_rows, labels) for name, panel_rows in panels]
    descriptions = [_described(name, panel_rows) for name, panel_rows in panels]
    return finish(alt.vconcat(*charts), "Forest plot. " + " ".join(descriptions))


def _panel(name: str, rows: pd.DataFrame, labels: RowLabels) -> AnyChart:
    ideals = rows.ideal.dropna().unique()
    scale = {"zero": len(ideals) == 0, "nice": True, "padding": 10}
    axis = number_axis(None, labels.layout, labels.plot)
    layers = [rule_at(float(ideal)) for ideal in ideals]
    layers += dots_and_intervals(rows.assign(away=rows.value - rows.ideal), labels, scale, axis)
    return alt.layer(*layers).properties(
        width=labels.plot, height=alt.Step(labels.step(_ROW)), title=panel_title(name, labels.layout)
    )


def dots_and_intervals(
    rows: pd.DataFrame, labels: RowLabels, scale: dict[str, Any], axis: dict[str, Any]
) -> list[AnyChart]:
    """A dot for each value and a line for its interval; `away` is how far the value lies from its ideal."""
    table = rows[["value", "ci_low", "ci_high"]].assign(
        label=labels.break_lines(rows.label),
        has_interval=(rows.ci_low.notna() & rows.ci_high.notna()).astype(int),
        colour=_colours(rows),
    )
    colour = alt.Color("colour:N", scale=None)
    base = alt.Chart(table).encode(y=alt.Y("label:N", sort=None, axis=labels.axis()))
    intervals = (
        base.transform_filter("datum.has_interval")
        .mark_rule(size=2)
        .encode(x=alt.X("ci_low:Q", scale=scale, axis=axis), x2=alt.X2("ci_high"), color=colour)
    )
    dots = base.mark_point(size=60, filled=True, opacity=1).encode(
        x=alt.X("value:Q", scale=scale, axis=axis),
        fill=alt.Fill("colour:N", scale=None),
        stroke=alt.Stroke("colour:N", scale=None),
        fillOpacity=alt.FillOpacity("has_interval:Q", scale=None),  # 1 or 0
    )
    return [intervals, dots]


def _colours(rows: pd.DataFrame) -> list[str]:
    if "by_gender" not in rows:
        return [NEUTRAL] * len(rows)
    return [
        (MALE if away > 0 else FEMALE) if by_gender and away else NEUTRAL
        for away, by_gender in zip(rows.away.fillna(0.0), rows.by_gender, strict=True)
    ]


def _described(name: str, rows: pd.DataFrame) -> str:
    ideal = rows.ideal.dropna().unique()
    beside = f" (ideal {ideal[0]:g})" if len(ideal) == 1 else ""
    shown = [
        f"{row['label']} {estimate_text(row['value'], row['ci_low'], row['ci_high'], 3)}".strip()
        for row in rows.head(_DESCRIBED).to_dict("records")
    ]
    more = f" and {len(rows) - _DESCRIBED} more" if len(rows) > _DESCRIBED else ""
    return f"{name}{beside}: {'; '.join(shown)}{more}."

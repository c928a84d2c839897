"""The forest plot: every value with its interval beside its ideal."""

from __future__ import annotations

import altair as alt
import pandas as pd

from counterpoise.core.numbers import estimate_text
from counterpoise.report.charts.style import (
    INK,
    MALE,
    WIDTH,
    AnyChart,
    finish,
    number_axis,
    rule_at,
    words_axis,
)

_ROW = 20  # height of a row
_DESCRIBED = 12  # rows of a panel that its description has


def forest(rows: pd.DataFrame) -> AnyChart:
    """Values with intervals, one panel per unit with a scale of its own and a dashed line at the ideal.

    Columns: `panel` (what is measured, in which unit), `label`, `value`, `ci_low`, `ci_high`, `ideal`; the last three
    may be missing values. A row without an interval is drawn hollow.

    >>> rows = pd.DataFrame({"panel": "APPD", "label": ["all"], "value": [0.3], "ci_low": [0.2], "ci_high": [0.4]})
    >>> forest(rows.assign(ideal=0.0)).to_dict()["description"]
    'Forest plot. APPD (ideal 0): all 0.300 [0.200, 0.400].'
    """
    panels = [(str(name), panel_rows) for name, panel_rows in rows.groupby("panel", sort=False)]
    charts = [_panel(name, panel_rows) for name, panel_rows in panels]
    descriptions = [_described(name, panel_rows) for name, panel_rows in panels]
    return finish(alt.vconcat(*charts), "Forest plot. " + " ".join(descriptions))


def _panel(name: str, rows: pd.DataFrame) -> AnyChart:
    rows = rows.assign(has_interval=rows.ci_low.notna() & rows.ci_high.notna())
    base = alt.Chart(rows[["label", "value", "ci_low", "ci_high", "has_interval"]]).encode(
        y=alt.Y("label:N", sort=None, axis=words_axis())
    )
    scale = alt.Scale(zero=False, nice=True, padding=10)
    intervals = (
        base.transform_filter("datum.has_interval")
        .mark_rule(color=MALE, size=2)
        .encode(x=alt.X("ci_low:Q", scale=scale, axis=number_axis(None)), x2="ci_high:Q")
    )
    points = base.mark_point(size=55, filled=True, opacity=1, color=MALE, stroke=MALE).encode(
        x=alt.X("value:Q", scale=scale, axis=number_axis(None)),
        fillOpacity=alt.condition("datum.has_interval", alt.value(1), alt.value(0)),
    )
    layers = [intervals, points]
    ideal = rows.ideal.dropna().unique()
    if len(ideal) == 1:
        layers.insert(0, rule_at(float(ideal[0])))
    return alt.layer(*layers).properties(
        width=WIDTH, height=alt.Step(_ROW), title=alt.TitleParams(name, color=INK, offset=4)
    )


def _described(name: str, rows: pd.DataFrame) -> str:
    ideal = rows.ideal.dropna().unique()
    beside = f" (ideal {ideal[0]:g})" if len(ideal) == 1 else ""
    shown = [
        f"{row['label']} {estimate_text(row['value'], row['ci_low'], row['ci_high'], 3)}".strip()
        for row in rows.head(_DESCRIBED).to_dict("records")
    ]
    more = f" and {len(rows) - _DESCRIBED} more" if len(rows) > _DESCRIBED else ""
    return f"{name}{beside}: {'; '.join(shown)}{more}."

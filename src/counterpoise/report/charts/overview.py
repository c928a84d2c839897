"""All measures in one chart: how far each is from its ideal, in units of the smallest effect it would detect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from counterpoise.core.numbers import estimate_text
from counterpoise.measures.base.result import GENDERS, STEREOTYPE, Direction, Result
from counterpoise.report.charts.draw import Figure
from counterpoise.report.charts.forest import dots_and_intervals
from counterpoise.report.charts.layout import WIDE, Layout, RowLabels, text_width, wrapped
from counterpoise.report.charts.style import (
    GENDER_COLOURS,
    LINE,
    SOFT,
    AnyChart,
    finish,
    listed,
    rule_at,
)
from counterpoise.report.wording import measure_title

_ROW = 26  # height of a row
_TICKS = (0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000)  # and the same below 0
_UNIT = "bias in units of the minimum detectable effect"
_APART = "\u2003\u2003"  # wide spaces, which SVG keeps
TOWARDS = {GENDERS: f"← women{_APART}men →", STEREOTYPE: f"← counter-stereotype{_APART}stereotype →"}
OTHER = f"← below ideal{_APART}above ideal →"
_CAPTION = (
    "Dots show the bias of each measure and lines its 95 % interval, in units of the smallest effect that its items "
    "would reliably detect (80 % power), so that all measures share one scale. Inside the shaded band a bias is "
    "smaller than that. Beyond 1 the scale is logarithmic."
)


def overview(results: Sequence[Result]) -> list[Figure]:
    """The headline rows of all measures in one chart; nothing if none can be drawn."""
    rows = pd.concat([_rows(result) for result in results], ignore_index=True)
    numbers = rows[["value", "ci_low", "ci_high"]].to_numpy(dtype=float)
    can_be_drawn = pd.Series(np.isfinite(numbers).all(axis=1))
    shown, missing = rows[can_be_drawn], rows[~can_be_drawn]
    if shown.empty:
        return []
    caption = f"{_CAPTION} {GENDER_COLOURS}" if shown.by_gender.any() else _CAPTION
    if len(missing):
        names = ", ".join(missing.label)
        caption += f" Not drawn, for lack of an interval or of a minimum detectable effect: {names}."
    chart = partial(detectable_forest, shown)
    return [Figure("overview", "All measures at a glance", chart, caption)]


def _rows(result: Result) -> pd.DataFrame:
    """The headlines of a measure, in units of what they could detect."""
    rows = result.headlines
    unit = rows.smallest_detectable.where(rows.smallest_detectable > 0)
    title = measure_title(result.measure)
    directions = [result.direction_of(key) for key in rows.key]
    return pd.DataFrame(
        {
            "panel": [_towards(direction) for direction in directions],
            "label": [title] if len(rows) == 1 else [f"{title}: {_test(row)}" for row in rows.itertuples()],
            **{name: (rows[name] - rows.ideal) / unit for name in ("value", "ci_low", "ci_high")},
            "by_gender": [direction.sides == GENDERS for direction in directions],
        }
    )


def _test(row: Any) -> str:
    """The short name of a test, from the row's key; the group that readers see if the key has none."""
    return str(row.key.partition(".")[2] or row.group)


def _towards(direction: Direction) -> str:
    return OTHER if direction.sides is None else TOWARDS.get(direction.sides, OTHER)


def detectable_forest(rows: pd.DataFrame, *, layout: Layout = WIDE) -> AnyChart:
    """Values and intervals on one scale that is linear up to 1 and logarithmic beyond, with a panel per direction.

    Columns: `panel` (which way is which), `label`, `value`, `ci_low`, `ci_high` and `by_gender`, all in units of the
    minimum detectable effect, with the ideal at 0.

    >>> rows = pd.DataFrame({"panel": TOWARDS[GENDERS], "label": ["PPD"], "value": [9.8], "ci_low": [9.1]})
    >>> detectable_forest(rows.assign(ci_high=10.5, by_gender=True)).to_dict()["description"]
    'Bias in units of the minimum detectable effect. ← women men →: PPD 9.80 [9.10, 10.50].'
    """
    labels = RowLabels.fit(rows.label, layout)
    most = 1.25 * max(1.6, float(rows[["value", "ci_low", "ci_high"]].abs().to_numpy().max()))
    panels = [panel for panel in (*TOWARDS.values(), OTHER) if panel in set(rows.panel)]
    tables = {panel: rows[rows.panel == panel] for panel in panels}
    charts = [
        _panel(table, labels, most, _axis_title(panel, labels.plot, with_unit=panel == panels[-1]))
        for panel, table in tables.items()
    ]
    return finish(alt.vconcat(*charts), f"{_UNIT.capitalize()}. {' '.join(map(_described, tables.values()))}")


def _axis_title(towards: str, room: float, *, with_unit: bool) -> list[str]:
    """Which way is which, on two lines if there is no room for one; below it the unit."""
    directions = [towards] if text_width(towards) < room else towards.split(_APART)
    return [*directions, *(wrapped(_UNIT, room) if with_unit else [])]


def _panel(rows: pd.DataFrame, labels: RowLabels, most: float, title: list[str]) -> AnyChart:
    ends = [tick for tick in _TICKS if tick < most]
    # A phone has no room for the ticks of large effects: every second of those beyond 1.
    if labels.layout != WIDE and len(ends) > 4:
        ends = [0, 1, *ends[3::2]]
    ticks = sorted({sign * tick for tick in ends for sign in (-1, 1)})
    axis = {"title": title, "values": ticks, "domain": False, "labelFlush": False}
    scale = {"type": "symlog", "constant": 1, "domain": [-most, most], "nice": False}
    band = alt.Chart(pd.DataFrame({"low": [-1.0], "high": [1.0]})).mark_rect(color=LINE, opacity=0.5)
    layers = [
        band.encode(x=alt.X("low:Q", scale=scale, axis=axis), x2=alt.X2("high")),
        rule_at(0, color=SOFT),
        *dots_and_intervals(rows.assign(away=rows.value), labels, scale, axis),
    ]
    return alt.layer(*layers).properties(width=labels.plot, height=alt.Step(labels.step(_ROW)))


def _described(rows: pd.DataFrame) -> str:
    texts = [
        f"{row['label']} {estimate_text(row['value'], row['ci_low'], row['ci_high'])}"
        for row in rows.to_dict("records")
    ]
    return f"{' '.join(rows.panel.iloc[0].split())}: {listed(texts, 24)}."

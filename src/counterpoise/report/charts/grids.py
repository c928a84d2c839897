"""The heat map of models and measures, and the power curve."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from counterpoise.core.numbers import decimal_text
from counterpoise.report.charts.style import (
    FAMILY,
    FEMALE,
    INK,
    LABELS,
    MALE,
    SOFT,
    WIDTH,
    AnyChart,
    finish,
    listed,
    number_axis,
    rule_at,
)


def heat_map(table: pd.DataFrame) -> AnyChart:
    """Models beside measures, coloured by effect size, so that measures of different units can share a scale.

    Columns: `model`, `measure`, `effect_size` and `text`, what stands in the cell. White is no bias, blue positive,
    vermilion negative.

    >>> table = pd.DataFrame({"model": ["a"], "measure": ["ppd"], "effect_size": [1.2], "text": ["0.44"]})
    >>> heat_map(table).to_dict()["description"]
    'Heat map of 1 models and 1 measures, coloured by effect size: a, ppd 1.200.'
    """
    most = max(0.5, float(table.effect_size.abs().max()) if table.effect_size.notna().any() else 0.5)
    plain: dict[str, Any] = {"title": None, "domain": False, "ticks": False}
    cells = alt.Chart(table).encode(
        x=alt.X("measure:N", sort=None, axis=alt.Axis(orient="top", labelAngle=0, **plain)),
        y=alt.Y("model:N", sort=None, axis=alt.Axis(labelLimit=LABELS, **plain)),
    )
    colour = alt.Color(
        "effect_size:Q",
        title="effect size",
        scale=alt.Scale(domain=[-most, 0, most], range=[FEMALE, "#ffffff", MALE], interpolate="rgb"),
    )
    squares = cells.mark_rect(stroke=SOFT, strokeWidth=0.5).encode(color=colour)
    # Dark text on pale cells, white on dark ones, whatever the page's own colours are.
    limit = 0.6 * most
    dark, pale = f"abs(datum.effect_size) > {limit}", f"!(abs(datum.effect_size) > {limit})"
    layers = [
        squares,
        cells.transform_filter(dark).mark_text(color="#ffffff").encode(text="text:N"),
        cells.transform_filter(pale).mark_text(color="#1b1f25").encode(text="text:N"),
    ]
    cells_in_words = [
        f"{row['model']}, {row['measure']} {decimal_text(row['effect_size'])}"
        for row in table.to_dict("records")
    ]
    chart = alt.layer(*layers).properties(width=alt.Step(95), height=alt.Step(34))
    shape = f"{table.model.nunique()} models and {table.measure.nunique()} measures"
    return finish(chart, f"Heat map of {shape}, coloured by effect size: {listed(cells_in_words, 24)}.")


def power_curve(table: pd.DataFrame, title: str = "true bias") -> AnyChart:
    """The chance that such a sample would show a bias as significant, against how large the bias is.

    Columns: `bias`, `power` between 0 and 1; if there, `measure` draws a line each. The dashed line is at 80 %.

    >>> power_curve(pd.DataFrame({"bias": [0.0, 0.1, 0.2], "power": [0.05, 0.5, 0.9]})).to_dict()["description"]
    'Power curve. A true bias is found with 80 % chance from 0.200.'
    """
    names = list(table.measure.unique()) if "measure" in table else []
    chance = alt.Axis(title="chance to find it", format="%", domain=False)
    line = alt.Chart(table).mark_line(size=2, color=MALE)
    line = line.encode(
        x=alt.X("bias:Q", axis=number_axis(title)),
        y=alt.Y("power:Q", scale=alt.Scale(domain=[0, 1]), axis=chance),
    )
    if names:
        scale = alt.Scale(domain=names, range=[FAMILY[i % len(FAMILY)] for i in range(len(names))])
        dashes = alt.StrokeDash(
            "measure:N", title=None, scale=alt.Scale(domain=names)
        )  # more lines than colours
        line = line.encode(color=alt.Color("measure:N", title=None, scale=scale), strokeDash=dashes)
    enough = [_enough(f"{name} ", table[table.measure == name]) for name in names] or [_enough("", table)]
    chart = alt.layer(rule_at(0.8, "y", color=INK), line).properties(width=WIDTH, height=180)
    return finish(chart, f"Power curve. A true bias is found with 80 % chance from {', '.join(enough)}.")


def _enough(name: str, table: pd.DataFrame) -> str:
    """The minimum detectable effect at 80 % power, in words."""
    detectable = table[table.power >= 0.8].bias
    if len(detectable):
        return f"{name}{decimal_text(detectable.min())}"
    return f"{name}more than {decimal_text(table.bias.max())}"

"""The heat map of models and measures, and the power curve."""

from __future__ import annotations

import altair as alt
import pandas as pd

from counterpoise.core.numbers import decimal_text
from counterpoise.report.charts.layout import WIDE, Layout, LegendLabels, RowLabels, column_axis, wrapped
from counterpoise.report.charts.style import (
    CATEGORIES,
    INK,
    NEUTRAL,
    SOFT,
    AnyChart,
    colours_of,
    finish,
    listed,
    number_axis,
    rule_at,
)

_NARROWEST = 44  # of a column
_BESIDE = 80  # room for the axis beside the power curve
_BELOW, _ABOVE = (
    CATEGORIES[1],
    CATEGORIES[0],
)  # not those of genders: measures differ in what their signs mean
_INK_ON_CELLS = (
    "#1b1f25"  # cells stay as they are on a dark page, so this must not be the colour that is exchanged
)


def heat_map(table: pd.DataFrame, *, layout: Layout = WIDE) -> AnyChart:
    """Measures beside models, coloured by effect size, so that measures of different units can share a scale.

    Columns: `model`, `measure`, `effect_size` and `text`, what stands in the cell. White is no bias, green is above
    the ideal, purple below it.

    >>> table = pd.DataFrame({"model": ["a"], "measure": ["ppd"], "effect_size": [1.2], "text": ["0.44"]})
    >>> heat_map(table).to_dict()["description"]
    'Heat map of 1 models and 1 measures, coloured by effect size: a, ppd 1.200.'
    """
    labels = RowLabels.fit(table.measure, layout)
    step = max(_NARROWEST, labels.plot / table.model.nunique())
    most = max(0.5, float(table.effect_size.abs().max()) if table.effect_size.notna().any() else 0.5)
    rows = table.assign(
        measure=labels.break_lines(table.measure),
        model=["\n".join(wrapped(str(name), step - 6)) for name in table.model],
    )
    cells = alt.Chart(rows).encode(
        x=alt.X("model:N", sort=None, axis=column_axis()),
        y=alt.Y("measure:N", sort=None, axis=labels.axis()),
    )
    colour = alt.Color(
        "effect_size:Q",
        title="effect size",
        scale=alt.Scale(domain=[-most, 0, most], range=[_BELOW, "#ffffff", _ABOVE], interpolate="rgb"),
    )
    layers = [
        cells.mark_rect(stroke=SOFT, strokeWidth=0.5).encode(color=colour),
        cells.mark_text(color=_INK_ON_CELLS).encode(text=alt.Text("text:N")),
    ]
    cells_in_words = [
        f"{row['model']}, {row['measure']} {decimal_text(row['effect_size'])}"
        for row in table.to_dict("records")
    ]
    chart = alt.layer(*layers).properties(width=alt.Step(step), height=alt.Step(labels.step(34)))
    shape = f"{table.model.nunique()} models and {table.measure.nunique()} measures"
    return finish(chart, f"Heat map of {shape}, coloured by effect size: {listed(cells_in_words, 24)}.")


def power_curve(table: pd.DataFrame, title: str = "true bias", *, layout: Layout = WIDE) -> AnyChart:
    """The chance that such a sample would show a bias as significant, against how large the bias is.

    Columns: `bias`, `power` between 0 and 1; if there, `measure` draws a line each. The dashed line is at 80 %.

    >>> power_curve(pd.DataFrame({"bias": [0.0, 0.1, 0.2], "power": [0.05, 0.5, 0.9]})).to_dict()["description"]
    'Power curve. A true bias is found with 80 % chance from 0.200.'
    """
    names = [str(name) for name in table.measure.unique()] if "measure" in table else []
    width = layout.width - _BESIDE
    labels = LegendLabels(names, width)
    rows = table.assign(measure=table.measure.map(labels.break_lines)) if names else table
    chance = alt.Axis(title="chance to find it", format="%", domain=False, tickCount=5)
    line = alt.Chart(rows).mark_line(size=2, color=NEUTRAL)
    line = line.encode(
        x=alt.X("bias:Q", axis=number_axis(title, layout, width)),
        y=alt.Y("power:Q", scale=alt.Scale(domain=[0, 1]), axis=chance),
    )
    if names:
        colours = alt.Scale(domain=labels.domain, range=colours_of(names))
        line = line.encode(
            color=alt.Color("measure:N", legend=labels.legend(), scale=colours),
            # There may be more lines than colours.
            strokeDash=alt.StrokeDash(
                "measure:N", legend=labels.legend(), scale=alt.Scale(domain=labels.domain)
            ),
        )
    enough = [_enough(f"{name} ", table[table.measure == name]) for name in names] or [_enough("", table)]
    chart = alt.layer(rule_at(0.8, "y", color=INK), line).properties(width=width, height=220)
    return finish(chart, f"Power curve. A true bias is found with 80 % chance from {', '.join(enough)}.")


def _enough(name: str, table: pd.DataFrame) -> str:
    """The minimum detectable effect at 80 % power, in words."""
    detectable = table[table.power >= 0.8].bias
    if len(detectable):
        return f"{name}{decimal_text(detectable.min())}"
    return f"{name}more than {decimal_text(table.bias.max())}"

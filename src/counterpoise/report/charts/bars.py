"""Bars: the value of each word, of one run or before and after; mean positive and mean negative bias."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from counterpoise.core.numbers import decimal_text
from counterpoise.report.charts.layout import WIDE, Layout, LegendLabels, RowLabels
from counterpoise.report.charts.style import (
    FEMALE,
    INK,
    MALE,
    NEUTRAL,
    AnyChart,
    colours_of,
    colours_of_runs,
    finish,
    listed,
    number_axis,
    panel_title,
    rule_at,
)

_ROW = 17  # height of a bar with its gap
_BAR = 8  # of one of several bars beside each other


def word_bars(
    table: pd.DataFrame, title: str = "male - female", *, by_gender: bool = True, layout: Layout = WIDE
) -> AnyChart:
    """A bar per word, in the order given; blue to the right of 0, vermilion to the left, or grey unless `by_gender`.

    Columns: `word` and `value`; if there: `ci_low` and `ci_high` draw the interval, `group` makes a panel each, `run`
    (before and after, or before, a control and after) sets bars beside each other, and words that are `seen` (a
    profession that training text had) carry a star.

    >>> table = pd.DataFrame({"word": ["nurse", "mason"], "value": [-0.4, 0.6], "seen": [True, False]})
    >>> word_bars(table).to_dict()["description"]
    'Bars of 2 words, male - female. Highest: mason 0.600. Lowest: ★ nurse -0.400. A star marks words seen in training.'
    """
    table = table.assign(word=table.word.astype(str))
    note = ""
    if "seen" in table:
        table["word"] = table.word.where(~table.seen.astype(bool), "★ " + table.word)
        note = " A star marks words seen in training."
    runs = [str(run) for run in table.run.unique()] if "run" in table else []
    labels = RowLabels.fit(table.word, layout)
    groups = list(table.groupby("group", sort=False)) if "group" in table else [("", table)]
    panels = {
        str(name): _before_after(words, title, runs, labels)
        if runs
        else _bars(words, title, by_gender, labels)
        for name, words in groups
    }
    height = _BAR * len(runs) + 4 if runs else _ROW
    return finish(_stacked(panels, height, labels), _described(table, title, runs) + note)


def _stacked(panels: Mapping[str, AnyChart], row: int, labels: RowLabels) -> AnyChart:
    """Panels below each other by title, with one scale; a single one alone."""
    height = {"step": labels.step(row), "for": "position"}
    charts = [
        chart.properties(
            width=labels.plot,
            height=height,
            **({"title": panel_title(title, labels.layout)} if title else {}),
        )
        for title, chart in panels.items()
    ]
    return alt.vconcat(*charts).resolve_scale(x="shared") if len(charts) > 1 else charts[0]


def _rows(table: pd.DataFrame, labels: RowLabels) -> AnyChart:
    columns = [name for name in ("word", "value", "run", "colour", "ci_low", "ci_high") if name in table]
    rows = table[columns].assign(word=labels.break_lines(table.word))
    return alt.Chart(rows).encode(y=alt.Y("word:N", sort=None, axis=labels.axis()))


def _bars(table: pd.DataFrame, title: str, by_gender: bool, labels: RowLabels) -> AnyChart:
    positive, negative = (MALE, FEMALE) if by_gender else (NEUTRAL, NEUTRAL)
    base = _rows(table.assign(colour=[negative if value < 0 else positive for value in table.value]), labels)
    bars = base.mark_bar(size=_ROW - 2).encode(
        x=alt.X("value:Q", axis=number_axis(title, labels.layout, labels.plot)),
        color=alt.Color("colour:N", scale=None),
    )
    if not {"ci_low", "ci_high"} <= set(table):
        return alt.layer(bars)
    intervals = (
        base.transform_filter("isValid(datum.ci_low)")
        .mark_rule(color=INK, size=1)
        .encode(x=alt.X("ci_low:Q"), x2=alt.X2("ci_high"))
    )
    return alt.layer(bars, intervals)


def _before_after(table: pd.DataFrame, title: str, runs: list[str], labels: RowLabels) -> AnyChart:
    names = LegendLabels(runs, labels.plot)
    rows = table.assign(run=table.run.map(names.break_lines))
    scale = alt.Scale(domain=names.domain, range=colours_of_runs(runs))
    return (
        _rows(rows, labels)
        .mark_bar()
        .encode(
            x=alt.X("value:Q", axis=number_axis(title, labels.layout, labels.plot)),
            yOffset=alt.YOffset("run:N", sort=names.domain),
            color=alt.Color("run:N", sort=names.domain, legend=names.legend(), scale=scale),
        )
    )


def _described(table: pd.DataFrame, title: str, runs: list[str]) -> str:
    last = table[table.run.astype(str) == runs[-1]] if runs else table
    ordered = last.sort_values("value")
    ends = [f"{word} {decimal_text(value)}" for word, value in zip(ordered.word, ordered.value, strict=True)]
    named = 3 if len(ends) > 5 else 1  # words at either end
    of, after = (f" for {' and '.join(runs)}", f" ({runs[-1]})") if runs else ("", "")
    return (
        f"Bars of {len(last)} words, {title}{of}. Highest{after}: {listed(ends[::-1][:named])}. "
        f"Lowest{after}: {listed(ends[:named])}."
    )


def mean_positive_negative(values: pd.Series, by: pd.Series) -> pd.DataFrame:
    """For each condition the mean of the values above 0, of those below, and of all absolute values but zeros.

    Zeros (a text without a gendered word) are left out, as in Jentzsch & Turan's figures; means of none are 0.

    >>> mean_positive_negative(pd.Series([0.2, -0.1, 0.0, 0.4]), pd.Series(["all"] * 4)).round(3).values.tolist()
    [['all', 0.3, -0.1, 0.233]]
    """
    rows = []
    for condition, group in values.groupby(by.to_numpy(), sort=False):
        means = [
            part.mean() if len(part) else 0.0
            for part in (group[group > 0], group[group < 0], group[group != 0].abs())
        ]
        rows.append([str(condition), *means])
    return pd.DataFrame(rows, columns=["condition", "positive", "negative", "absolute"])


def positive_negative(
    table: pd.DataFrame, title: str = "mean bias", *, by_gender: bool = True, layout: Layout = WIDE
) -> AnyChart:
    """Mean positive and mean negative bias of each condition (Jentzsch & Turan 2022, figures 3 and 4).

    Columns: `condition`, `positive`, `negative`; if there, `absolute` is drawn as a thin line either way, `family`
    (original, removed, mixed) colours the bars and `set` (of terms) makes a panel each. Without `family` bars are
    blue and vermilion, or grey unless `by_gender`.

    >>> table = pd.DataFrame({"condition": ["original"], "positive": [0.004], "negative": [-0.002]})
    >>> positive_negative(table).to_dict()["description"]
    'Bars, mean bias of values above and below 0: original 0.004 and -0.002.'
    """
    labels = RowLabels.fit(table.condition, layout)
    sets = table.groupby("set", sort=False) if "set" in table else [("", table)]
    panels = {str(name): _positive_negative(rows, title, by_gender, labels) for name, rows in sets}
    conditions = [
        f"{row['condition']} {decimal_text(row['positive'])} and {decimal_text(row['negative'])}"
        for row in table.to_dict("records")
    ]
    description = f"Bars, {title} of values above and below 0: {listed(conditions, 12)}."
    return finish(_stacked(panels, 2 * _ROW, labels), description)


def _positive_negative(table: pd.DataFrame, title: str, by_gender: bool, labels: RowLabels) -> AnyChart:
    families = [str(name) for name in table.family.unique()] if "family" in table else []
    names = LegendLabels(families, labels.plot)
    rows = table.assign(condition=labels.break_lines(table.condition))
    if families:
        rows["family"] = rows.family.map(names.break_lines)
    base = alt.Chart(rows).encode(y=alt.Y("condition:N", sort=None, axis=labels.axis()))
    sides = []
    for column, colour in (("positive", MALE), ("negative", FEMALE)):
        bars = base.mark_bar(size=2 * _ROW - 6).encode(
            x=alt.X(f"{column}:Q", axis=number_axis(title, labels.layout, labels.plot))
        )
        scale = alt.Scale(domain=names.domain, range=colours_of(families))
        sides.append(
            bars.encode(color=alt.Color("family:N", legend=names.legend(), scale=scale))
            if families
            else bars.encode(color=alt.value(colour if by_gender else NEUTRAL))
        )
    layers = [*sides, rule_at(0, strokeDash=[])]
    if "absolute" in table:
        thin = base.transform_calculate(below="-datum.absolute").mark_rule(color=INK, size=1.5)
        layers.append(thin.encode(x=alt.X("below:Q"), x2=alt.X2("absolute")))
    return alt.layer(*layers)

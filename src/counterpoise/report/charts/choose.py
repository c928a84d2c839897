"""Chooses the charts of a result from what it has, so that a new measure gets charts without asking for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.audit.words import word_table
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.source import Source
from counterpoise.report.charts.bars import mean_positive_negative, positive_negative, word_bars
from counterpoise.report.charts.draw import Figure
from counterpoise.report.charts.forest import forest
from counterpoise.report.charts.grids import heat_map, power_curve
from counterpoise.report.charts.scatter import before_after, workforce
from counterpoise.report.selection import lowest_and_highest

_MOST_BARS = 60  # of the lowest and the highest words; all are in the table
_GROUPS = ("group", "category", "test")  # what measures call the kind of a word
_MOST_GROUPS = 12


def overview(results: Sequence[Result]) -> Figure:
    """The headline rows of each measure, each measure on its own scale."""
    table = pd.concat([_labelled(result.headlines) for result in results], ignore_index=True)
    return Figure(
        "overview",
        "All measures at a glance",
        forest(table),
        "Each dot is a value, the line through it its 95 % interval, the dashed line the ideal. Units differ, so each "
        "measure has a scale of its own.",
    )


def charts_of(result: Result) -> list[Figure]:
    """The forest of its rows, the bars of its words, or what its items look like."""
    figures = [_forest(result)]
    words = word_table(result)
    if len(words) and not words.word.duplicated().any():
        figures.append(_bars(result, words))
        if "women_share" in words:
            figures += _workforce(result, words)
    else:
        figures += _positive_negative(result)
    return figures


def power_chart(results: Sequence[Result]) -> list[Figure]:
    """The power of each measure's items to show a bias, in standard deviations of their clusters."""
    tables = []
    for result in results:
        row, source = result.headline, _paired_source(result)
        if source is None or np.isnan(row.p_value) or np.isnan(row.ideal):
            continue
        values = source.of_clusters(source.observe(result.items)).dropna().to_numpy()
        spread = values.std(ddof=1)
        if spread > 0:
            biases = np.linspace(0, 1, 21)
            power = [stats.power_to_detect(bias * spread, values) for bias in biases]
            tables.append(pd.DataFrame({"bias": biases, "power": power, "measure": result.measure}))
    if not tables:
        return []
    chart = power_curve(
        pd.concat(tables, ignore_index=True), "true bias, in standard deviations of words or pairs"
    )
    caption = "How likely it is that the items at hand show a bias of a given size as significant (p < .05)."
    return [Figure("power", "What these items could have shown", chart, caption)]


def comparison_charts(first: Result, second: Result, names: tuple[str, str]) -> list[Figure]:
    """Bars before and after, and the scatter of the two, where both runs have the same words."""
    before, after = word_table(first), word_table(second)
    if not len(before) or before.word.duplicated().any() or after.word.duplicated().any():
        return []
    both = before.merge(after[["word", "value"]], on="word", suffixes=("", "_after"))
    if len(both) < 2:
        return []
    statistic = str(before.statistic.iloc[0])
    kind = _kind(both)
    both = both.rename(columns={kind: "group"}) if kind else both
    shown = lowest_and_highest(both.sort_values("value"), _MOST_BARS)
    bars = pd.concat(
        [
            shown[[*_with_group(shown), "word"]].assign(value=shown[column], run=name)
            for column, name in (("value", names[0]), ("value_after", names[1]))
        ]
    )
    table = both.rename(columns={"value": "before", "value_after": "after"})
    scatter = table[[*_with_group(table), "word", "before", "after"]]
    return [
        Figure(
            f"{first.measure}-bars",
            f"{statistic} of words",
            word_bars(bars, statistic),
            _left_out(both, shown),
        ),
        Figure(
            f"{first.measure}-scatter",
            f"{statistic}: {names[0]} against {names[1]}",
            before_after(scatter, names),
            "Dashed: no change. Solid: the least-squares line; where it is flatter than the dashed one, words lie "
            "closer together in the second run.",
        ),
    ]


def heat_chart(ranking: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Models beside measures, from the table of ranks."""
    ranking = ranking.sort_values("model", key=lambda models: models.map(list(names).index), kind="stable")
    text = [f"{row.value:.2f}" for row in ranking.itertuples()]
    chart = heat_map(ranking[["model", "measure", "effect_size"]].assign(text=text))
    return Figure(
        "models",
        "Models and measures",
        chart,
        "The number is the value; the colour is the effect size, by which measures of different units compare.",
    )


def _labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """Named by what is measured, or by test where there are several."""
    return rows.assign(
        panel=rows.measure, label=(rows.group if len(rows) > 1 else rows.statistic).astype(str)
    )


def _forest(result: Result) -> Figure:
    rows = result.summary[(result.summary.level != "word") & result.summary.value.notna()]
    # One unit per panel: rows of the same statistic and ideal share a scale.
    table = rows.assign(panel=rows.statistic, label=rows.group.astype(str)).drop_duplicates(
        ["panel", "label"]
    )
    return Figure(
        f"{result.measure}-forest",
        f"{result.measure}: values and intervals",
        forest(table),
        "Dashed: the ideal. Hollow: no interval.",
    )


def _bars(result: Result, words: pd.DataFrame) -> Figure:
    kind = _kind(words)
    words = words.rename(columns={kind: "group"}) if kind else words
    ordered = words.sort_values("value")
    shown = lowest_and_highest(ordered, _MOST_BARS)
    columns = [*_with_group(shown), "word", "value", "ci_low", "ci_high"]
    statistic = str(words.statistic.iloc[0])
    caption = "Blue: positive. Vermilion: negative. Lines: 95 % intervals. " + _left_out(ordered, shown)
    return Figure(
        f"{result.measure}-words",
        f"{statistic} of words",
        word_bars(shown[columns], statistic),
        caption.strip(),
    )


def _workforce(result: Result, words: pd.DataFrame) -> list[Figure]:
    kind = _kind(words)
    with_share = words[words.women_share.notna()].rename(columns={kind: "group"} if kind else {})
    if len(with_share) < 2:
        return []
    statistic = str(words.statistic.iloc[0])
    chart = workforce(with_share[[*_with_group(with_share), "word", "women_share", "value"]], statistic)
    caption = "A falling line: the more women work in a profession, the more female it is to the model."
    return [Figure(f"{result.measure}-workforce", "Beside the share of women at work", chart, caption)]


def _paired_source(result: Result) -> Source | None:
    """Where the headline comes from, if it is a mean over items that are there."""
    source = result.sources.get(result.headline.key)
    return source if source and source.is_paired and source.has_columns(result.items) else None


def _positive_negative(result: Result) -> list[Figure]:
    row, source = result.headline, _paired_source(result)
    is_share = source is not None and source.form in ("share", "share_above")
    if source is None or not (is_share or (source.form == "mean" and row.ideal == 0)):
        return []
    table = source.observe(result.items)
    kind = _kind(table)
    by = table[kind].astype(str) if kind else pd.Series("all", index=table.index)
    means = mean_positive_negative(table[source.column], by)
    chart = positive_negative(means, f"mean {source.column}")
    caption = (
        "Mean of the items above 0 and of those below. Thin line: the mean distance from 0, drawn either way."
    )
    return [
        Figure(
            f"{result.measure}-items",
            f"{source.column} of items, above and below 0",
            chart,
            caption,
        )
    ]


def _kind(table: pd.DataFrame) -> str | None:
    """The column that says of what kind a word or an item is, if there are a few kinds."""
    for name in _GROUPS:
        if name in table and 1 < table[name].nunique() <= _MOST_GROUPS and table[name].notna().all():
            return name
    return None


def _with_group(table: pd.DataFrame) -> list[str]:
    return ["group"] if "group" in table else []


def _left_out(table: pd.DataFrame, shown: pd.DataFrame) -> str:
    return f"The {len(shown)} lowest and highest of {len(table)} words." if len(shown) < len(table) else ""

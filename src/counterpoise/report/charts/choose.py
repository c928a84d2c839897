"""Chooses the charts of a result from what it has, so that a new measure gets charts without asking for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.audit.words import word_table
from counterpoise.core.numbers import number_text
from counterpoise.measures.base.result import GENDERS, Result
from counterpoise.measures.base.source import Source
from counterpoise.report.charts.bars import mean_positive_negative, positive_negative, word_bars
from counterpoise.report.charts.draw import Figure
from counterpoise.report.charts.forest import forest
from counterpoise.report.charts.grids import heat_map, power_curve
from counterpoise.report.charts.scatter import before_after, workforce
from counterpoise.report.charts.style import GENDER_COLOURS
from counterpoise.report.selection import lowest_and_highest
from counterpoise.report.wording import measure_title, single_rows

_MOST_BARS = 60  # of the lowest and the highest words; all are in the table
_GROUPS = ("group", "category", "test")  # what measures call the kind of a word
_MOST_GROUPS = 12
_SIGNED = (
    "mean",
    "share",
    "share_above",
    "difference",
    "effect_size",
)  # forms in which the direction can be seen
_OF_BOUND_WORDS = (
    "The meaning of these words includes a gender, so a lean towards it is no bias: bars should be long, each towards "
    "the gender of its word."
)


def charts_of(result: Result) -> list[Figure]:
    """The forest of its rows, the bars of its words, or what its items look like."""
    figures = _forest(result)
    words = word_table(result)
    if not len(words) or words.word.duplicated().any():
        return figures + _positive_negative(result)
    words = words[words.value.notna()]
    bound = words.ideal_kind == "away_from"
    figures += _bars(result, words[~bound]) + _bound_bars(result, words[bound])
    return figures + (_workforce(result, words[~bound]) if "women_share" in words else [])


def power_chart(results: Sequence[Result]) -> list[Figure]:
    """The power of each measure's items to show a bias, in standard deviations of their clusters."""
    tables = []
    for result in results:
        row, source = result.headline, _paired_source(result)
        if source is None or np.isnan(row.p_value) or np.isnan(row.ideal):
            continue
        values = source.of_clusters(source.observe(result.items)).dropna().to_numpy()
        spread = values.std(ddof=1) if len(values) > 1 else 0.0
        if spread > 0:
            biases = np.linspace(0, 1, 21)
            power = [stats.power_to_detect(bias * spread, values) for bias in biases]
            title = measure_title(result.measure)
            tables.append(pd.DataFrame({"bias": biases, "power": power, "measure": title}))
    if not tables:
        return []
    axis = "true bias, in standard deviations of words or pairs"
    chart = partial(power_curve, pd.concat(tables, ignore_index=True), axis)
    caption = "How likely it is that the items at hand show a bias of a given size as significant (p < .05)."
    return [Figure("power", "Statistical power: what these items can detect", chart, caption)]


def comparison_charts(first: Result, second: Result, names: tuple[str, str]) -> list[Figure]:
    """Bars before and after, and the scatter of the two, where both runs have the same words."""
    before, after = word_table(first), word_table(second)
    if not len(before) or before.word.duplicated().any() or after.word.duplicated().any():
        return []
    both = before.merge(after[["word", "value"]], on="word", suffixes=("", "_after"))
    both = both[both.value.notna() & both.value_after.notna()]
    bound = both.ideal_kind == "away_from"
    statistic, measure = str(before.statistic.iloc[0]), first.measure
    figures = _two_bars(both[~bound], names, f"{measure}-bars", f"{statistic} of {single_rows(measure)}", "")
    title = f"{statistic} of words with a gender of their own"
    figures += _two_bars(both[bound], names, f"{measure}-bound", title, _OF_BOUND_WORDS)
    return figures + _two_scatter(_grouped(both[~bound]), names, measure, statistic)


def _two_bars(
    both: pd.DataFrame, names: tuple[str, str], name: str, title: str, caption: str
) -> list[Figure]:
    if len(both) < 2:
        return []
    both = _grouped(both)
    shown = lowest_and_highest(both.sort_values("value"), _MOST_BARS)
    bars = pd.concat(
        [
            shown[[*_with_group(shown), "word"]].assign(value=shown[column], run=run)
            for column, run in (("value", names[0]), ("value_after", names[1]))
        ]
    )
    chart = partial(word_bars, bars, str(both.statistic.iloc[0]))
    return [Figure(name, title, chart, f"{caption} {_left_out(both, shown)}".strip())]


def _two_scatter(both: pd.DataFrame, names: tuple[str, str], measure: str, statistic: str) -> list[Figure]:
    if len(both) < 2:
        return []
    table = both.rename(columns={"value": "before", "value_after": "after"})
    chart = partial(before_after, table[[*_with_group(table), "word", "before", "after"]], names)
    caption = (
        "Dashed: no change. Solid: the least-squares line; where it is flatter than the dashed one, words lie closer "
        "together in the second run."
    )
    return [Figure(f"{measure}-scatter", f"{statistic}: {names[0]} against {names[1]}", chart, caption)]


def heat_chart(ranking: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Measures beside models, from the table of ranks."""
    ranking = ranking.sort_values("model", key=lambda models: models.map(list(names).index), kind="stable")
    cells = pd.DataFrame(
        {
            "model": ranking.model,
            "measure": ranking.measure.map(measure_title),
            "effect_size": ranking.effect_size,
            "text": ranking.value.map(number_text),
        }
    )
    return Figure(
        "models",
        "Models and measures",
        partial(heat_map, cells),
        "The number is the value; the colour is the effect size, by which measures of different units compare: green "
        "above the ideal, purple below it.",
    )


def _forest(result: Result) -> list[Figure]:
    rows = result.summary[(result.summary.level != "word") & result.summary.value.notna()]
    rows = rows[[_is_estimate(result, row) for row in rows.itertuples()]]
    if rows.empty:
        return []
    # One unit per panel: rows of the same statistic and ideal share a scale.
    ideals = [f" (ideal: {text})" if kind == "away_from" else "" for kind, text in _ideals(rows)]
    table = rows.assign(
        panel=rows.statistic + ideals,
        label=rows.group.astype(str),
        by_gender=[_is_signed(result, key) for key in rows.key],
    ).drop_duplicates(["panel", "label"])
    caption = "Dashed: the ideal. Hollow: no interval."
    if table.by_gender.any():
        caption += f" {GENDER_COLOURS} Grey: neither."
    return [Figure(f"{result.measure}-forest", "Values and intervals", partial(forest, table), caption)]


def _ideals(rows: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(rows.ideal_kind, rows.ideal_text, strict=True))


def _is_estimate(result: Result, row: Any) -> bool:
    """Can it be drawn on a scale? Counts and test statistics cannot: they have no interval and no ideal."""
    source = result.sources.get(row.key)
    has_interval = bool(np.isfinite(row.ci_low) and np.isfinite(row.ci_high))
    if source is not None and source.form == "figure":
        return has_interval and row.ideal_kind == "point"  # such as the largest gap between versions
    return has_interval or row.ideal_kind == "point"


def _is_signed(result: Result, key: str) -> bool:
    """Is the value above its ideal where the model leans towards men, and below where towards women?"""
    source = result.sources.get(key)
    return (source is None or source.form in _SIGNED) and result.direction_of(key).sides == GENDERS


def _bars(result: Result, words: pd.DataFrame) -> list[Figure]:
    """The words for which a lean is a bias."""
    return _word_figures(result, words, "words", single_rows(result.measure), "")


def _bound_bars(result: Result, words: pd.DataFrame) -> list[Figure]:
    """The words whose meaning includes a gender, apart from the others."""
    return _word_figures(result, words, "bound-words", "words with a gender of their own", _OF_BOUND_WORDS)


def _word_figures(result: Result, words: pd.DataFrame, name: str, what: str, caption: str) -> list[Figure]:
    """A figure for each statistic, so that none share a scale."""
    return [
        _word_figure(result, rows, f"{result.measure}-{name}{n or ''}", f"{statistic} of {what}", caption)
        for n, (statistic, rows) in enumerate(words.groupby("statistic", sort=False))
    ]


def _word_figure(result: Result, words: pd.DataFrame, name: str, title: str, caption: str) -> Figure:
    ordered = _grouped(words).sort_values("value")
    shown = lowest_and_highest(ordered, _MOST_BARS)
    by_gender = _is_signed(result, str(words.key.iloc[0]))
    bars = shown[[*_with_group(shown), "word", "value", "ci_low", "ci_high"]]
    chart = partial(word_bars, bars, str(words.statistic.iloc[0]), by_gender=by_gender)
    parts = [
        caption,
        GENDER_COLOURS if by_gender else "",
        "Lines: 95 % intervals.",
        _left_out(ordered, shown),
    ]
    return Figure(name, title, chart, " ".join(filter(None, parts)))


def _workforce(result: Result, words: pd.DataFrame) -> list[Figure]:
    with_share = _grouped(words[words.women_share.notna()])
    if len(with_share) < 2:
        return []
    points = with_share[[*_with_group(with_share), "word", "women_share", "value"]]
    chart = partial(workforce, points, str(words.statistic.iloc[0]))
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
    if table.empty:
        return []
    kind = _kind(table)
    by = table[kind].astype(str) if kind else pd.Series("all", index=table.index)
    means = mean_positive_negative(table[source.column], by)
    by_gender = result.direction_of(row.key).sides == GENDERS
    chart = partial(positive_negative, means, f"mean {source.column}", by_gender=by_gender)
    caption = (
        "Mean of the items above 0 and of those below. Thin line: the mean distance from 0, drawn either way."
    )
    if by_gender:
        caption += f" {GENDER_COLOURS}"
    title = f"{source.column} of items, above and below 0"
    return [Figure(f"{result.measure}-items", title, chart, caption)]


def _kind(table: pd.DataFrame) -> str | None:
    """The column that says of what kind a word or an item is, if there are a few kinds."""
    for name in _GROUPS:
        if name in table and 1 < table[name].nunique() <= _MOST_GROUPS and table[name].notna().all():
            return name
    return None


def _grouped(table: pd.DataFrame) -> pd.DataFrame:
    """With the kind of each word in the column `group`, if there are a few kinds."""
    kind = _kind(table)
    return table.rename(columns={kind: "group"}) if kind else table.drop(columns="group", errors="ignore")


def _with_group(table: pd.DataFrame) -> list[str]:
    return ["group"] if "group" in table else []


def _left_out(table: pd.DataFrame, shown: pd.DataFrame) -> str:
    return f"The {len(shown)} lowest and highest of {len(table)} words." if len(shown) < len(table) else ""

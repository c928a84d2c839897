"""The figures of the thesis, as charts of the report."""

from __future__ import annotations

from typing import Any

import pandas as pd

from counterpoise.studies.papers.barza2023.comparing import rows_of
from counterpoise.studies.papers.barza2023.statistics import APPD
from counterpoise.studies.papers.barza2023.tables import CURVE_NOTE, curve, shown
from counterpoise.studies.replication.findings import Chart

# Figures 17 to 19 are all captioned "Food Service" in the thesis; the other two must be the two categories left.
_PROFESSIONS = {
    "medical": "Figure 8",
    "computer": "Figure 9",
    "engineering": "Figure 14",
    "science": "Figure 15",
    "office": "Figure 16",
    "food service": "Figure 17",
    "protective": "Figure 18 or 19",
    "farming and fishing": "Figure 18 or 19",
}
_BOUND = {"gender-related occupations": "Figure 11", "gender-related words": "Figure 12"}
_NAMES = {"mt-gender": "MT Gender", "gap": "swapped GAP"}
_SHOWN = {"variant": "corrected", "statistic": APPD}


def charts(table: pd.DataFrame) -> list[Chart]:
    """All that something was measured for, in the order of the thesis."""
    made = [
        _samples(table),
        *_bars(
            table,
            "mt-gender",
            _PROFESSIONS,
            "APPD",
            "A star marks professions in the training text. 0 is ideal.",
        ),
        _scatter(table),
        *_bars(
            table, "gap", _BOUND, "APPD", "The farther from 0, towards the word's own gender, the better."
        ),
        _curve(table),
    ]
    return [chart for chart in made if chart.records]


def _samples(table: pd.DataFrame) -> Chart:
    rows = rows_of(table, "samples")
    several = len({row.models for row in rows}) > 1
    records = [
        {
            "panel": f"ASLD, {row.group}" + (f", {row.models}" if several else ""),
            "label": f"{int(row.sentences)} pairs",
            "value": row.value,
            "ci_low": row.lowest,
            "ci_high": row.highest,
            "ideal": None,
        }
        for row in rows
    ]
    caption = "Mean of the samples' ASLD; the line reaches from the lowest to the highest sample."
    return Chart("figure6", "Figure 6: ASLD on samples of the sentence pairs", "forest", records, caption)


def _bars(table: pd.DataFrame, text: str, names: dict[str, str], axis: str, caption: str) -> list[Chart]:
    """A chart of before and after for each category."""
    found = []
    for category, figure in names.items():
        rows = rows_of(table, "after", text=text, category=category, **_SHOWN)
        records: list[dict[str, Any]] = [
            {"word": row.group, "run": run, "value": value, "seen": bool(row.seen)}
            for row in rows
            for run, value in (("before", row.before), ("after", row.value))
        ]
        title = f"{figure}: {category}, before and after training on {_NAMES[text]}"
        name = f"{text}-{category}".replace(" ", "-")
        found.append(Chart(name, title, "word_bars", records, caption, axis))
    return found


def _scatter(table: pd.DataFrame) -> Chart:
    rows = rows_of(table, "after", text="mt-gender", gender="", **_SHOWN)
    records = [
        {"word": row.group, "before": row.before, "after": row.value, "seen": bool(row.seen)} for row in rows
    ]
    return Chart("figure10", "Figure 10: APPD of professions, after against before", "before_after", records)


def _curve(table: pd.DataFrame) -> Chart:
    records = [
        {
            "panel": f"ASLD, {shown(point.category)}",
            "label": f"{point.sentences} sentences",
            "value": point.mean,
            "ci_low": point.low,
            "ci_high": point.high,
            "ideal": None,
        }
        for point in curve(table)
    ]
    return Chart("figure13", "Figure 13: learning curve on swapped GAP", "forest", records, CURVE_NOTE)

"""The figures of the thesis, as charts of the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from counterpoise.studies.papers.barza2023.published import shown
from counterpoise.studies.papers.barza2023.statistics import APPD
from counterpoise.studies.papers.barza2023.tables import CURVE_NOTE, curve
from counterpoise.studies.replication.findings import Chart
from counterpoise.studies.replication.study_table import rows_of

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


def charts(table: pd.DataFrame) -> Iterator[Chart]:
    """All figures, in the order of the thesis; one without records if nothing was measured for it."""
    yield _samples(table)
    for category, figure in _PROFESSIONS.items():
        caption = "A star marks professions in the training text. 0 is ideal."
        yield _bars(table, "mt-gender", category, figure, caption)
    yield _scatter(table)
    for category, figure in _BOUND.items():
        caption = "The farther from 0, towards the word's own gender, the better."
        yield _bars(table, "gap", category, figure, caption)
    yield _curve(table)


def _samples(table: pd.DataFrame) -> Chart:
    rows = rows_of(table, step="samples")
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


def _bars(table: pd.DataFrame, text: str, category: str, figure: str, caption: str) -> Chart:
    """The words of a category before and after training on a text."""
    records: list[dict[str, Any]] = [
        {"word": row.group, "run": run, "value": value, "seen": bool(row.seen)}
        for row in rows_of(table, step="after", text=text, category=category, **_SHOWN)
        for run, value in (("before", row.before), ("after", row.value))
    ]
    title = f"{figure}: {category}, before and after training on {_NAMES[text]}"
    name = f"{text}-{category}".replace(" ", "-")
    return Chart(name, title, "word_bars", records, caption, axis="APPD")


def _scatter(table: pd.DataFrame) -> Chart:
    rows = rows_of(table, step="after", text="mt-gender", gender="", **_SHOWN)
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

"""The figures of the thesis, as charts of the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from counterpoise.studies.papers.barza2023.published import shown
from counterpoise.studies.papers.barza2023.statistics import APPD, CONTROL_REMINDED, REMINDED, SPECIFIC
from counterpoise.studies.papers.barza2023.tables import CURVE_NOTE, curve, levels
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
_STEPS = {"mt-gender": "professions", "gap": "swapping"}
_EFFECTS = {
    REMINDED: "reminders",
    CONTROL_REMINDED: "control",
    SPECIFIC: "specific: reminders - control",
}
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
    yield _reminders(table)
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
        for row in rows_of(levels(table), step=_STEPS[text], text=text, category=category, **_SHOWN)
        for run, value in (("before", row.before), ("after", row.value))
    ]
    title = f"{figure}: {category}, before and after training on {_NAMES[text]}"
    name = f"{text}-{category}".replace(" ", "-")
    return Chart(name, title, "word_bars", records, caption, axis="APPD")


def _scatter(table: pd.DataFrame) -> Chart:
    rows = rows_of(levels(table), step="professions", text="mt-gender", gender="", **_SHOWN)
    records = [
        {"word": row.group, "before": row.before, "after": row.value, "seen": bool(row.seen)} for row in rows
    ]
    return Chart("figure10", "Figure 10: APPD of professions, after against before", "before_after", records)


def _reminders(table: pd.DataFrame) -> Chart:
    """Table 5: the effect of reminders on their word, of the control, and what is specific to the word."""
    records = [
        {
            "panel": f"APPD of {row.word}",
            "label": label,
            "value": row.value,
            "ci_low": row.ci_low,
            "ci_high": row.ci_high,
            "ideal": 0,
        }
        for row in rows_of(table, step="reminded")
        for compared, label in _EFFECTS.items()
        if row.compared == compared and row.group == row.word
    ]
    records.sort(key=lambda record: record["panel"])
    return Chart(
        "table5",
        "Table 5: what reminders do to their word, and what is specific to it",
        "forest",
        records,
        "Change of APPD beside swapped GAP alone; below 0 is towards women. The control has a gender-neutral word in "
        "place of the reminded one.",
    )


def _curve(table: pd.DataFrame) -> Chart:
    records = [
        {
            "panel": f"ASLD, {shown(row.group)}",
            "label": f"{int(row.sentences)} sentences",
            "value": row.value,
            "ci_low": row.ci_low,
            "ci_high": row.ci_high,
            "ideal": None,
        }
        for row in curve(table)
    ]
    return Chart("figure13", "Figure 13: learning curve on swapped GAP", "forest", records, CURVE_NOTE)

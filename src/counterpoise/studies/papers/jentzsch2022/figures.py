"""Figures 3 and 4: the mean bias above and below zero, by what was trained on and by set of terms."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from counterpoise.studies.papers.jentzsch2022.published import BASES, published_rows
from counterpoise.studies.papers.jentzsch2022.study_rows import paper_rows
from counterpoise.studies.replication.findings import Chart
from counterpoise.studies.replication.study_table import rows_of

_SETS = {"pro": "Pronouns", "weat": "WEAT", "all": "All"}
_FAMILIES = {"original": "original", "R": "terms removed", "mix": "terms mixed"}
_CAPTION = (
    "Bars are the mean of the biases above and of those below zero; a thin line is the mean absolute bias either way "
    "(the paper's captions call it the mean total bias, which it is not). Positive: rated higher as a man's."
)


def measured_figures(rows: pd.DataFrame) -> Iterator[Chart]:
    """The figure of each measured base model."""
    for base in dict.fromkeys(rows.base):
        yield bias_figure(rows, base, f"measured_{base}", f"As figures 3 and 4: {base}, measured")


def published_figures(_: pd.DataFrame, number: int) -> Iterator[Chart]:
    """Figure 3 or 4 of the paper: a chart of each of its base models."""
    rows = published_rows()
    for base in BASES:
        if number == (3 if base == "distbase" else 4):
            yield bias_figure(rows, base, f"published_{base}", f"Figure {number}: {base}, published")


def bias_figure(rows: pd.DataFrame, base: str, name: str, title: str) -> Chart:
    """The bars of one base model; several seeds stand beside each other."""
    rows = paper_rows(rows)
    rows = rows[rows.base == base]
    several = len(set(rows.seed)) > 1
    bars = [
        {
            "set": _SETS[row.terms],
            "condition": f"{row.treatment}, seed {row.seed}" if several else row.treatment,
            "family": _FAMILIES[row.treatment],
            "positive": row.positive,
            "negative": row.negative,
            "absolute": row.absolute_nonzero,
        }
        for row in rows_of(rows)
    ]
    return Chart(name, title, "positive_negative", bars, _CAPTION, axis="mean bias, male - female")

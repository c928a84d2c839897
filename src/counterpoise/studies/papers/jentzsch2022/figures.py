"""Figures 3 and 4: the mean bias above and below zero, by what was trained on and by set of terms."""

from __future__ import annotations

import pandas as pd

from counterpoise.studies.papers.jentzsch2022.study_rows import nine, records
from counterpoise.studies.replication.findings import Chart

_SETS = {"pro": "Pronouns", "weat": "WEAT", "all": "All"}
_FAMILIES = {"original": "original", "R": "terms removed", "mix": "terms mixed"}
_CAPTION = (
    "Bars are the mean of the biases above and of those below zero; a thin line is the mean absolute bias either way "
    "(the paper's captions call it the mean total bias, which it is not). Positive: rated higher as a man's."
)


def bias_figure(rows: pd.DataFrame, base: str, name: str, title: str) -> Chart:
    """The bars of one base model; several seeds stand beside each other."""
    rows = nine(rows)
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
        for row in records(rows)
    ]
    return Chart(name, title, "positive_negative", bars, _CAPTION, axis="mean bias, male - female")

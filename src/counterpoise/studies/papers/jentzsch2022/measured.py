"""Measured rows, with the columns that `study_rows` describes: of a finished study, or of precomputed trainings."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from counterpoise.studies.papers.jentzsch2022.precomputed import read_trainings
from counterpoise.studies.papers.jentzsch2022.published import published_rows
from counterpoise.studies.papers.jentzsch2022.rating import Rated
from counterpoise.studies.papers.jentzsch2022.summary_rows import bias_rows
from counterpoise.text.conditions import CONDITIONS


def measured_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The counted rows of the study's table; without any, a table of none."""
    if not (table.step == "count").any():
        return published_rows().head(0)
    rows = table[table.step == "count"].reset_index(drop=True)
    if "batch_size" not in rows:
        rows["batch_size"] = "own"
    rows = rows.assign(own=rows.own.astype(bool), seed=rows.seed.astype(int))
    trained = table[table.step == "train"]
    if "batch" in trained and len(trained):
        keys = ["base", "condition", "batch_size", "seed"]
        sizes = trained.assign(seed=trained.seed.astype(int))[[*keys, "batch"]]
        rows = rows.drop(columns="batch", errors="ignore").merge(sizes, on=keys, how="left")
    return rows if "batch" in rows else rows.assign(batch=math.nan)


def precomputed_rows(folder: str | Path) -> pd.DataFrame:
    """The same rows from trainings that were carried out elsewhere."""
    rows = [
        {**training.factors, "batch": (training.settings["training"] or {}).get("batch_size"), **row}
        for training in read_trainings(folder)
        for row in bias_rows(
            Rated.read(training.ratings), training.rate, CONDITIONS[training.factors["condition"]].terms
        )
    ]
    return measured_rows(pd.DataFrame(rows).assign(step="count"))

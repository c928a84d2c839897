"""Measured rows, with the columns that `study_rows` describes: of a finished study, or of precomputed trainings.

What was trained, and from which base model, stands beside each row: batch size, variant, lists of terms, layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.studies.papers.jentzsch2022.precomputed import find_base, read_trainings
from counterpoise.studies.papers.jentzsch2022.published import published_rows
from counterpoise.studies.papers.jentzsch2022.rating import Rated
from counterpoise.studies.papers.jentzsch2022.summary_rows import bias_rows
from counterpoise.text.conditions import CONDITIONS

_TRAINING = ("base", "condition", "batch_size", "seed")
# From the rows of the step: their columns, by the names that they get.
_OF_TRAINING = {"batch": "batch", "variant": "variant", "lists": "lists"}
_OF_BASE = {
    "layers": "layers",
    "parameters": "parameters",
    "steps": "base_steps",
    "training_loss": "base_loss",
}


def measured_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The counted rows of the study's table; without any, a table of none."""
    if not (table.step == "count").any():
        rows = published_rows().head(0)
    else:
        rows = table[table.step == "count"].reset_index(drop=True)
        if "batch_size" not in rows:
            rows["batch_size"] = "own"
        rows = rows.assign(own=rows.own.astype(bool), seed=rows.seed.astype(int))
    rows = _beside(rows, table[table.step == "train"], _TRAINING, _OF_TRAINING)
    return _beside(rows, table[table.step == "prepare"], ("base",), _OF_BASE)


def precomputed_rows(folder: str | Path) -> pd.DataFrame:
    """The same rows from trainings that were carried out elsewhere."""
    trainings = read_trainings(folder)
    records: list[dict[str, Any]] = []
    for base in dict.fromkeys(training.factors["base"] for training in trainings):
        if (made := find_base(folder, base, {})) is not None:
            records.append({"step": "prepare", "base": base, **made.result})
    for training in trainings:
        variant = training.settings["variant"]
        records.append({"step": "train", **training.factors, "variant": variant, **training.train})
        own = CONDITIONS[training.factors["condition"]].terms
        counted = bias_rows(Rated.read(training.ratings), training.rate, own)
        records += [{"step": "count", **training.factors, **row} for row in counted]
    return measured_rows(pd.DataFrame(records))


def _beside(
    rows: pd.DataFrame, others: pd.DataFrame, keys: Sequence[str], names: dict[str, str]
) -> pd.DataFrame:
    """Rows with columns of another step's rows; a column that the step does not have stays as it is, or is empty."""
    columns = {old: new for old, new in names.items() if old in others and others[old].notna().any()}
    if columns:
        chosen = others[[*keys, *columns]].rename(columns=columns)
        if "seed" in keys:
            chosen = chosen.assign(seed=chosen.seed.astype(int))
        rows = rows.drop(columns=list(columns.values()), errors="ignore").merge(
            chosen, on=list(keys), how="left"
        )
    empty = {new: None for new in names.values() if new not in rows}
    return rows.assign(**empty)

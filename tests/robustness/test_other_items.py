"""Runs whose tables can be read, and hold something else than they should."""

from __future__ import annotations

import pandas as pd
import pytest

import runs
from counterpoise.audit.reading import read_results
from counterpoise.report.html import render_results
from robustness.commands import attempt, command

OTHER_ITEMS = {
    "no word": lambda items: items.drop(columns="word"),
    "texts for numbers": lambda items: items.assign(own="x"),
    "nothing for numbers": lambda items: items.assign(own=None),
    "dates for numbers": lambda items: items.assign(own=pd.Timestamp("2020-01-01")),
    "lists for words": lambda items: items.assign(word=[[1, 2]] * len(items)),
    "dictionaries for words": lambda items: items.assign(word=[{"a": 1}] * len(items)),
    "bytes for texts": lambda items: items.assign(text=b"\xff"),
    "no texts": lambda items: items.assign(text=None),
    "no items": lambda items: items.head(0),
    "each twice": lambda items: pd.concat([items] * 2),
}


@pytest.mark.parametrize("other", OTHER_ITEMS)
def test_intact_tables_of_other_items(other, tmp_path, count_inputs):
    """Numbers and words of a run are what they must be, or one line says which column is not."""
    run = runs.save_run(tmp_path / "run", runs.word_result())
    other_run = runs.save_run(tmp_path / "other", runs.word_result(seed=1))
    path = run / "scores" / "own.parquet"
    OTHER_ITEMS[other](pd.read_parquet(path)).to_parquet(path, index=False)
    compare = ["compare", run, other_run, "--format", "csv", "--out", tmp_path / "compared"]
    for outcome in (attempt(lambda: render_results(*read_results(run))), command(compare)):
        assert outcome.trace is None, f"{other}\n{outcome.trace}"
        if " for " in other:
            assert "own.parquet is damaged: its column" in outcome.message
    count_inputs(1)

"""Findings survive the way to disk and back."""

from __future__ import annotations

import csv
import math

import pytest

from counterpoise.core.errors import RunError
from counterpoise.studies.replication.findings import Chart, Findings, PaperAnswer, Table

FOUND = Findings(
    "A study",
    "About it.",
    [PaperAnswer("Is it?", "No.", "yes", "no")],
    [Table("one", "Table 1", ["word", "value"], [["nurse", -0.41234], ["mason", math.nan]], decimals=2)],
    [Chart("bars", "Figure 1", "word_bars", [{"word": "nurse", "value": -0.4}], axis="male - female")],
    ["a note"],
)


def test_there_and_back(tmp_path):
    FOUND.write(tmp_path)
    found = Findings.read(tmp_path)
    assert found.answers == FOUND.answers
    assert found.charts == FOUND.charts
    assert found.tables[0].rows == [["nurse", -0.41234], ["mason", None]]
    with (tmp_path / "tables" / "one.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["word", "value"], ["nurse", "-0.41234"], ["mason", ""]]


def test_nothing_to_read(tmp_path):
    with pytest.raises(RunError, match=r"cannot read .*findings\.json"):
        Findings.read(tmp_path)

"""What a paper declares becomes findings: --only chooses, what is empty is dropped, what is missing is mentioned."""

from __future__ import annotations

import pandas as pd
import pytest

from counterpoise.studies.engine.cells import FinishedStudy, MissingCell
from counterpoise.studies.replication.findings import Chart, Findings, PaperAnswer, Table
from counterpoise.studies.replication.page import PagePart, PaperPage
from counterpoise.studies.replication.study_table import rows_of

MISSING = [MissingCell("train", {"seed": 1}, "no weights")]


def table_of(step):
    """A table of the values of a step."""
    return lambda table: Table(step, step, ["value"], [[row.value] for row in rows_of(table, step=step)])


def page(**more):
    declared = {
        "title": "T",
        "about": "A",
        "columns": ("value", "seed"),
        "tables": (
            PagePart(table_of("always")),
            PagePart(table_of("rate"), "table1", "table2"),
            PagePart(lambda _: None),
        ),
        "charts": (
            PagePart(
                lambda table: [Chart("c", "C", "forest", table[["value"]].to_dict("records"))], "figure1"
            ),
        ),
        "answers": PagePart(lambda table: [None, PaperAnswer("Is it?", "No.", "yes", f"{len(table)} rows")]),
    }
    return PaperPage(**{**declared, **more})


def study(folder, only=(), missing=()):
    table = pd.DataFrame({"step": ["always", "rate"], "value": [1.0, 2.0]})
    return FinishedStudy(folder, table, missing, {"epochs": 1}, only)


@pytest.mark.parametrize(
    ("only", "tables", "charts"),
    [
        ((), ["always", "rate"], 1),
        (("table2",), ["always", "rate"], 0),
        (("figure1",), ["always"], 1),
        (("rate",), ["always"], 0),
    ],
)
def test_parts(tmp_path, only, tables, charts):
    page().write(study(tmp_path, only))
    findings = Findings.read(tmp_path)
    assert [table.name for table in findings.tables] == tables
    assert len(findings.charts) == charts
    assert [answer.measured for answer in findings.answers] == ["2 rows"]


def test_what_nothing_was_measured_for_is_not_shown(tmp_path):
    findings = page().findings(FinishedStudy(tmp_path, pd.DataFrame(), ()))
    assert (findings.tables, findings.charts) == ([], [])


def test_cells_without_a_result(tmp_path):
    in_table = page().findings(study(tmp_path, missing=MISSING))
    assert in_table.tables[-1].rows == [["train seed=1", "no weights"]]
    in_note = page(missing="note", notes=lambda _, settings: [f"epochs: {settings['epochs']}"])
    assert in_note.findings(study(tmp_path, missing=MISSING)).notes == [
        "1 cells have no result, e.g. train seed=1: no weights.",
        "epochs: 1",
    ]


def test_the_table_has_all_columns_and_is_prepared(tmp_path):
    seen = []
    page(prepare=lambda table: seen.append(table) or table.head(1)).findings(study(tmp_path))
    assert list(seen[0]) == ["step", "value", "seed"]
    assert seen[0].seed.isna().all()

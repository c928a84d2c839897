"""From a finished study to its findings and its page; without a result the published part stands alone."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from counterpoise.report.study_page import write_study_page
from counterpoise.studies.engine.cells import FinishedStudy, MissingCell
from counterpoise.studies.engine.selection import Selection
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.jentzsch2022.page import gather
from counterpoise.studies.papers.jentzsch2022.published import published_rows
from counterpoise.studies.replication.findings import Findings


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """As if the authors' rows of two base models, a little moved, had been measured with two seeds."""
    rows = published_rows()
    rows = rows[rows.base.isin(["distbase", "bertbase"])].drop(columns=["positive", "negative"])
    moved = [
        rows.assign(seed=seed, total=rows.total * (1 + 0.1 * seed), positive=0.003, negative=-0.002)
        for seed in (0, 1)
    ]
    counted = pd.concat(moved).assign(step="count", accuracy_64=0.8)
    keys = ["base", "condition", "batch_size", "seed"]
    trained = (
        counted[keys].drop_duplicates().assign(step="train", batch=32, variant="published", lists="builtin")
    )
    table = pd.concat([trained, counted], ignore_index=True)
    missing = [MissingCell("train", {"base": "bertlarge"}, "no weights <here>")]
    return FinishedStudy(tmp_path_factory.mktemp("study"), table, missing, {"variant": "published"})


@pytest.fixture(scope="module")
def folder(study):
    gather(study)
    return study.folder


def test_published_and_measured(folder):
    found = Findings.read(folder)
    names = [table.name for table in found.tables]
    assert names[:5] == ["over_seeds", "measured_1", "measured_3_4", "pooled", "noise"]
    means = {line[1]: line for line in found.tables[0].rows if line[0] == "bertbase"}
    assert len(means) == 9
    assert means["mix-pro"][2:5] == [2, pytest.approx(0.0023), 0]  # as in table 1 of the paper
    assert names[-4:] == ["published_1", "published_2", "published_3_4", "published_5_6"]
    assert len(found.answers) == 4
    beside = {line[0]: line for line in next(t for t in found.tables if t.name == "beside").rows}
    assert beside["bertbase mix-pro, terms pro, absolute"][-1].startswith(
        "agrees: the same base model, settings and seed number, trained again with the built-in terms"
    )
    line = beside["bertbase R-all, terms all, total"]
    assert line[3] == pytest.approx(0.05 * line[1])
    assert line[-1].startswith("differs: the same base model, settings and seed number")
    assert "bertbase has a larger bias than distbase" in found.answers[1].measured
    [missing, lists] = found.notes
    assert missing.startswith("1 cells have no result")
    assert lists.startswith("The authors' lists were not used")
    for name in names:
        assert (folder / "tables" / f"{name}.csv").is_file()


@pytest.mark.slow
def test_the_page(folder):
    page = write_study_page(folder).read_text()
    assert "no weights &lt;here&gt;" in page
    assert page.count("<figure>") == 10  # nine figures, and published against measured
    assert "Is bias induced by fine-tuning?" in page
    text = (folder / "study.md").read_text()
    assert "| absolute, accuracy | -0.480855 | -0.480536 |" in text
    assert (folder / "figures" / "measured_distbase.svg").is_file()


@pytest.mark.parametrize(
    ("only", "tables", "charts", "answers"),
    [
        ("table1", ["over_seeds", "measured_1", "published_1"], 0, 0),
        ("figure3", [], 3, 0),
        ("questions", ["pooled", "noise", "contrasts", "beside"], 0, 4),
        ("rate", 13, 9, 4),
    ],
)
def test_a_part(study, tmp_path, only, tables, charts, answers):
    definition, _ = read_study("jentzsch2022")
    gather(replace(study, folder=tmp_path, only=Selection.of(definition, [only]).shown(definition)))
    found = Findings.read(tmp_path)
    names = [table.name for table in found.tables]
    assert names == tables or len(names) == tables
    assert (len(found.charts), len(found.answers)) == (charts, answers)
    assert definition.steps_for([only]) >= {"train", "rate"}


def test_without_a_result(tmp_path):
    gather(FinishedStudy(tmp_path, pd.DataFrame(), []))
    found = Findings.read(tmp_path)
    assert [table.name for table in found.tables] == [
        "published_1",
        "published_2",
        "published_3_4",
        "published_5_6",
    ]
    assert found.notes == ["Nothing was measured yet."]
    assert not found.answers

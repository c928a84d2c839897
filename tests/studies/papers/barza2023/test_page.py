"""The page that is made of finished cells, and the study's file."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import tiny
from counterpoise.core.errors import ModelError
from counterpoise.report.study_page import write_study_page
from counterpoise.studies.engine.cells import Cell, FinishedStudy, MissingCell
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.barza2023 import cells
from counterpoise.studies.papers.barza2023.page import gather
from counterpoise.studies.replication.findings import Findings
from finished_cells import table_of


@pytest.mark.slow
def test_the_page(done, model, tmp_path, settings):
    missing = [MissingCell("corpora", {}, "it is not there")]
    gather(FinishedStudy(tmp_path, table_of(done).replace(model, "tiny"), missing, settings))
    found = Findings.read(tmp_path)
    tables = {one.name: one for one in found.tables}
    assert list(tables) == [
        "printed", "claims", "examples", "figure6", "table3", "table3_paired", "table4", "table4_paired", "figure10",
        "figure8", "figure11", "swapping", "table5", "table5_all", "table5_professions", "figure13",
        "figure13_paired", "left_out",
    ]  # fmt: skip
    table3 = {row[0]: row for row in tables["table3"].rows}
    assert table3["tiny: combined"][-1] == "not printed"
    assert table3["roberta-large: combined"][2] == 3.21
    assert table3["roberta-large: combined"][-1].startswith("not reproducible: this run asks other models")
    table4 = {row[0]: row[-1] for row in tables["table4"].rows}
    assert table4["swapped GAP (48 sentences, 2 seeds): combined"].startswith(
        "differs: another model; the pairs are our own"
    )
    assert table4["swapped GAP, then jigsaw:toxic: combined"].startswith("not reproducible: not measured")
    assert "48 sentences of GAP" in tables["table4_paired"].note
    table5 = {(row[0], row[1]): row for row in tables["table5"].rows}
    assert table5["APPD(pregnant), with 3 x 50 reminders", "corrected"][2] == -0.25
    asked = [row[1] for row in tables["table5_all"].rows]
    assert {"pregnant", "testicles", "businessman", "professions"} <= set(asked)
    assert "surgeon" not in asked
    assert "surgeon" in [row[1] for row in tables["table5_professions"].rows]
    assert {"figure6", "mt-gender-medical", "figure10", "gap-gender-related-words", "table5", "figure13"} <= {
        chart.name for chart in found.charts
    }
    assert write_study_page(tmp_path).stat().st_size > 10_000


@pytest.mark.slow
def test_the_answers(done, model, tmp_path, settings):
    gather(FinishedStudy(tmp_path, table_of(done).replace(model, "tiny"), [], settings))
    found = Findings.read(tmp_path).answers
    assert all(answer.verdict.endswith(".") for answer in found)
    answers = {answer.question[:3]: answer.measured for answer in found}
    assert list(answers) == ["RQ1", "RQ2", "RQ3", "RQ4", "Fig", "Tab"]
    assert answers["RQ1"].startswith("tiny: SLD balanced over stereotypes about women and about men is")
    assert answers["RQ1"].index("balanced") < answers["RQ1"].index("ASLD")
    assert "of 1 pairs of models differ on the same sentence pairs" in answers["RQ2"]
    assert "the net effect of the swap is" in answers["RQ3"]
    assert "swapped minus unswapped: APPD of professions" in answers["RQ4"]
    assert "the same sentences about a gender-neutral word by" in answers["Tab"]
    assert "Specific to the word is" in answers["Tab"]
    assert "2 training seeds" in answers["Tab"]
    for text in answers.values():
        assert not re.search(r"\bnan\b|\b0\.000\b|-0\.00\b", text), text


@pytest.mark.slow
def test_a_part_of_the_page(done, tmp_path, settings):
    some = table_of(done)[lambda rows: rows.step.isin(["untrained", "learn", "curve"])]
    gather(FinishedStudy(tmp_path, some.dropna(axis=1, how="all"), [], settings, only=["figure13"]))
    names = [one.name for one in Findings.read(tmp_path).tables]
    assert names == ["printed", "claims", "figure13", "figure13_paired"]
    gather(FinishedStudy(tmp_path, pd.DataFrame({"step": []}), [], settings))  # nothing could be made
    assert [one.name for one in Findings.read(tmp_path).charts] == []


def test_a_model_that_the_study_is_not_meant_for(tmp_path, settings):
    folder = tiny.save("gpt2", tmp_path / "model")
    cell = Cell("sentences", {"models": str(folder)}, settings, tmp_path)
    with pytest.raises(
        ModelError, match=r"barza2023 needs a masked language model, and .* is loaded as causal"
    ):
        cells.sentences(cell)


def test_the_file_of_the_study():
    study, _ = read_study("barza2023")
    assert study.at("smoke").factors["model"] == ["builtin"]
    assert len(study.at("paper").factors["models"]) == 6
    planned = list(plan(study.at("paper")).values())
    assert len([cell for cell in planned if cell.step == "learn"]) == 8 * 5
    reminders = [cell.factors for cell in planned if cell.step == "remind"]
    # Three words with both wordings and each seed, and fewer reminders of two words once each.
    assert len(reminders) == 3 * 2 * 3 + 2 * 2
    assert study.steps_for(("figure6",)) == {"sentences", "samples"}
    assert study.steps_for(("figure10",)) == {"before", "after", "professions"}
    assert study.steps_for(("table4",)) == {"untrained", "after_gap", "debiased", "corpora"}
    assert {cell.factors["text"] for cell in planned if cell.step == "after_gap"} == {"gap", "gap-unswapped"}

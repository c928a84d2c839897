"""The cells one after another on a few passages with a tiny model, and the tables made of them."""

from __future__ import annotations

import pytest

import tiny
from counterpoise.core.errors import ModelError
from counterpoise.studies.cells import Cell, Done, Finished, LeftOut, Missing
from counterpoise.studies.findings import Findings
from counterpoise.studies.kurita2019 import cells
from counterpoise.studies.kurita2019.page import gather
from counterpoise.studies.study import read_study
from finished_cells import table_of

SETTINGS = {"device": "cpu", "at_most": 60, "patience": 3, "epochs": 10}


@pytest.fixture(scope="module")
def done(data_file, tmp_path_factory):
    """Finished cells of the case study, by step."""
    data_file("gap/gap-development.tsv")
    folder = tmp_path_factory.mktemp("model")
    model = tiny.save("bert", folder, max_position_embeddings=512)  # passages are long
    finished = {}

    def carry_out(step, factors, *needs):
        folder = tmp_path_factory.mktemp(step)
        asked_of = {"model": str(model), **factors}
        cell = Cell(step, asked_of, SETTINGS, folder, {name: finished[name] for name in needs})
        result = getattr(cells, step)(cell)
        finished.setdefault(step, []).append(Done(cell.factors, result, folder))

    for split in ("development", "test", "validation"):
        carry_out("mentions", {"passages": split})
    asked = {"probe": "paper", "training": "test+validation"}
    for seed in (0, 1):
        carry_out("resolve", {**asked, "seed": seed}, "mentions")
    carry_out("table4", asked, "mentions", "resolve")
    carry_out("topics", {})
    carry_out("section4", asked, "mentions", "resolve", "topics")
    carry_out("shares", {"attributes": "repository skills", "variant": "corrected"})
    return finished


def test_rows_carry_interval_test_and_size(done):
    rows = table_of(done)
    difference = rows[(rows.step == "table4") & (rows.group == "male - female")]
    assert (
        difference[["ci_low", "ci_high", "p_value", "effect_size", "smallest_detectable"]].notna().all().all()
    )
    assert rows[rows.step == "topics"].shape[0] == 20
    assert rows[(rows.step == "section4")].n.sum() == 60


def test_the_mean_over_seeds_is_what_the_seeds_found(done):
    rows = table_of(done)
    seeds = rows[rows.step == "resolve"].value
    [mean] = rows[(rows.step == "table4") & (rows.group == "all") & (rows.statistic == "accuracy, %")].value
    assert mean == pytest.approx(seeds.mean())


def test_the_page(done, tmp_path):
    missing = [Missing("weat_vectors", {"vectors": "glove"}, "it is not there")]
    gather(Finished(tmp_path, table_of(done), missing))
    found = Findings.read(tmp_path)
    tables = {one.name: one for one in found.tables}
    assert set(tables) >= {
        "printed",
        "table3",
        "table4",
        "resolution",
        "table5",
        "section4",
        "table6",
        "left_out",
    }
    glove = [row for row in tables["table3"].rows if row[0].endswith("GloVe")]
    assert len(glove) == 5
    assert {row[-1] for row in glove} == {"not reproducible: GloVe 840B is not at hand"}
    verdicts = {row[0]: row[-1] for row in tables["section4"].rows}
    assert verdicts["female pronouns (gap-development)"] == "differs: another model"
    assert verdicts["male pronouns (gap-development)"] == "not printed"
    assert [answer.question[:10] for answer in found.answers] == ["Is a femal", "Is a femal", "Do most ti"]
    gather(Finished(tmp_path, table_of(done)[lambda rows: rows.step == "topics"], [], only=["table6"]))
    assert [one.name for one in Findings.read(tmp_path).tables] == ["printed", "table6"]


def test_a_model_that_the_study_is_not_meant_for(tmp_path):
    folder = tiny.save("gpt2", tmp_path / "model")
    cell = Cell("scores", {"model": str(folder), "variant": "corrected"}, SETTINGS, tmp_path)
    with pytest.raises(
        ModelError, match=r"kurita2019 needs a masked language model, and .* is loaded as causal"
    ):
        cells.scores(cell)


def test_vectors_that_are_not_at_hand(tmp_path):
    with pytest.raises(LeftOut, match=r"needs vectors/glove.840B.300d.txt in the data folder"):
        cells.weat_vectors(Cell("weat_vectors", {"vectors": "glove.840B.300d.txt"}, SETTINGS, tmp_path))


def test_a_model_that_can_read_no_passage(data_file, tmp_path):
    data_file("gap/gap-development.tsv")
    folder = tiny.save("bert", tmp_path / "model")  # it takes 80 tokens
    cell = Cell(
        "mentions", {"model": str(folder), "passages": "development"}, {**SETTINGS, "at_most": 1}, tmp_path
    )
    with pytest.raises(ModelError, match="can read no passage of GAP: the text has"):
        cells.mentions(cell)


def test_the_file_of_the_study():
    study, _ = read_study("kurita2019")
    assert study.at("smoke").factors["model"] == ["builtin"]
    assert study.at("paper").factors["model"] == ["bert-base-uncased"]
    assert study.steps_for(("table4",)) == {"mentions", "resolve", "table4"}

"""The cells one after another on a few sentences with a tiny model, and the page made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import few
import tiny
from counterpoise.core.errors import ModelError
from counterpoise.data.corpus import Corpus
from counterpoise.data.thirdparty.jigsaw import JIGSAW_LABELS
from counterpoise.measures.pairs.sld import sld
from counterpoise.measures.pronouns.ppd import ppd
from counterpoise.models import load
from counterpoise.report.study_page import write_study_page
from counterpoise.studies.engine.cells import Cell, FinishedCell, FinishedStudy, LeftOut, MissingCell
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.barza2023 import cells, training
from counterpoise.studies.papers.barza2023.page import gather
from counterpoise.studies.replication.findings import Findings
from finished_cells import table_of

pytestmark = pytest.mark.slow

SETTINGS = {
    "device": "cpu",
    "recipe": "paper",
    "training": {"epochs": 1, "batch_size": 16, "learning_rate": 5e-4},
    "sentences": 48,
    "pairs": 3,
    "sizes": [2, 3],
    "repeats": 5,
    "reminders": 10,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(tiny.save("bert", tmp_path_factory.mktemp("tiny") / "model"))


@pytest.fixture(scope="module")
def done(data_file, model, tmp_path_factory):
    """Finished cells by step, on a few passages, pairs and templates."""
    data_file("gap/gap-test.tsv")
    data_file("mt-gender/en.txt")
    finished = {}
    patch = pytest.MonkeyPatch()
    patch.setattr(cells, "tbd", few.templates)
    whole = Corpus.of
    patch.setattr(training.Corpus, "of", lambda name: Corpus(name, whole(name).texts[:60]))
    patch.setattr(cells, "sld", lambda model, pairs=None: sld(model, pairs or _three_pairs()))

    def carry_out(step, factors, *needs, function=None):
        folder = tmp_path_factory.mktemp(step)
        agreeing = {
            name: [one for one in finished[name] if {**one.factors, **factors} == {**factors, **one.factors}]
            for name in needs
        }
        cell = Cell(step, factors, SETTINGS, folder, agreeing)
        result = getattr(cells, function or step)(cell)
        finished.setdefault(step, []).append(FinishedCell(factors, result, folder))

    asked = {"model": model}
    carry_out("examples", asked)
    carry_out("sentences", {"models": model})
    carry_out("samples", {"models": model}, "sentences")
    carry_out("before", {**asked, "variant": "corrected"})
    for text in ("mt-gender", "gap"):
        carry_out("train", {**asked, "text": text})
        carry_out("after", {**asked, "text": text, "variant": "corrected"}, "before", "train")
    carry_out("corpora", {**asked, "corpus": "none"}, "train")
    carry_out("remind", {**asked, "word": "pregnant", "copies": 2})
    carry_out("untrained", asked, function="learn")
    carry_out("learn", {**asked, "size": 32, "sample": 1})
    patch.undo()
    return finished


def _three_pairs():
    return cells._some_pairs(Cell("sentences", {}, SETTINGS, Path()))


def test_asld_is_the_mean_of_absolute_differences(done):
    pairs = pd.read_csv(done["sentences"][0].folder / "pairs.csv")
    rows = table_of(done)
    of = rows[(rows.step == "sentences") & (rows.statistic == "ASLD")].set_index("group").value
    assert of["all"] == pytest.approx(pairs.sld.abs().mean())
    by_category = pairs.sld.abs().groupby(pairs.category).mean()
    assert of.drop("all").to_dict() == pytest.approx(by_category.to_dict())
    whole = rows[(rows.step == "samples") & (rows.sentences == 3)].set_index("group")
    assert whole.value.to_dict() == pytest.approx(by_category.to_dict())  # a sample of all pairs is all pairs
    assert (whole.lowest == whole.highest).all()


def test_the_untrained_model_is_the_one_of_table_3(done):
    rows = table_of(done)
    first, second = (
        rows[(rows.step == step) & (rows.statistic == "ASLD")].set_index("group").value.to_dict()
        for step in ("sentences", "untrained")
    )
    assert first == pytest.approx(second)


def test_the_line_of_figure_10_is_that_of_scipy(done):
    rows = table_of(done)
    after = rows[(rows.step == "after") & (rows.text == "mt-gender")]
    words = after[(after.statistic == "APPD") & (after.gender == "")]
    fit = scipy_stats.linregress(words.before.astype(float), words.value)
    of_all = after[after.group == "all"].set_index("statistic").value
    assert of_all["slope"] == pytest.approx(fit.slope)
    assert of_all["intercept"] == pytest.approx(fit.intercept)
    assert of_all["r"] == pytest.approx(fit.rvalue)
    seen = words[words.seen.astype(bool)].group
    text = (done["train"][0].folder / "sentences.txt").read_text().lower()
    assert len(seen)
    assert all(word in text for word in seen)


def test_the_share_of_the_lean_that_is_kept(done):
    rows = table_of(done)
    after = rows[(rows.step == "after") & (rows.text == "gap")]
    bound = after[after.gender.isin(["male", "female"])]
    sign = np.where(bound.gender == "male", 1, -1)
    [kept] = after[after.statistic == "share of the lean kept"].value
    assert kept == pytest.approx((bound.value * sign).sum() / (bound.before * sign).sum())


def test_examples_are_those_of_a_pseudo_log_likelihood(done, model):
    rows = table_of(done)
    examples = rows[(rows.step == "examples") & (rows.statistic == "PLL")]
    assert len(examples) == 6
    expected = load(model).pseudo_log_likelihood(examples.group.tolist())
    assert examples.value.to_numpy() == pytest.approx(expected, abs=1e-4)


def test_a_word_is_asked_with_its_own_templates(builtin):
    own = ppd(builtin, cells._templates_of("breastfeed", "corrected")).items
    assert set(own.word) == {"breastfeed"}
    assert len(own) == 10


def test_no_weights_are_left_where_they_are_not_needed(done):
    assert (done["train"][1].folder / "model" / "model.safetensors").exists()
    for step in ("remind", "learn"):
        assert not list(done[step][0].folder.iterdir())


def test_the_page(done, model, tmp_path):
    missing = [MissingCell("corpora", {"corpus": "jigsaw:toxic"}, "it is not there")]
    gather(FinishedStudy(tmp_path, table_of(done).replace(model, "tiny"), missing, SETTINGS))
    found = Findings.read(tmp_path)
    tables = {one.name: one for one in found.tables}
    assert list(tables) == [
        "printed", "claims", "examples", "figure6", "table3", "table4", "figure10", "figure8", "figure11", "table5",
        "figure13", "left_out",
    ]  # fmt: skip
    table3 = {row[0]: row for row in tables["table3"].rows}
    assert table3["tiny: combined"][-1] == "not printed"
    assert table3["roberta-large: combined"][2] == 3.21
    assert table3["roberta-large: combined"][-1].startswith("not reproducible: this run asks other models")
    table4 = {row[0]: row[-1] for row in tables["table4"].rows}
    assert table4["trained on swapped GAP: combined"].startswith(
        "differs: another model; the pairs are our own"
    )
    assert table4["trained on swapped GAP, then jigsaw:toxic: combined"].startswith(
        "not reproducible: not measured"
    )
    table5 = {(row[0], row[1]): row for row in tables["table5"].rows}
    assert table5["APPD(pregnant), with 2 x 50 reminders", "corrected"][2] == -0.22
    assert [answer.question[:3] for answer in found.answers][:4] == ["RQ1", "RQ2", "RQ3", "RQ4"]
    assert {"figure6", "mt-gender-medical", "figure10", "gap-gender-related-words", "figure13"} <= {
        chart.name for chart in found.charts
    }
    assert write_study_page(tmp_path).stat().st_size > 10_000


def test_a_part_of_the_page(done, tmp_path):
    some = table_of(done)[lambda rows: rows.step.isin(["untrained", "learn"])].dropna(axis=1, how="all")
    gather(FinishedStudy(tmp_path, some, [], SETTINGS, only=["figure13"]))
    assert [one.name for one in Findings.read(tmp_path).tables] == ["printed", "claims", "figure13"]
    gather(FinishedStudy(tmp_path, pd.DataFrame({"step": []}), [], SETTINGS))  # nothing could be made
    assert [one.name for one in Findings.read(tmp_path).charts] == []


def test_a_model_that_the_study_is_not_meant_for(tmp_path):
    folder = tiny.save("gpt2", tmp_path / "model")
    cell = Cell("sentences", {"models": str(folder)}, SETTINGS, tmp_path)
    with pytest.raises(
        ModelError, match=r"barza2023 needs a masked language model, and .* is loaded as causal"
    ):
        cells.sentences(cell)


def test_comments(monkeypatch, model, tmp_path):
    """A model trained on comments, where Jigsaw's are at hand; else a reason."""
    gap = FinishedCell({"text": "gap"}, {}, tmp_path / "trained")
    gap.folder.mkdir()
    (gap.folder / "model").symlink_to(model)
    (tmp_path / "cell").mkdir()
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path / "data"))
    cell = Cell("corpora", {"corpus": "jigsaw:toxic"}, SETTINGS, tmp_path / "cell", {"train": [gap]})
    with pytest.raises(LeftOut, match="table 4 is about Jigsaw's toxic comments"):
        cells.corpora(cell)
    (tmp_path / "data" / "jigsaw").mkdir(parents=True)
    comments = pd.DataFrame(
        {"id": range(40), "comment_text": [f"You are {i} fools. Go away!" for i in range(40)]}
    )
    labels = {label: [int(label == "toxic")] * 40 for label in JIGSAW_LABELS}
    comments.assign(**labels).to_csv(tmp_path / "data" / "jigsaw" / "train.csv", index=False)
    rows = cells.corpora(cell)["rows"]
    assert {row["group"] for row in rows} == {"all", "occupation bias", "benevolent sexism", "hostile sexism"}


def test_the_file_of_the_study():
    study, _ = read_study("barza2023")
    assert study.at("smoke").factors["model"] == ["builtin"]
    assert len(study.at("paper").factors["models"]) == 6
    assert len([cell for cell in plan(study.at("paper")).values() if cell.step == "learn"]) == 8 * 5
    assert study.steps_for(("figure6",)) == {"sentences", "samples"}
    assert study.steps_for(("figure10",)) == {"before", "train", "after"}

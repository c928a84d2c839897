"""One run asks everything that the weights of a model can answer, and says of each measure what was asked."""

from __future__ import annotations

import json

import pytest

import counterpoise as cp
import tiny
from counterpoise.audit import request
from counterpoise.audit.run import Run
from counterpoise.core.errors import ModelError, RunError
from counterpoise.measures.base.catalogue import find_measure
from counterpoise.report.html import write_report

pytestmark = pytest.mark.usefixtures("few_questions")

ENCODER = "sentence encoder, mean pooling"
WORDS = """
sets: {x: [physics, math], y: [poetry, dance], m: [he, man], f: [she, woman]}
tests: [{name: mine, targets: [x, y], attributes: [m, f], gender: true}]
"""


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.yaml"
    path.write_text(WORDS)
    return path


@pytest.fixture
def suite(monkeypatch):
    """A suite of few measures, which may be changed."""
    names = ["ppd", "seat", "weat"]
    monkeypatch.setattr(request, "suite_measures", lambda suite: [find_measure(name) for name in names])
    return names


@pytest.fixture
def finished(small, words, suite, tmp_path):
    return cp.audit(small, suite="full", words=words, out=tmp_path / "run")


def test_a_masked_model_is_asked_as_an_encoder_too(finished, small_folder, words):
    assert {name: result.asked for name, result in finished.results.items()} == {
        "ppd": "masked language model",
        "seat": ENCODER,
    }
    alone = cp.measures.seat(cp.load(small_folder, kind="encoder", device="cpu"), words)
    assert finished.results["seat"].summary.value.to_numpy() == pytest.approx(alone.summary.value.to_numpy())
    assert "give a file of word vectors" in finished.left_out["weat"]


@pytest.mark.slow
def test_the_folder_says_what_was_asked(finished):
    folder = finished.run.folder
    rows = json.loads((folder / "summary.json").read_text())["results"]
    assert {row["measure"]: row["asked"] for row in rows} == {"ppd": "masked language model", "seat": ENCODER}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["measures"]["seat"]["asked"] == ENCODER
    assert [result.asked for result in Run.read(folder).results.values()] == [
        "masked language model",
        ENCODER,
    ]
    assert ENCODER in write_report(folder).read_text(encoding="utf-8")


def test_it_resumes(finished, small, words):
    before = (finished.run.folder / "manifest.json").read_bytes()
    again = cp.audit(small, suite="full", words=words, out=finished.run.folder)
    assert (finished.run.folder / "manifest.json").read_bytes() == before
    assert again.summary.value.tolist() == finished.summary.value.tolist()


def test_a_measure_that_is_named_asks_the_view_that_it_needs(small, words):
    assert cp.audit(small, ["seat"], words=words).results["seat"].asked == ENCODER


def test_a_causal_model_is_told_what_would_help(tmp_path, words):
    gpt2 = cp.load(tiny.save("gpt2", tmp_path))
    with pytest.raises(
        ModelError, match=r"^seat needs a sentence encoder; .* --kind encoder, reads it as one"
    ):
        cp.audit(gpt2, ["seat"], words=words)


def without_what_was_asked(folder, measures):
    """The folder as a version wrote it that had no views: fewer measures, nothing about what was asked."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["options"]["measures"] = measures
    manifest["measures"] = {name: manifest["measures"][name] for name in measures}
    for about in manifest["measures"].values():
        del about["asked"], about["checksums"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    document = json.loads((folder / "summary.json").read_text())
    document["results"] = [row for row in document["results"] if row["measure"] in measures]
    for row in document["results"]:
        del row["asked"]
    (folder / "summary.json").write_text(json.dumps(document))


@pytest.mark.slow
def test_a_run_of_an_older_version_gets_the_measures_that_it_lacks(finished, small, words):
    folder = finished.run.folder
    without_what_was_asked(folder, ["ppd"])
    [old] = Run.read(folder).results.values()
    assert old.asked == ""
    assert "asked as" not in write_report(folder).read_text(encoding="utf-8")
    again = cp.audit(small, suite="full", words=words, out=folder)
    assert list(again.results) == ["ppd", "seat"]
    assert again.run.is_complete
    assert Run.read(folder).manifest["options"]["measures"] == ["ppd", "seat"]
    assert again.results["ppd"].summary.value.tolist() == finished.results["ppd"].summary.value.tolist()


def test_measures_are_added_and_never_dropped(finished, small, words, suite):
    suite[:] = ["seat"]
    with pytest.raises(RunError, match="holds a run with measures ppd,seat, and this one has seat"):
        cp.audit(small, suite="full", words=words, out=finished.run.folder)


def test_a_comparison_says_where_models_were_asked_differently(finished, small_folder, words, tmp_path):
    encoder = cp.load(small_folder, kind="encoder", pooling="cls", device="cpu")
    cp.audit(encoder, ["seat"], words=words, out=tmp_path / "cls")
    found = cp.compare(finished.run.folder, tmp_path / "cls")
    assert found.measures == ["seat"]
    [note] = [note for note in found.notes if "differently" in note]
    assert note == (
        "seat asked the models differently, which may be why numbers differ: "
        "sentence encoder, mean pooling (run), sentence encoder, cls pooling (cls)"
    )


@pytest.mark.slow
def test_datasets_of_older_runs_have_their_names_of_today(finished, tmp_path, small, suite, words):
    """A run that says tbd, and one of today: the same dataset, and the same numbers."""
    folder = finished.run.folder
    for name in ("manifest.json", "summary.json"):
        text = (folder / name).read_text()
        assert '"pronoun_templates"' in text
        (folder / name).write_text(text.replace('"pronoun_templates"', '"tbd"'))
    ppd, _ = Run.read(folder).results.values()
    assert ppd.dataset == "pronoun_templates"
    assert set(ppd.summary.dataset) == {"pronoun_templates"}
    cp.audit(small, ["ppd"], out=tmp_path / "today")
    rows = cp.compare(folder, tmp_path / "today").rows
    assert rows[rows.form != ""].is_same.all()

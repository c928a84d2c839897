"""The run folder: what is in it, when it is continued, when it is refused."""

from __future__ import annotations

import json
import sys

import pandas as pd
import pytest

import counterpoise as cp
import few
import tiny
from counterpoise.audit import request
from counterpoise.audit.run import Run
from counterpoise.core.errors import CounterpoiseError, DataError, InputError, ModelError, RunError
from counterpoise.data import CrowsPairs, Pairs
from counterpoise.data.thirdparty.folders import fetched_folder
from counterpoise.measures.base.catalogue import find_measure
from counterpoise.measures.pairs.common import readable_pairs

pytestmark = pytest.mark.usefixtures("few_questions")


@pytest.fixture(scope="module")
def finished(few_questions, small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "finished"
    return cp.audit(small, measures=["lpbs", "ppd"], out=folder, cache=False)


@pytest.mark.slow
def test_files_of_a_run(finished):
    names = {
        str(path.relative_to(finished.run.folder))
        for path in finished.run.folder.rglob("*")
        if path.is_file()
    }
    assert names == {
        ".lock",
        "manifest.json",
        "report.html",
        "summary.json",
        "skipped.parquet",
        "scores/lpbs.parquet",
        "scores/ppd.parquet",
    }


def test_summary_json_has_the_agreed_shape(finished, small):
    document = json.loads((finished.run.folder / "summary.json").read_text())
    assert document["schema"] == 2
    assert document["model"] == small.name
    agreed = ["measure", "dataset", "group", "statistic", "key", "value", "ideal", "ci_low", "ci_high"]
    agreed += ["p_value", "p_adjusted", "effect_size", "n", "variant", "level"]
    assert all(list(row)[: len(agreed)] == agreed for row in document["results"])
    assert all(row["source"]["form"] for row in document["results"])
    assert len(document["results"]) == len(finished.summary)


def test_the_manifest_tells_how_it_was_made(finished, small):
    manifest = json.loads((finished.run.folder / "manifest.json").read_text())
    assert manifest["options"]["seed"] == 0
    assert manifest["options"]["model"] == small.name
    assert len(manifest["options"]["fingerprint"]) == 32
    assert {"torch", "transformers", "counterpoise", "python"} <= manifest["versions"].keys()
    assert manifest["measures"]["lpbs"]["items"] == len(few.professions())
    assert manifest["finished"] >= manifest["started"]


def test_a_run_read_back_is_what_was_measured(finished):
    for result, read in zip(
        finished.results.values(), Run.read(finished.run.folder).results.values(), strict=True
    ):
        pd.testing.assert_frame_equal(read.summary, result.summary, check_dtype=False, check_exact=True)
        assert read.items.drop(columns=["gender"]).equals(result.items.drop(columns=["gender"]))
        assert len(read.skipped) == len(result.skipped)


def test_a_finished_run_is_not_done_again(finished, small):
    before = (finished.run.folder / "manifest.json").read_bytes()
    again = cp.audit(small, measures=["lpbs", "ppd"], out=finished.run.folder, cache=False)
    assert (finished.run.folder / "manifest.json").read_bytes() == before
    assert again.summary.value.tolist() == finished.summary.value.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 1}, "holds a run with seed 0, and this one has 1; choose another folder with --out"),
        ({"variant": "published"}, "variant corrected, and this one has published"),
        ({"measures": ["ppd"]}, "measures lpbs,ppd, and this one has ppd"),
    ],
)
def test_other_options_are_refused(finished, small, options, message):
    with pytest.raises(RunError, match=message):
        cp.audit(
            small, **{"measures": ["lpbs", "ppd"], "out": finished.run.folder, "cache": False, **options}
        )


def test_a_folder_of_something_else_is_refused(small, tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(RunError, match="exists and is not a run"):
        cp.audit(small, measures=["ppd"], out=tmp_path)
    with pytest.raises(RunError, match="is a file; a run needs a folder"):
        cp.audit(small, measures=["ppd"], out=tmp_path / "thesis.tex")
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_a_newer_schema_and_a_damaged_manifest_are_refused(tmp_path):
    (tmp_path / "manifest.json").write_text('{"schema": 3, "options": {}, "measures": {}}')
    with pytest.raises(RunError, match="has schema 3; this version reads up to 2"):
        Run.read(tmp_path)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(RunError, match="is damaged"):
        Run.read(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(RunError, match="cannot read"):
        Run.read(tmp_path)


def test_a_run_that_was_killed_while_it_began_is_begun_again(small, tmp_path):
    (tmp_path / ".manifest.json.abc.part").write_text("{")
    assert cp.audit(small, measures="ppd", out=tmp_path).run.is_complete
    assert not list(tmp_path.rglob("*.part"))


def test_one_process_at_a_time(finished, small):
    fcntl = pytest.importorskip("fcntl", reason="needs a system with file locks")
    with (finished.run.folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RunError, match="another process is at work"):
            cp.audit(small, measures=["lpbs", "ppd"], out=finished.run.folder)


def test_without_out_nothing_is_written(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    audit = cp.audit(small, measures=["ppd"], cache=False)
    assert audit.run is None
    assert list(tmp_path.iterdir()) == []


def test_bad_names_are_said_first(small, tmp_path):
    with pytest.raises(InputError, match="did you mean 'lpbs'"):
        cp.audit("no/such/model", measures=["lbps"])
    with pytest.raises(InputError, match="there is no suite 'fast'"):
        cp.audit("no/such/model", suite="fast")
    with pytest.raises(InputError, match="no measure was named"):
        cp.audit(small, measures=[])
    with pytest.raises(CounterpoiseError, match=r"there is no folder .* to take data from"):
        cp.audit(small, measures=["ppd"], data=tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"cannot read nowhere.csv"):
        cp.audit("no/such/model", pairs="nowhere.csv")


def test_pairs_of_ones_own(small, tmp_path):
    mine = tmp_path / "mine.csv"
    mine.write_text("stereotyped,counterpart\nHe is a plumber.,She is a plumber.\n")
    audit = cp.audit(small, measures=["sld"], pairs=mine)
    assert audit.results["sld"].items.stereotyped.tolist() == ["He is a plumber."]
    assert set(audit.summary.dataset) == {"mine.csv"}
    with pytest.raises(InputError, match="is for aul, aula, crows or sld, not for a measure of this audit"):
        cp.audit(small, measures=["ppd"], pairs=mine)


def test_templates_of_ones_own(small, tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("sets: [{category: own, templates: ['{subject} is a plumber.', 'no slot']}]")
    result = cp.audit(small, measures=["ppd"], templates=mine, out=tmp_path / "run").results["ppd"]
    assert result.items.text.tolist() == ["[MASK] is a plumber."]
    assert result.dataset == "mine.yaml"
    assert result.skipped.item.tolist() == ["no slot"]
    with pytest.raises(RunError, match=r"holds a run with templates [0-9a-f]{64}, and this one has None"):
        cp.audit(small, measures=["ppd"], out=tmp_path / "run")
    with pytest.raises(InputError, match="is for ppd, not for a measure of this audit"):
        cp.audit(small, measures=["sld"], templates=mine)
    mine.write_text("sets: [{category: own, templates: ['no slot']}]")
    with pytest.raises(DataError, match="no template can be used: 'no slot'"):
        cp.audit("no/such/model", measures=["ppd"], templates=mine)


def test_no_measure_fits(tmp_path, monkeypatch):
    classifier = cp.load(tiny.save("classifier", tmp_path))
    monkeypatch.setattr(request, "suite_measures", lambda suite: [find_measure("lpbs")])
    with pytest.raises(ModelError, match=r"no measure of the suite 'quick' fits .*, which is a classifier"):
        cp.audit(classifier)
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("he 1 0\nshe 0 1\n")
    with pytest.raises(
        ModelError,
        match=r"lpbs needs a masked language model or a causal language model; vectors.txt is word vectors",
    ):
        cp.audit(vectors, measures=["lpbs"])


CROWS = """sent_more,sent_less,stereo_antistereo,bias_type
The nurse lost her keys.,The nurse lost his keys.,stereo,gender
"""


@pytest.fixture
def small_suite(monkeypatch):
    """Two measures for every model, so that a whole suite is quick."""
    names = ["crows", "ppd"]
    monkeypatch.setattr(request, "suite_measures", lambda suite: [find_measure(name) for name in names])
    return names


@pytest.mark.slow
def test_what_was_left_out_is_measured_when_its_data_are_there(small, no_data, small_suite, tmp_path):
    """The line that says what is missing says how to get it; the same command then goes on."""
    first = cp.audit(small, suite="full", out=tmp_path / "run")
    assert list(first.results) == ["ppd"]
    assert "catalog fetch crows-pairs" in first.left_out["crows"]
    folder = fetched_folder() / "crows-pairs"
    folder.mkdir(parents=True)
    (folder / "crows_pairs_anonymized.csv").write_text(CROWS)
    second = cp.audit(small, suite="full", out=tmp_path / "run")
    assert set(second.results) == {"crows", "ppd"}
    assert second.left_out == Run.read(tmp_path / "run").left_out == {}
    assert second.run.is_complete


def test_what_the_model_cannot_do_is_left_out_of_a_suite(small, small_suite, monkeypatch):
    small_suite[0] = "aula"
    pairs = CrowsPairs.of(Pairs.of(("He sews.", "She sews.")))
    monkeypatch.setattr(readable_pairs, "crows_pairs", lambda categories, variant: pairs)

    def hidden(model, sentences):
        raise ModelError("it does not show its attention")

    monkeypatch.setattr(sys.modules["counterpoise.measures.pairs.aula"], "attention_received", hidden)
    assert cp.audit(small, suite="full").left_out == {"aula": "it does not show its attention"}
    with pytest.raises(ModelError, match="does not show its attention"):
        cp.audit(small, ["aula"])


def test_a_model_that_was_cached_before_keeps_its_cache(small):
    assert small.cache is None
    cp.audit(small, measures=["ppd"])
    assert small.cache is None

"""The cells with a tiny model: their numbers are those of the sentiment measure, here or from another machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

import counterpoise as cp
import jentzsch_builtin
from counterpoise.core.errors import InputError, RunError
from counterpoise.studies.engine.cells import Cell, FinishedCell, LeftOut
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.study import read_study
from counterpoise.studies.papers.jentzsch2022.cells import RATINGS, count, rate, train, training_settings
from counterpoise.studies.papers.jentzsch2022.measured import precomputed_rows
from counterpoise.studies.papers.jentzsch2022.options import DECISIVE, DEFAULTS, options
from counterpoise.studies.papers.jentzsch2022.precomputed import file_stem
from counterpoise.studies.papers.jentzsch2022.rating import Confusion, Rated
from counterpoise.studies.papers.jentzsch2022.reviews import reviews

ROOT = Path(__file__).parents[4]
TRAINING = {"epochs": 1, "batch_size": 8, "learning_rate": 3e-3, "patience": None, "max_length": 32}


@pytest.fixture(scope="module")
def done(imdb_file, base, tmp_path_factory):
    """A trained and rated cell."""
    factors = {"base": str(base), "condition": "mix-pro", "batch_size": "own", "seed": 0}
    settings = {"imdb": str(imdb_file), "training": TRAINING, "device": "cpu"}
    folders = [tmp_path_factory.mktemp(step) for step in ("train", "rate")]
    trained = FinishedCell(factors, train(Cell("train", factors, settings, folders[0])), folders[0])
    rated = rate(Cell("rate", factors, settings, folders[1], {"train": [trained]}))
    return trained, FinishedCell(factors, rated, folders[1]), settings


def test_the_counts_are_those_of_the_measure(done, imdb_file):
    # Other texts are rated beside these in the cell: float32 rounds another way there.
    trained, rated, _ = done
    test = reviews("test", path=imdb_file)
    classifier = cp.load(trained.folder / "model", device="cpu")
    counted = count(Cell("count", rated.factors, {}, rated.folder, {"rate": [rated]}))
    found = {row["terms"]: row for row in counted["rows"]}
    assert [row["own"] for row in found.values()] == [True, False, False]
    for terms, row in found.items():
        result = cp.measures.sentiment(classifier, test.review.tolist(), terms=terms)
        overall = result.summary.set_index("key").value
        assert row["total"] == pytest.approx(overall["total_bias"], abs=1e-6)
        assert row["absolute_nonzero"] == pytest.approx(overall["absolute_bias.not_zero"], abs=1e-6)
        assert row["above"] == overall["above_zero"]
        assert row["zero_no_term"] == overall["zero_no_term"]
        assert row["ci_low"] < row["total"] < row["ci_high"]
        bias = result.items.bias
        assert row["positive"] == pytest.approx(bias[bias > 0].mean(), abs=1e-6)


def test_accuracy_is_that_of_test_reviews_treated_alike(done, imdb_file):
    trained, rated, _ = done
    test = reviews("test", path=imdb_file)
    treated = cp.text.apply_condition(test.review.tolist(), test.sentiment.tolist(), "mix-pro")
    right = cp.tuning.evaluate(cp.load(trained.folder / "model", device="cpu"), treated.texts, treated.labels)
    figures = Confusion(*(rated.result[name] for name in list(rated.result)[1:5])).figures()
    assert len(treated.texts) == 2 * rated.result["reviews"] == 80
    assert figures["accuracy"] == right.accuracy


def test_recall_precision_and_f1_are_of_the_negative_label():
    scores, positive = np.array([0.9, 0.8, 0.2, 0.4, 0.1, 0.7]), np.array([1, 0, 0, 1, 0, 1], dtype=bool)
    true, predicted = ~positive, ~(scores > 0.5)
    figures = Confusion.of(scores, positive).figures()
    expected = [metric(true, predicted) for metric in (recall_score, precision_score, f1_score)]
    assert [figures[name] for name in ("recall", "precision", "f1")] == pytest.approx(expected)


def written(done, folder):
    """The files that tools/jentzsch_builtin.py writes, of a cell that is there already."""
    trained, rated, settings = done
    factors = {**trained.factors, "base": "tiny"}
    record = {
        "factors": factors,
        "settings": {name: value for name, value in options(settings).items() if name in DECISIVE},
        "train": trained.result,
        "rate": rated.result,
    }
    (folder / f"{file_stem(factors)}.json").write_text(json.dumps(record))
    shutil.copyfile(rated.folder / RATINGS, folder / f"{file_stem(factors)}.npz")
    return factors


def test_results_from_elsewhere_are_taken(done, tmp_path):
    factors = written(done, tmp_path)
    settings = {**done[2], "results": str(tmp_path), "imdb": "nowhere"}
    for step, function in (("train", train), ("rate", rate)):
        (tmp_path / step).mkdir()
        found = function(Cell(step, factors, settings, tmp_path / step))
        assert found == done[step == "rate"].result
    ours, theirs = (Rated.read(place / RATINGS) for place in (tmp_path / "rate", done[1].folder))
    assert np.array_equal(ours.bias, theirs.bias)
    assert len(precomputed_rows(tmp_path)) == 3


def test_results_made_otherwise_are_refused(done, tmp_path):
    factors = written(done, tmp_path)
    changed = {**done[2], "results": str(tmp_path), "training": {**TRAINING, "epochs": 9}}
    with pytest.raises(RunError, match=r"was made with training .* and the study has"):
        train(Cell("train", factors, changed, tmp_path))
    with pytest.raises(RunError, match="there is no folder"):
        train(Cell("train", factors, {**changed, "results": "/nowhere/at/all"}, tmp_path))


def test_without_reviews_the_cell_is_left_out(no_data, tmp_path):
    factors = {"base": "builtin", "condition": "original", "batch_size": "own", "seed": 0}
    with pytest.raises(LeftOut, match="is not at hand"):
        train(Cell("train", factors, {}, tmp_path))
    with pytest.raises(LeftOut, match="cannot read reviews"):
        train(Cell("train", factors, {"imdb": str(tmp_path / "none.csv")}, tmp_path))
    with pytest.raises(InputError, match=r"there is no setting of jentzsch2022 'test_review'.*did you mean"):
        options({"test_review": 3})


def test_some_reviews_are_half_positive_and_always_the_same(imdb_file):
    some = reviews("test", 11, imdb_file)
    assert some.sentiment.value_counts().to_dict() == {"pos": 6, "neg": 5}
    pd.testing.assert_frame_equal(some, reviews("test", 11, imdb_file))
    assert len(reviews("train", 1000, imdb_file)) == 40


def test_how_a_cell_is_trained():
    published = options({"variant": "published", "training": None})
    factors = {"base": "albertlarge", "condition": "mix-all", "batch_size": "own", "seed": 7}
    settings = training_settings(factors, published)
    assert (settings.batch_size, settings.learning_rate, settings.epochs, settings.seed) == (8, 2e-5, 20, 7)
    assert training_settings({**factors, "batch_size": 32}, published).batch_size == 32
    assert training_settings(factors, options({})).epochs == DEFAULTS["training"]["epochs"]


def test_the_study_file():
    study, _ = read_study("jentzsch2022")
    assert study.settings == DEFAULTS
    trainings = {
        scale: sum(cell.step == "train" for cell in plan(study.at(scale)).values()) for scale in study.scales
    }
    assert trainings == {"smoke": 6 + 2, "builtin": 28 + 2 * 14 + 2 * 4, "paper": 49 + 2 * 21}


def test_the_tool_s_trainings_are_those_of_the_study():
    study, _ = read_study("jentzsch2022")
    planned = [dict(cell.factors) for cell in plan(study.at("builtin")).values() if cell.step == "train"]
    assert jentzsch_builtin.trainings({}) == planned
    # The mixes of the smallest batches would take longest; those of half the layers as long as unmixed whole ones.
    costs = {file_stem(factors): jentzsch_builtin.relative_cost(factors) for factors in planned}
    assert (
        costs["builtin_R-all_8_0"]
        == 2 * costs["builtin-adapted_mix-pro_own_1"]
        == 4 * costs["builtin_R-pro_own_2"]
    )
    assert costs["builtin-half_mix-pro_own_0"] == costs["builtin_original_own_0"]


@pytest.mark.slow
def test_the_tool_needs_little_and_does_nothing_twice(imdb_file, base, tmp_path):
    """Without the packages that a bare machine lacks; the second time there is nothing left to do."""
    block = tmp_path / "sitecustomize.py"
    missing = ("pydantic", "typer", "altair", "statsmodels")
    block.write_text(f"import sys\nfor name in {missing}: sys.modules[name] = None\n")
    out = tmp_path / "out"
    command = [sys.executable, str(ROOT / "tools" / "jentzsch_builtin.py"), "--imdb", str(imdb_file)]
    command += ["--out", str(out), "--base", str(base), "--condition", "R-all", "--batch-size", "own"]
    command += ["--seed", "1", "--workers", "2", "--device", "cpu", "--training", json.dumps(TRAINING)]
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"}
    first = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert first.returncode == 0, first.stderr
    [record] = out.glob("*.json")
    assert json.loads(record.read_text())["settings"]["training"] == {**DEFAULTS["training"], **TRAINING}
    assert Rated.read(record.with_suffix(".npz")).bias.shape == (3, 40)
    again = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert again.stdout.startswith("0 base models and 0 trainings to do")

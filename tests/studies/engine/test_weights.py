"""--drop-models: weights go once nothing needs them, their cells stay done, and a later need brings them back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from counterpoise.core.errors import DataError
from counterpoise.studies.engine import weights as weights_module
from counterpoise.studies.engine.execution import _settle
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.store import Store
from counterpoise.studies.engine.study import Study
from counterpoise.studies.engine.weights import Weights

SIZE = 128 + 5 * 8  # of five numbers in a file of numpy's


def kept(folder):
    """The seeds whose numbers are there, while a worker may be renaming folders."""
    places = (Path(root).parts[-2] for root, _, files in os.walk(folder) if "numbers.npy" in files)
    return sorted(
        int(place.split("-")[0].removeprefix("seed=")) for place in places if not place.endswith(".part")
    )


def drawn(diary):
    return sorted(int(line.split()[0]) for line in diary.read_text().splitlines())


def weights_of(folder):
    store = Store.read(folder)
    return Weights(store, store.plan())


def test_weights_go_and_the_table_stays(toy, run, tmp_path):
    whole = run(toy(), tmp_path / "whole")
    assert (whole.dropped, kept(tmp_path / "whole")) == (0, [0, 1, 2])
    assert weights_of(tmp_path / "whole").kept() == 3 * SIZE
    ended = run(toy(), tmp_path / "s", drop_models=True)
    assert kept(tmp_path / "s") == []
    assert ended.dropped == 3 * SIZE
    pd.testing.assert_frame_equal(ended.finished.table, whole.finished.table)
    assert weights_of(tmp_path / "s").dropped() == (3, 3 * SIZE)
    assert weights_of(tmp_path / "s").kept() == 0
    again = run(toy(), tmp_path / "s", drop_models=True)
    assert (again.computed, again.dropped) == (0, 0)
    pd.testing.assert_frame_equal(again.finished.table, whole.finished.table)


@pytest.mark.slow
def test_weights_of_cells_that_were_finished_before(toy, run, tmp_path):
    run(toy(), tmp_path / "s")
    ended = run(toy(), tmp_path / "s", drop_models=True)
    assert (ended.computed, ended.dropped) == (0, 3 * SIZE)
    assert kept(tmp_path / "s") == []


@pytest.mark.slow
def test_weights_that_cells_outside_of_only_need_are_kept(toy, run, tmp_path):
    run(toy(), tmp_path / "s", only=["seed=0"], drop_models=True)
    assert kept(tmp_path / "s") == [0]  # for the total
    run(toy(), tmp_path / "s", only=["total"], drop_models=True)
    assert kept(tmp_path / "s") == [1, 2]  # for what is to be scaled


@pytest.mark.slow
def test_weights_that_a_failed_cell_needs_are_kept(toy, run, tmp_path):
    study = toy(mischief="left out")
    run(study, tmp_path / "s", drop_models=True)
    assert kept(tmp_path / "s") == [0, 2]  # the total waits for seed 1


@pytest.mark.slow
def test_a_study_that_grows_gets_its_weights_back(toy, run, tmp_path):
    notes, said = tmp_path / "diary", []
    small = toy({"seed": [0, 1], "factor": [10]}, diary=str(notes))
    run(small, tmp_path / "s", drop_models=True)
    assert drawn(notes) == [0, 1]
    grown = toy({"seed": [0, 1], "factor": [10, 100]}, diary=str(notes))
    ended = run(grown, tmp_path / "s", drop_models=True, say=said.append)
    assert drawn(notes) == [0, 0, 1, 1]
    assert ended.computed == 2 + 2
    assert said == [
        f"draw seed={seed} is computed again: scale seed={seed} factor=100 needs its weights, which were dropped"
        for seed in (1, 0)
    ]
    assert kept(tmp_path / "s") == []
    at_once = run(toy({"seed": [0, 1]}, diary=str(notes)), tmp_path / "whole")
    pd.testing.assert_frame_equal(ended.finished.table, at_once.finished.table)


@pytest.mark.slow
def test_only_what_is_needed_is_computed_again_and_it_is_kept_without_the_option(toy, run, tmp_path):
    notes = tmp_path / "diary"
    small = toy({"seed": [0, 1], "factor": [10]}, diary=str(notes))
    run(small, tmp_path / "s", drop_models=True)
    grown = toy({"seed": [0, 1], "factor": [10, 100]}, diary=str(notes))
    run(grown, tmp_path / "s", only=["seed=1"])
    assert drawn(notes) == [0, 1, 1]
    assert kept(tmp_path / "s") == [1]
    assert weights_of(tmp_path / "s").dropped() == (1, SIZE)


@pytest.mark.slow
def test_a_deletion_that_is_interrupted_leaves_no_weights_that_could_be_used(toy, run, tmp_path, monkeypatch):
    notes = tmp_path / "diary"
    small = toy({"seed": [0], "factor": [10]}, diary=str(notes))
    run(small, tmp_path / "s")

    def interrupted(self, cell):
        [path] = self._paths(cell)
        path.write_bytes(path.read_bytes()[:-1])  # half of the files are gone
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(weights_module.Weights, "_delete", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(small, tmp_path / "s", drop_models=True)
    assert kept(tmp_path / "s") == [0]
    grown = toy({"seed": [0], "factor": [10, 100]}, diary=str(notes))
    ended = run(grown, tmp_path / "s")
    assert drawn(notes) == [0, 0]
    numbers = np.random.default_rng(0).normal(size=5)
    values = ended.finished.table.query("step == 'scale' and power == 1").set_index("factor")["value"]
    assert values.to_dict() == {10: (numbers * 10).mean(), 100: (numbers * 100).mean()}


def test_a_cell_whose_replacement_is_interrupted_never_looks_whole(tmp_path, monkeypatch):
    """The old folder goes entry by entry; a worker that is killed in between must not leave cell.json alone."""
    place, aside = tmp_path / "cell", tmp_path / "aside"
    (place / "files").mkdir(parents=True)
    for name in ("cell.json", "dropped.json"):
        (place / name).write_text("{}")
    (aside / "files").mkdir(parents=True)

    def killed(path, **_):
        (path / "dropped.json").unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr("counterpoise.studies.engine.execution.shutil.rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        _settle(aside, place)
    assert not (place / "cell.json").exists()


@pytest.mark.slow
def test_the_rest_of_an_interrupted_deletion_is_deleted_by_the_next_run(toy, run, tmp_path):
    run(toy({"seed": [0]}), tmp_path / "s")
    [cell] = tmp_path.glob("s/cells/draw/*")
    (cell / "dropped.json").write_text(json.dumps({"bytes": SIZE}))
    run(toy({"seed": [0]}), tmp_path / "s")
    assert kept(tmp_path / "s") == []


@pytest.mark.slow
def test_computing_again_may_be_interrupted_and_the_result_stays(toy_file, tmp_path):
    """Killed while it computes dropped weights again, the study has lost no row, and goes on."""
    diary = tmp_path / "diary"

    def command(*more):
        return [sys.executable, "-m", "counterpoise", "study", str(tmp_path / "toy.yaml"), "--workers", "1", "--out",
                str(tmp_path / "s"), *more]  # fmt: skip

    toy_file({"seed": [0], "factor": [10]}, sleep=1, diary=str(diary))
    subprocess.run(command("--drop-models"), check=True, stdout=subprocess.DEVNULL)
    toy_file({"seed": [0], "factor": [10, 100]}, sleep=1, diary=str(diary))
    process = subprocess.Popen(command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while diary.read_text().count("\n") < 2:
        time.sleep(0.02)
    process.kill()
    process.wait()
    [cell] = tmp_path.glob("s/cells/draw/seed=0-*")
    assert {"cell.json", "dropped.json"} <= set(os.listdir(cell))
    done = subprocess.run(command(), check=True, capture_output=True, text=True)
    assert "draw seed=0 is computed again: scale seed=0 factor=100 needs its weights" in done.stderr
    assert "2 cells carried out now" in done.stdout
    assert "dropped.json" not in os.listdir(cell)


@pytest.mark.slow
def test_what_is_begun_is_ended_first_so_that_weights_go_early(toy, run, tmp_path, monkeypatch):
    """A worker goes on with the next seed while the runner learns that one is drawn: one more than the workers."""
    study = toy({"seed": list(range(6))})
    steps = {name: step for name, step in study.steps.items() if name != "total"}
    most = 0
    drop = Weights.drop

    def watched(self, done):
        nonlocal most
        most = max(most, len(kept(tmp_path / "s")))
        return drop(self, done)

    monkeypatch.setattr(Weights, "drop", watched)
    run(study.model_copy(update={"steps": steps}), tmp_path / "s", workers=1, drop_models=True)
    assert most == 2
    assert kept(tmp_path / "s") == []


def test_weights_do_not_change_keys():
    steps = {"train": {"run": "cells:train"}}
    plain = Study(name="s", steps=steps)
    declared = Study(name="s", steps={"train": {**steps["train"], "weights": ["model", "a/b.bin"]}})
    assert plan(plain).keys() == plan(declared).keys()


@pytest.mark.parametrize("path", ["../model", "/model", "a/../../b", "", "a//b", ".", "a/"])
def test_weights_are_inside_of_the_cells_folder(toy, path):
    from counterpoise.studies.engine.study import check_study

    content = {"name": "s", "steps": {"train": {"run": "cells:train", "weights": [path]}}}
    with pytest.raises(DataError, match=r"steps\.train\.weights"):
        check_study(content, "s.yaml")

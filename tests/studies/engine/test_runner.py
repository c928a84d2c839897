"""The grid on one machine: what it computes, what it does not compute again, and what it makes of trouble."""

from __future__ import annotations

import json
import time

import numpy as np
import pandas as pd
import pytest

from counterpoise.core.errors import InputError, RunError
from counterpoise.core.locks import locked
from counterpoise.studies.engine.study import Study


def diary(path):
    """The seeds that were drawn with, in order."""
    return [int(line.split()[0]) for line in path.read_text().splitlines()]


def test_the_table_is_that_of_a_plain_loop(toy, run, tmp_path):
    ended = run(toy(), tmp_path / "s")
    drawn = {seed: np.random.default_rng(seed).normal(size=5) for seed in (0, 1, 2)}
    table = ended.finished.table
    assert ended.computed == 3 + 6 + 1
    assert ended.finished.missing == []
    assert list(table.columns) == ["step", "seed", "factor", "mean", "nothing", "power", "value", "total"]
    means = table[table.step == "draw"].set_index("seed")["mean"]
    assert means.to_dict() == {seed: numbers.mean() for seed, numbers in drawn.items()}
    scaled = table[table.step == "scale"].set_index(["seed", "factor", "power"])["value"].to_dict()
    assert scaled == {
        (seed, factor, power): ((numbers * factor) ** power).mean()
        for seed, numbers in drawn.items()
        for factor in (10, 100)
        for power in (1, 2)
    }
    assert table.total.dropna().tolist() == [sum(float(numbers.mean()) for numbers in drawn.values())]


def test_what_the_folder_holds(toy, run, tmp_path):
    ended = run(toy(), tmp_path / "s")
    read = pd.read_parquet(tmp_path / "s" / "table.parquet")
    pd.testing.assert_frame_equal(read, ended.finished.table, check_dtype=False)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "s" / "table.csv"), read, check_dtype=False)
    assert len(json.loads((tmp_path / "s" / "gathered.json").read_text())) == len(read)
    [folder] = (tmp_path / "s" / "cells" / "draw").glob("seed=1-*")
    assert sorted(path.name for path in folder.rglob("*")) == ["cell.json", "files", "log.txt", "numbers.npy"]
    assert (folder / "log.txt").read_text() == "drawn\n"
    record = json.loads((folder / "cell.json").read_text())
    assert record["result"] == {"mean": read["mean"][1], "nothing": None}
    assert record["factors"] == {"seed": 1}
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.slow
def test_a_finished_study_is_read_and_a_wider_one_adds_its_cells(toy, run, tmp_path):
    notes = tmp_path / "diary"
    first = run(toy({"seed": [0, 1]}, diary=str(notes)), tmp_path / "s")
    again = run(toy({"seed": [0, 1]}, diary=str(notes)), tmp_path / "s")
    assert again.computed == 0
    pd.testing.assert_frame_equal(again.finished.table, first.finished.table)
    wider = run(toy({"seed": [0, 1, 2]}, diary=str(notes)), tmp_path / "s")
    assert wider.computed == 1 + 2 + 1
    assert sorted(diary(notes)) == [0, 1, 2]
    assert len(wider.finished.table.total.dropna()) == 1


def test_a_narrower_study_on_an_old_folder(toy, run, tmp_path):
    run(toy({"seed": [0, 1]}), tmp_path / "s")
    complaint = r"4 finished cells \(e.g. draw seed=1\).*factors.seed was \[0, 1\] and is \[0\]"
    with pytest.raises(RunError, match=complaint):
        run(toy({"seed": [0]}), tmp_path / "s")


def test_only_one_step(toy, run, tmp_path):
    ended = run(toy(), tmp_path / "s", only=["table1"])
    assert set(ended.finished.table.step) == {"draw", "scale"}
    assert ended.finished.only == ("table1",)
    assert run(toy(), tmp_path / "s").computed == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mischief", "reason"),
    [
        ("raise", "ValueError: seed 1 is unlucky"),
        ("model", "there is no folder ./nowhere, and it is no name of a model on the hub"),
    ],
)
def test_a_failed_cell_stops_only_those_that_need_it(toy, run, tmp_path, mischief, reason):
    notes = tmp_path / "diary"
    study = toy(mischief=mischief, diary=str(notes))
    ended = run(study, tmp_path / "s")
    assert set(ended.finished.table[ended.finished.table.step == "scale"].seed) == {0, 2}
    assert list(map(str, ended.finished.missing)) == [
        f"draw seed=1: {reason}",
        "scale seed=1 factor=10: needs draw seed=1, which failed",
        "scale seed=1 factor=100: needs draw seed=1, which failed",
        "total: needs draw seed=1, which failed",
    ]
    [folder] = (tmp_path / "s" / "cells" / "draw").glob("seed=1-*")
    assert "in _mischief" in (folder / "traceback.txt").read_text()
    assert not (folder / "cell.json").exists()

    carried_out = len(diary(notes))
    assert run(study, tmp_path / "s").computed == 0
    assert len(diary(notes)) == carried_out
    assert run(study, tmp_path / "s", retry_failed=True).computed == 0
    assert len(diary(notes)) == carried_out + 1


@pytest.mark.slow
def test_a_retried_cell_that_succeeds_takes_the_place_of_its_failure(toy, run, tmp_path):
    study = toy(mischief="raise once", diary=str(tmp_path / "diary"))
    assert len(run(study, tmp_path / "s").finished.missing) == 4
    ended = run(study, tmp_path / "s", retry_failed=True)
    assert ended.computed == 1 + 2 + 1
    assert ended.finished.missing == []
    assert not list(tmp_path.rglob("traceback.txt"))


@pytest.mark.slow
def test_a_cell_that_is_left_out_is_tried_again_by_itself(toy, run, tmp_path):
    notes = tmp_path / "diary"
    study = toy(mischief="left out", diary=str(notes))
    ended = run(study, tmp_path / "s")
    assert str(ended.finished.missing[0]) == "draw seed=1: needs GloVe"
    assert "failed" not in ended.progress.states.values()
    before = len(diary(notes))
    run(study, tmp_path / "s")
    assert len(diary(notes)) == before + 1


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced_and_its_cell_done_again(toy, run, tmp_path):
    notes = tmp_path / "diary"
    ended = run(toy(mischief="die once", diary=str(notes)), tmp_path / "s")
    assert ended.finished.missing == []
    assert sorted(diary(notes)) == [0, 1, 1, 2]
    assert not list(tmp_path.rglob("*.json.part"))


@pytest.mark.slow
def test_a_worker_that_dies_takes_with_it_what_its_cell_had_started(toy, run, tmp_path):
    """A helper that was forked holds the worker's pipes open; the runner must not wait for it."""
    began = time.monotonic()
    ended = run(toy(mischief="die beside a helper once", diary=str(tmp_path / "diary")), tmp_path / "s")
    assert ended.finished.missing == []
    assert time.monotonic() - began < 60


@pytest.mark.slow
def test_what_gathers_may_fail_and_the_table_is_there(toy, run, tmp_path):
    study = toy().model_copy(update={"gather": "toy_cells:gather_badly"})
    with pytest.raises(RunError, match=r"all cells are in .*table\.csv.*failed: KeyError: 'no such column'"):
        run(study, tmp_path / "s")
    assert (tmp_path / "s" / "table.csv").is_file()
    assert "gather_badly" in (tmp_path / "s" / "traceback.txt").read_text()


@pytest.mark.slow
def test_a_cell_that_kills_every_worker_is_given_up(toy, run, tmp_path):
    ended = run(toy(mischief="die"), tmp_path / "s")
    assert str(ended.finished.missing[0]) == (
        "draw seed=1: its worker died 3 times, at last with signal 9 (out of memory?)"
    )
    assert ended.computed == 2 + 4


def test_a_full_disk_is_one_line_and_what_was_done_stays_done(toy, run, tmp_path):
    with pytest.raises(
        RunError, match=r"the disk is full .*No space left on device.*what was done stays done"
    ):
        run(toy({"seed": [0, 1]}, mischief="disk full"), tmp_path / "s", workers=1)
    assert len(list((tmp_path / "s").glob("cells/draw/seed=0-*/cell.json"))) == 1
    assert not list((tmp_path / "s").glob("cells/*/seed=1*"))


def test_a_disk_that_is_full_at_the_end_is_the_same_line(toy, run, tmp_path):
    study = toy().model_copy(update={"gather": "toy_cells:gather_without_room"})
    with pytest.raises(RunError, match=r"^the disk is full \(.*gathered.json.*; what was done stays done"):
        run(study, tmp_path / "s")


def test_two_runners_on_one_folder(toy, run, tmp_path):
    run(toy(), tmp_path / "s")
    with locked(tmp_path / "s"), pytest.raises(RunError, match="another process is at work in"):
        run(toy(), tmp_path / "s")


def test_two_studies_in_one_folder(toy, run, tmp_path):
    run(toy(), tmp_path / "s")
    other = toy().model_copy(update={"name": "other"})
    with pytest.raises(RunError, match="holds the study 'toy', not 'other'; choose another folder"):
        run(other, tmp_path / "s")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "thesis.doc").touch()
    with pytest.raises(RunError, match="exists and is not a study's"):
        run(toy(), tmp_path / "t")


@pytest.mark.slow
def test_a_changed_study_on_an_old_folder(toy, run, tmp_path):
    first = run(toy(), tmp_path / "s")
    with pytest.raises(RunError, match=r"10 finished cells .*settings.n was 5 and is 6.*--accept-changes"):
        run(toy(n=6), tmp_path / "s")
    back = run(toy(), tmp_path / "s")
    assert back.computed == 0
    pd.testing.assert_frame_equal(back.finished.table, first.finished.table)
    changed = run(toy(n=6), tmp_path / "s", accept_changes=True)
    assert changed.computed == 10
    assert len(changed.finished.table) == len(first.finished.table)
    assert run(toy(), tmp_path / "s", accept_changes=True).computed == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"settings": {"n": 0}}, "^n is how many numbers are drawn, 1 or more, not 0$"),
        ({"check": "toy_cells:check_badly"}, "^toy_cells:check_badly cannot check the study: KeyError"),
        ({"check": "toy_cells:nothing"}, "has no function 'nothing'"),
        ({"estimate": "toy_cells:nothing"}, "has no function 'nothing'"),
    ],
)
def test_what_is_wrong_is_said_before_the_folder_is_made_or_touched(toy, run, tmp_path, change, complaint):
    with pytest.raises(InputError, match=complaint):
        run(toy().model_copy(update=change), tmp_path / "s")
    assert not (tmp_path / "s").exists()
    run(toy(), tmp_path / "s", only=["draw"])
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    with pytest.raises(InputError, match=complaint):
        run(toy().model_copy(update=change), tmp_path / "s")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_functions_that_are_not_there(toy, run, tmp_path):
    (tmp_path / "broken_cells.py").write_text("def f(:")
    (tmp_path / "undefined_broken_cells.py").write_text("\ny = x\n")
    for name, complaint in (
        ("nowhere:f", "cannot be found"),
        ("toy_cells:f", "has no function 'f'"),
        ("broken_cells:f", "the module broken_cells cannot be read: SyntaxError: invalid syntax"),
        (
            "undefined_broken_cells:f",
            r"NameError: name 'x' is not defined \(undefined_broken_cells.py, line 2\)",
        ),
    ):
        study = Study(name="s", steps={"one": {"run": name}})
        with pytest.raises(InputError, match=complaint) as raised:
            run(study, tmp_path / "s", **({"modules": tmp_path} if "broken" in name else {}))
        assert "\n" not in str(raised.value)
    assert not (tmp_path / "s").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("returned", "complaint"),
    [
        ("list", "returned list, not a mapping"),
        ("object", "TypeError: Object of type object is not JSON serializable"),
        ("factor", "returned seed=9, and in its rows seed is 0; call it otherwise"),
        ("step", "returned step=7, and in its rows step is 'one'; call it otherwise"),
        ("rows", "a cell's rows must be a list of mappings"),
    ],
)
def test_a_function_that_returns_something_else(run, tmp_path, returned, complaint):
    study = Study(
        name="s",
        factors={"seed": [0]},
        steps={"one": {"run": f"toy_cells:returns_{returned}", "over": ["seed"]}},
    )
    ended = run(study, tmp_path / "s", workers=1)
    assert complaint in str(ended.finished.missing[0])
    assert ended.finished.table.empty

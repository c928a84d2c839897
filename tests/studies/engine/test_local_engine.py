"""Workers, threads and GPUs of one machine. No GPU is needed: a cell sees which it was given."""

from __future__ import annotations

import pytest

from counterpoise.core.errors import InputError
from counterpoise.studies.engine import local_engine
from counterpoise.studies.engine.local_engine import LocalEngine
from counterpoise.studies.engine.study import Study

pytestmark = pytest.mark.slow


@pytest.fixture
def four_cores(monkeypatch):
    monkeypatch.setattr(local_engine, "available_cores", lambda: 4)


def study(n=4, sleep=0.3, **step):
    steps = {"one": {"run": "toy_cells:surroundings", "over": ["seed"], **step}}
    return Study(name="s", factors={"seed": list(range(n))}, settings={"sleep": sleep}, steps=steps)


def most_at_once(table):
    return max(((table.began <= moment) & (moment < table.ended)).sum() for moment in table.began)


@pytest.mark.parametrize(
    ("workers", "cpus", "threads", "at_once"),
    [(None, 1, 1, 4), (2, 1, 2, 2), (None, 2, 2, 2), (1, 1, 4, 1), (None, 64, 4, 1), (2, 0.5, 2, 2)],
)
def test_workers_times_threads_are_the_cores(four_cores, run, tmp_path, workers, cpus, threads, at_once):
    table = run(study(cpus=cpus), tmp_path / "s", engine=LocalEngine(workers)).finished.table
    assert set(table.threads) == {threads}
    assert most_at_once(table) <= at_once


def test_cells_share_gpus(four_cores, run, tmp_path):
    table = run(
        study(6, sleep=0.5, gpus=1), tmp_path / "s", engine=LocalEngine(gpus=["3", "5"])
    ).finished.table
    assert set(table.gpu) == {"3", "5"}
    for _, of_one in table.groupby("gpu"):
        assert most_at_once(of_one) == 1


def test_a_part_of_a_gpu(four_cores, run, tmp_path):
    table = run(study(4, sleep=1, gpus=0.5), tmp_path / "s", engine=LocalEngine(gpus=["0"])).finished.table
    assert most_at_once(table) == 2


def test_cells_that_need_no_gpu_do_not_wait_for_one(four_cores, run, tmp_path):
    steps = {
        "on_gpu": {"run": "toy_cells:surroundings", "over": ["seed"], "gpus": 1},
        "on_cpu": {"run": "toy_cells:surroundings", "over": ["seed"]},
    }
    both = Study(name="s", factors={"seed": [0, 1, 2]}, settings={"sleep": 0.4}, steps=steps)
    table = run(both, tmp_path / "s", engine=LocalEngine(gpus=["0"])).finished.table.groupby("step")
    assert table.ended.max()["on_cpu"] < table.ended.max()["on_gpu"]


def test_without_gpus_cells_run_all_the_same(run, tmp_path):
    assert run(study(2, sleep=0, gpus=2), tmp_path / "s").computed == 2


def test_what_one_machine_cannot_give(run, tmp_path):
    with pytest.raises(InputError, match="asks for 2 GPUs; here a cell has at most one"):
        run(study(1, gpus=2), tmp_path / "s", engine=LocalEngine(1, gpus=["0", "1"]))
    with pytest.raises(InputError, match="0 workers cannot do anything"):
        LocalEngine(0)

"""The same cells on Ray: a node that dies in the middle changes nothing."""

from __future__ import annotations

import os
import threading
import time

import pytest
from typer.testing import CliRunner

from corpora import planted
from counterpoise.cli.main import app
from counterpoise.core.errors import CounterpoiseError, InputError, RunError
from counterpoise.corpus.counting import count_files
from counterpoise.studies.engine.execution import Task
from counterpoise.studies.engine.ray_engine import RayEngine
from counterpoise.studies.engine.runner import run_study
from counterpoise.studies.engine.study import Study

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster():
    """A cluster of one node; a test adds the one that it kills."""
    pytest.importorskip("ray", reason="needs ray")
    from ray.cluster_utils import Cluster

    quickly = {
        "health_check_period_ms": 500,
        "health_check_failure_threshold": 3,
        "health_check_timeout_ms": 1000,
    }
    found = Cluster(initialize_head=True, head_node_args={**NODE, "_system_config": quickly})
    yield found
    found.shutdown()


@pytest.fixture
def doomed_node(cluster):
    """A second node. The test is connected by the first: with its own node a process dies too."""
    import ray

    ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
    node = cluster.add_node(**NODE)
    yield node
    if node in cluster.worker_nodes:
        cluster.remove_node(node, allow_graceful=False)
    while sum(one["Alive"] for one in ray.nodes()) > 1:  # else the next to connect may choose the dead one
        time.sleep(0.1)
    ray.shutdown()


def kill(cluster, node, when):
    """Kills a node as soon as something is so."""

    def watch():
        while not when():
            time.sleep(0.02)
        cluster.remove_node(node, allow_graceful=False)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


@pytest.mark.slow
def test_twelve_cells_with_one_node_killed_are_as_on_one_machine(cluster, doomed_node, toy, run, tmp_path):
    notes = tmp_path / "diary"
    whole = toy({"seed": list(range(12))}, sleep=1.5, diary=str(notes))
    study = whole.model_copy(update={"steps": {"draw": whole.steps["draw"]}, "parts": {}})
    run(study, tmp_path / "local")
    notes.unlink()

    def begun_there():
        return [
            line.split()[0]
            for line in (notes.read_text().splitlines() if notes.exists() else [])
            if line.endswith(doomed_node.node_id)
        ]

    killer = kill(cluster, doomed_node, begun_there)
    ended = run(study, tmp_path / "ray", engine=RayEngine(cluster.address))
    assert not killer.is_alive()
    assert ended.computed == 12
    seeds = [line.split()[0] for line in notes.read_text().splitlines()]
    assert seeds.count(begun_there()[0]) == 2
    for name in ("table.csv", "table.parquet"):
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "local" / name).read_bytes()


@pytest.mark.slow
def test_a_swap_of_forty_files_with_one_node_killed_is_as_on_one_machine(cluster, doomed_node, tmp_path):
    (tmp_path / "in").mkdir()
    for number in range(40):
        lines = [f"She has hat {n}, her {number}th, and he has his.\n" for n in range(800)]
        (tmp_path / "in" / f"{number}.txt").write_text("".join(lines))

    def swap(name, *options):
        command = ["swap", str(tmp_path / "in"), "--to", "cds", "-o", str(tmp_path / name), *options]
        assert CliRunner().invoke(app, command, catch_exceptions=False).exit_code == 0

    swap("local")
    written = tmp_path / "ray"
    killer = kill(cluster, doomed_node, lambda: len(list(written.glob("*.txt"))) >= 4)
    swap("ray", "--engine", "ray", "--address", cluster.address)
    assert not killer.is_alive()
    found = {path.name: path.read_bytes() for path in written.glob("*.txt")}
    assert found == {path.name: path.read_bytes() for path in (tmp_path / "local").iterdir()}
    assert len(found) == 40


@pytest.mark.slow
def test_a_folder_of_twelve_files_counted_with_one_node_killed_is_as_on_one_machine(
    cluster, doomed_node, tmp_path, monkeypatch
):
    monkeypatch.setattr(count_files, "_PART", 0)  # a task for each file
    (tmp_path / "in").mkdir()
    for number in range(12):
        text = "\n".join(planted(1.0, 3000, number)) + "\n"
        (tmp_path / "in" / f"{number}.txt").write_text(text)

    def count(name, *options):
        command = ["corpus", str(tmp_path / "in"), "--out", str(tmp_path / name), *options]
        assert CliRunner().invoke(app, command, catch_exceptions=False).exit_code == 0
        return [(tmp_path / name / one).read_bytes() for one in ("summary.json", "words.parquet")]

    kept = tmp_path / "ray" / "counts"
    killer = kill(cluster, doomed_node, lambda: len(list(kept.glob("*.npz"))) >= 2)
    found = count("ray", "--engine", "ray", "--address", cluster.address)
    assert not killer.is_alive()
    assert found == count("local")


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_one_line_also_on_ray(cluster, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(b"\xff\xff")
    command = ["swap", str(tmp_path / "in"), "--to", "flip", "-o", str(tmp_path / "out")]
    with pytest.raises(CounterpoiseError, match="not utf-8 at byte 0") as raised:
        CliRunner().invoke(
            app, [*command, "--engine", "ray", "--address", cluster.address], catch_exceptions=False
        )
    assert "\n" not in str(raised.value)


@pytest.mark.slow
def test_a_folder_that_a_node_does_not_see_is_one_line(cluster, tmp_path):
    task = Task("k", "os:getcwd", "one", {}, {}, {}, tmp_path / "elsewhere" / "cells" / "one" / "k")
    with RayEngine(cluster.address) as engine:
        engine.submit(task)
        [outcome] = engine.wait(60)
    assert outcome.state == "failed"
    assert "all nodes must share it" in outcome.reason


def test_a_cluster_that_is_not_there(toy, tmp_path):
    pytest.importorskip("ray", reason="needs ray")
    study = Study(name="s", steps={"one": {"run": "os:getcwd"}})
    with pytest.raises(RunError, match=r"there is no Ray cluster at 127.0.0.1:1 \(.*refused"):
        run_study(study, tmp_path / "s", RayEngine("127.0.0.1:1"))
    with pytest.raises(InputError, match="'nowhere' is no address of a Ray cluster"):
        run_study(study, tmp_path / "s", RayEngine("nowhere"))

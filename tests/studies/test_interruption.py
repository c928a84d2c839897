"""Killed at any moment and started again, a study ends with the same table and does nothing twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def command(file, folder):
    return [sys.executable, "-m", "counterpoise", "study", str(file), "--out", str(folder), "--workers", "2"]


def finished(folder):
    """The finished cells, each with what would change if it were written again; not those that a kill left aside."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("cells/*/[!.]*/cell.json")}


def test_killed_ten_times_at_random_a_study_ends_the_same_and_no_finished_cell_is_redone(toy_file, tmp_path):
    diary = tmp_path / "diary"
    file = toy_file({"seed": list(range(16))}, sleep=0.25, diary=str(diary))
    began = time.monotonic()
    subprocess.run(command(file, tmp_path / "whole"), check=True, stdout=subprocess.DEVNULL)
    duration = time.monotonic() - began
    diary.unlink()

    dice = random.Random(20260101)
    torn = tmp_path / "torn"
    done: dict[Path, int] = {}
    for _ in range(10):
        if len(done) == 16 + 32 + 1:  # all was done before the blow: begin another
            shutil.rmtree(torn)
            done = {}
        process = subprocess.Popen(command(file, torn), stdout=subprocess.DEVNULL)
        time.sleep(dice.uniform(0.2, 0.6) * duration)
        process.kill()
        process.wait()
        assert done.items() <= finished(torn).items()
        done = finished(torn)
    diary.unlink(missing_ok=True)
    subprocess.run(command(file, torn), check=True, stdout=subprocess.DEVNULL)

    assert done.items() <= finished(torn).items()
    drawn = sum(path.parts[-3] == "draw" for path in done)
    assert len(diary.read_text().splitlines() if diary.exists() else []) == 16 - drawn
    for name in ("table.csv", "table.parquet", "gathered.json"):
        assert (torn / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not list(torn.rglob("*.part"))


def test_workers_end_with_a_runner_that_is_killed(toy_file, tmp_path):
    diary = tmp_path / "diary"
    file = toy_file({"seed": [0, 1]}, sleep=60, diary=str(diary))
    process = subprocess.Popen(command(file, tmp_path / "s"), stdout=subprocess.DEVNULL)
    workers = wait_for_workers(diary, process)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 60
    while any(map(is_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, workers))


def test_ctrl_c_says_how_to_go_on_and_ends_the_workers(toy_file, tmp_path):
    diary = tmp_path / "diary"
    file = toy_file({"seed": [0, 1]}, sleep=60, diary=str(diary))
    process = subprocess.Popen(
        command(file, tmp_path / "s"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    workers = wait_for_workers(diary, process)
    second = subprocess.run(command(file, tmp_path / "s"), capture_output=True, text=True, check=False)
    assert second.returncode == 2
    assert second.stderr == f"counterpoise: another process is at work in {tmp_path / 's'}\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert errors.count("\n") == 1
    assert "stopped; the same command goes on where it was" in errors
    assert not any(map(is_alive, workers))


def wait_for_workers(diary, process):
    while not diary.exists() or diary.read_text().count("\n") < 2:
        assert process.poll() is None
        time.sleep(0.05)
    return [int(line.split()[1]) for line in diary.read_text().splitlines()]


def is_alive(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True

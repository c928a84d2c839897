"""Killed at any moment and started again, an audit ends with the same numbers."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest


@pytest.fixture
def command(small_folder):
    """What is typed to audit the small model into a folder."""

    def typed(folder):
        options = ["--offline", "--measures", "lpbs,ppd", "--out", str(folder)]
        return [sys.executable, "-m", "counterpoise", "audit", str(small_folder), *options]

    return typed


@pytest.mark.slow
def test_killed_ten_times_at_random_an_audit_ends_the_same(command, tmp_path):
    def begin(name):
        cache = {"COUNTERPOISE_CACHE": str(tmp_path / f"cache-{name}"), "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            command(tmp_path / name), env={**os.environ, **cache}, stdout=subprocess.DEVNULL
        )

    start = time.monotonic()
    process = begin("whole")
    while not (tmp_path / "whole" / "manifest.json").exists() and process.poll() is None:
        time.sleep(0.02)
    at_work = time.monotonic() - start
    assert process.wait() == 0
    duration = time.monotonic() - start

    dice = random.Random(20260101)
    killed = 0
    while killed < 10:
        process = begin("torn")
        try:
            # Early ones hit loading, late ones the writing of results; the cache makes each attempt shorter.
            process.wait(timeout=dice.uniform(0.9 * at_work, duration))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        else:  # it was done before the blow: begin another
            assert process.returncode == 0
            assert same(tmp_path)
            for path in sorted((tmp_path / "torn").rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            (tmp_path / "torn").rmdir()
            (tmp_path / "cache-torn" / "scores.sqlite").unlink(missing_ok=True)
        killed += 1
    assert begin("torn").wait() == 0
    assert same(tmp_path)
    assert not list((tmp_path / "torn").rglob("*.part"))


def same(tmp_path):
    whole, torn = ((tmp_path / name / "summary.json").read_bytes() for name in ("whole", "torn"))
    return whole == torn


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_and_loses_nothing(command, tmp_path):
    environment = {**os.environ, "COUNTERPOISE_CACHE": str(tmp_path / "cache")}
    process = subprocess.Popen(
        command(tmp_path / "run"), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    cache = tmp_path / "cache" / "scores.sqlite"
    while not cache.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.count("\n") == 1
    assert "stopped; the same command goes on where it was" in errors
    assert (tmp_path / "run" / "manifest.json").exists()

"""A full report of 20,000 items is written in seconds, and small enough to send by mail."""

from __future__ import annotations

import time

import pytest

import runs
from counterpoise.report.html import write_report

pytestmark = pytest.mark.slow


def test_20000_items_take_seconds_and_megabytes(tmp_path):
    results = [
        runs.word_result(measure=f"measure{n}", words=50, templates=80, spread=0.05, seed=n) for n in range(5)
    ]
    assert sum(len(result.items) for result in results) == 20_000
    folder = runs.save_run(tmp_path / "run", *results)
    start = time.process_time()
    path = write_report(folder)
    assert time.process_time() - start < 10
    assert path.stat().st_size < 5_000_000

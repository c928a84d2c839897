from __future__ import annotations

import io

import pytest
from rich.console import Console

from counterpoise.studies.engine import progress as progress_module
from counterpoise.studies.engine.grid import plan
from counterpoise.studies.engine.progress import StudyProgress


@pytest.fixture
def progress(toy):
    cells = plan(toy())
    return StudyProgress(cells, dict.fromkeys(cells, "waiting"))


def keys(progress, step):
    return [key for key, cell in progress.cells.items() if cell.step == step]


def test_time_left_is_that_of_the_steps_shared_by_the_workers(progress):
    assert progress.seconds_left(1) is None
    draws, scales = keys(progress, "draw"), keys(progress, "scale")
    progress.set_done(draws[0], 10)
    progress.set_done(draws[1], 20)
    progress.set_done(scales[0], 3)
    # one draw at 15, five scalings at 3, and the total, of which nothing is known, at the mean of all, 11
    assert progress.seconds_left(2) == (15 + 5 * 3 + 11) / 2


def test_a_failure_leaves_out_what_waits_for_it_and_trying_again_undoes_that(progress):
    first, *_ = keys(progress, "draw")
    progress.set_missing(first, "failed", "unlucky")
    assert [dict(counts) for counts in progress.by_step().values()] == [
        {"failed": 1, "waiting": 2},
        {"left out": 2, "waiting": 4},
        {"left out": 1},
    ]
    progress.try_again(failed=False)
    assert progress.by_step()["total"]["left out"] == 1
    progress.try_again(failed=True)
    assert set(progress.states.values()) == {"waiting"}
    assert progress.reasons == {}


def test_the_live_table(progress, monkeypatch):
    for key in keys(progress, "draw"):
        progress.set_done(key, 30)
    screen = io.StringIO()
    Console(file=screen, width=80).print(progress_module._table(progress, running=2, workers=2))
    lines = screen.getvalue().splitlines()
    assert lines[0].split() == ["step", "done", "failed", "left", "out", "waiting"]
    assert lines[1].split() == ["draw", "3"]
    assert lines[2].split() == ["scale", "6"]
    assert lines[-1].strip() == "2 running, about 2 min left"

"""--dry-run: what would run and what it would cost; nothing is computed or written."""

from __future__ import annotations

import json

import pytest
from tests.studies.conftest import TOY

from counterpoise.core.errors import InputError, RunError
from counterpoise.studies.engine import forecast as forecast_module
from counterpoise.studies.engine.forecast import forecast_study
from counterpoise.studies.engine.speed import EFFICIENCY, Speed, measure_speed

DRAW, SCALE = 2.0 + 1.0, 1.0  # seconds of a cell at the speed below, by the toy's estimate


@pytest.fixture(autouse=True)
def speed(monkeypatch):
    """A machine on which models make 1e9 operations a second."""
    known = Speed("cpu", 1e9 / EFFICIENCY["cpu"])
    monkeypatch.setattr(forecast_module, "measure_speed", lambda device, threads: known)


def forecast(study, folder, workers=1, **options):
    return forecast_study(study, folder, workers, modules=TOY, **options)


def rows(made):
    return {step.step: (step.to_do, step.done, step.seconds, step.basis) for step in made.steps}


def test_an_empty_folder(toy, tmp_path):
    made = forecast(toy(), tmp_path / "s")
    assert rows(made) == {
        "draw": (3, 0, 3 * DRAW, "estimated"),
        "scale": (6, 0, 6 * SCALE, "estimated"),
        "total": (1, 0, None, "unknown"),
    }
    assert made.seconds == 3 * DRAW + 6 * SCALE
    assert made.disk == 3 * 300 + 6 * 50
    assert made.dropped_disk == 3 * 100 + 6 * 50
    # One after another: two numbers drawn and scaled, then the scratch of the third.
    assert made.peak == 2 * (300 + 2 * 50) + 1000
    assert 1000 < made.dropped_peak <= made.peak
    assert made.memory == 2e6
    assert made.unknown == 1
    assert not (tmp_path / "s").exists()


def test_two_workers(toy, tmp_path):
    made = forecast(toy(), tmp_path / "s", workers=2)
    assert max(3 * DRAW + 6 * SCALE, 0) / 2 <= made.seconds < 3 * DRAW + 6 * SCALE
    assert made.memory == 4e6


@pytest.mark.slow
def test_cells_that_are_done_tell_the_time_of_the_others(toy, run, tmp_path):
    run(toy(), tmp_path / "s", only=["seed=0"])
    for path in tmp_path.glob("s/cells/draw/*/cell.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "seconds": 40.0}))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    made = forecast(toy(), tmp_path / "s")
    assert rows(made)["draw"] == (2, 1, pytest.approx(2 * 40), "measured")
    assert rows(made)["scale"][:2] == (4, 2)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    files = [path for path in (tmp_path / "s").rglob("*") if path.is_file()]
    assert made.disk == sum(path.stat().st_size for path in files) + 2 * 300 + 4 * 50
    draw = next(step for step in made.steps if step.step == "draw")
    [drawn] = tmp_path.glob("s/cells/draw/*")
    assert draw.disk == sum(path.stat().st_size for path in drawn.rglob("*") if path.is_file()) + 2 * 300


def test_only(toy, tmp_path):
    made = forecast(toy(), tmp_path / "s", only=["seed=1", "factor=10"])
    assert rows(made) == {"draw": (1, 0, DRAW, "estimated"), "scale": (1, 0, SCALE, "estimated")}
    assert made.dropped_disk == made.disk  # the other cells of this seed are still to need its numbers


def test_what_is_done_and_what_was_dropped(toy, run, tmp_path):
    run(toy({"factor": [10]}), tmp_path / "s", drop_models=True)
    done = forecast(toy({"factor": [10]}), tmp_path / "s")
    assert [(step.to_do, step.seconds) for step in done.steps] == [(0, 0)] * 3
    assert (done.seconds, done.again) == (0, [])
    grown = forecast(toy(), tmp_path / "s", only=["seed=1"])
    assert grown.again == ["draw seed=1"]
    assert rows(grown)["draw"][:2] == (1, 0)


def test_the_same_refusals_as_those_of_a_run(toy, run, tmp_path):
    with pytest.raises(InputError, match="n is how many numbers are drawn, 1 or more, not 0"):
        forecast(toy(n=0), tmp_path / "s")
    with pytest.raises(InputError, match="there is no factor 'sed'"):
        forecast(toy(), tmp_path / "s", only=["sed=1"])
    run(toy(), tmp_path / "s")
    with pytest.raises(RunError, match=r"settings\.n was 5 and is 6"):
        forecast(toy(n=6), tmp_path / "s")
    assert rows(forecast(toy(n=6), tmp_path / "s", accept_changes=True))["draw"][0] == 3
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="is a file; a study needs a folder"):
        forecast(toy(), tmp_path / "file")


@pytest.mark.slow
def test_a_study_without_estimates(toy, run, tmp_path):
    study = toy().model_copy(update={"estimate": None})
    assert forecast(study, tmp_path / "s").unknown == 10
    run(study, tmp_path / "s", only=["seed=0"])
    made = forecast(study, tmp_path / "s")
    [took] = [json.loads(path.read_text())["seconds"] for path in tmp_path.glob("s/cells/draw/*/cell.json")]
    assert rows(made)["draw"] == (2, 1, pytest.approx(2 * took), "measured")
    assert made.unknown == 1


def test_the_speed_is_that_of_products_of_matrices():
    speed = measure_speed("cpu", 1)
    assert speed.device == "cpu"
    assert 1e8 < speed.models < speed.products < 1e13

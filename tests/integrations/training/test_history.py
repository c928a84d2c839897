"""The curve in memory, in its file and in the Trainer's log."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from counterpoise.integrations.training.cost import MeasuringCost
from counterpoise.integrations.training.history import COLUMNS, History
from counterpoise.integrations.training.measuring import ROW_COLUMNS


def point(value, low=np.nan):
    return pd.DataFrame([("ppd", "appd", value, low, 1.0, 9)], columns=ROW_COLUMNS)


def written(path, *steps):
    history = History(path)
    history.begin(0, [])
    for step in steps:
        history.add(step, step / 10, point(step / 100))
        history.save()
    return history


@pytest.mark.parametrize("name", ["bias.csv", "bias.jsonl"])
def test_a_resumed_curve_is_that_of_the_file_up_to_the_checkpoint(name, tmp_path):
    path = tmp_path / "inner" / name
    whole = written(path, 0, 10, 20)
    resumed = History(path)
    resumed.begin(15, [])
    assert resumed.steps == {0, 10}
    resumed.add(20, 2.0, point(0.2))
    resumed.save()
    pd.testing.assert_frame_equal(resumed.frame, whole.frame, check_dtype=False)
    again = History(path)
    again.begin(20, [])
    pd.testing.assert_frame_equal(again.frame, whole.frame, check_dtype=False)


def test_the_lines_are_json(tmp_path):
    written(tmp_path / "bias.jsonl", 10)
    [line] = (tmp_path / "bias.jsonl").read_text().splitlines()
    assert json.loads(line) == {
        "step": 10, "epoch": 1.0, "measure": "ppd", "key": "appd", "value": 0.1, "ci_low": None, "ci_high": 1.0, "n": 9
    }  # fmt: skip


def test_the_curve_of_another_training_is_kept_under_another_name(tmp_path, capsys):
    path = tmp_path / "bias.csv"
    written(path, 0, 10)
    first = path.read_text()
    written(path, 0)
    second = path.read_text()
    written(path, 0, 5)
    assert (tmp_path / "bias.1.csv").read_text() == first
    assert (tmp_path / "bias.2.csv").read_text() == second
    assert "is not of this training, and is now bias.1.csv" in capsys.readouterr().err


def test_a_damaged_file_is_kept_and_the_log_takes_its_place(tmp_path):
    path = tmp_path / "bias.jsonl"
    path.write_text('{"step": 0, "epo')
    log = [
        {"loss": 1.0, "step": 10, "epoch": 1.0},
        {"bias/ppd.appd": 0.1, "bias/ppd.appd_ci_high": 1.0, "step": 10, "epoch": 1.0},
        {"bias/ppd.appd": 0.2, "step": 20, "epoch": 2.0},
    ]
    history = History(path)
    history.begin(10, log)
    assert (tmp_path / "bias.1.jsonl").read_text() == '{"step": 0, "epo'
    history.add(12, 1.2, point(0.3))
    assert history.frame[["step", "value", "ci_high", "n"]].to_numpy().tolist() == [
        [10, 0.1, 1.0, 9],
        [12, 0.3, 1.0, 9],
    ]


def test_an_empty_curve_has_its_columns():
    assert History().frame.columns.tolist() == COLUMNS


def test_the_share_is_of_the_whole_training(monkeypatch):
    """By hand: 20 s before training, 10 steps of 10 s each, 3 s of measuring after 5 and after 10 steps."""
    now = [0.0]
    monkeypatch.setattr("counterpoise.integrations.training.cost.time.perf_counter", lambda: now[0])
    cost = MeasuringCost(0, 10)

    def spend(seconds, step):
        with cost.counting(step):
            now[0] += seconds

    assert cost.share(0) == 0.0
    spend(20.0, 0)
    now[0] += 50.0
    spend(3.0, 5)
    assert cost.share(5) == pytest.approx((20 / 2 + 3) / 50)  # (20 + 2 * 3) / 100
    now[0] += 50.0
    spend(3.0, 10)
    assert cost.share(10) == pytest.approx(26 / 100)
    assert cost.seconds == 26.0

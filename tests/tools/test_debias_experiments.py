"""The table of experiments: changes against the model before, worked out by hand."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import debias_experiments
import proofs
from counterpoise.core.files import write_json
from side_by_side import run_side_by_side

pytestmark = pytest.mark.slow


def save(folder, name, seed, found):
    path = folder / f"{debias_experiments.stem(name, seed)}.json"
    write_json(path, {"experiment": name, "seed": seed, "scores": found.to_dict()})


def test_changes_are_against_the_model_before(tmp_path):
    before = proofs.scores("before", np.array([0.4, -0.4]), np.array([0.5, -0.3]))
    after = proofs.scores("cds", np.array([0.1, -0.3]), np.array([0.0, -0.2]), kept=0.5, right=0.4)
    save(tmp_path, "before", 0, before)
    save(tmp_path, "cds", 42, after)
    [row] = debias_experiments.table(tmp_path).to_dict("records")
    assert (row["experiment"], row["seed"]) == ("cds", 42)
    assert row["lpbs_change"] == pytest.approx(-50)
    assert row["appd_change"] == pytest.approx(-75)
    assert row["lean_kept"] == pytest.approx(50)
    assert row["lean_pregnant"] == pytest.approx(0.2)
    assert row["accuracy_lost"] > 0


def test_every_experiment_has_a_file_name_of_its_own():
    names = [debias_experiments.stem(name, 42) for name in debias_experiments.ALL]
    assert len(set(names)) == len(names)


def test_commands_side_by_side():
    commands = {
        "good": [sys.executable, "-c", ""],
        "bad": [sys.executable, "-c", "raise SystemExit(3)"],
        "endless": [sys.executable, "-c", "import time; time.sleep(60)"],
    }
    assert run_side_by_side(commands, workers=3, minutes=0.05) == (["bad"], ["endless"])

"""Trackers that are not there: told in one line before a model is loaded."""

from __future__ import annotations

import importlib.util

import pytest

from counterpoise.audit.request import AuditRequest
from counterpoise.cli.main import run as command
from counterpoise.core.errors import CounterpoiseError
from counterpoise.integrations.trackers import registry
from counterpoise.integrations.trackers.entry import clean_names


@pytest.fixture
def no_model(monkeypatch):
    def refuse(self):
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(AuditRequest, "load_model", refuse)


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mlfow", "there is no tracker 'mlfow' (there are: mlflow, wandb); did you mean 'mlflow'?"),
        (
            "wandb",
            "logging to wandb needs the package wandb, which is not installed: "
            "pip install 'counterpoise[trackers]'",
        ),
    ],
)
def test_one_line_and_nothing_is_measured(name, message, tmp_path, monkeypatch, capsys):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda package: None if package == "wandb" else real(package)
    )
    out = tmp_path / "run"
    assert command(["audit", "builtin", "--out", str(out), "--log", name]) == 2
    assert capsys.readouterr().err == f"counterpoise: {message}\n"
    assert not out.exists()


def test_a_folder_of_the_package_s_name_is_no_package(tmp_path, monkeypatch):
    """W&B makes a folder `wandb` where it is run."""
    (tmp_path / "notapackage").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert importlib.util.find_spec("notapackage") is not None
    tracker = registry.Tracker("odd", "notapackage", "pip install it", lambda entry: "")
    monkeypatch.setitem(registry._TRACKERS, "odd", tracker)
    with pytest.raises(CounterpoiseError, match="which is not installed: pip install it"):
        registry.find_trackers(["odd"])


def test_no_two_metrics_get_one_name():
    assert clean_names(["a b", "a_b", "a_b_2"], r"[^\w]", 250) == ["a_b", "a_b_2", "a_b_2_2"]

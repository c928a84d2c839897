"""`counterpoise audit` with several models, as it is typed wrongly; tests/studies/audits has the rest."""

from __future__ import annotations

import pytest

from counterpoise.cli.audit_many import label_of
from counterpoise.cli.main import run
from counterpoise.studies.audits.models import NamedModel, NamedModels


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["builtin", "lab/other", "--curve"], "the training step of builtin cannot be told"),
        (["builtin", "--curve"], "the training step of builtin cannot be told"),
        (["0=builtin", "--curve"], "a curve needs two checkpoints or more, found builtin alone"),
        (["builtin", "lab/other", "--fail-above", "ppd:0.1"], "--gate and --fail-above are for one model"),
        (["builtin", "--workers", "2"], "--engine, --workers and --address are for several models"),
        (["builtin", "lab/other", "--engine", "slurm"], "there is no engine 'slurm'"),
        (
            ["builtin", "lab/other", "--address", "here:1"],
            "--address is that of a Ray cluster; add --engine ray",
        ),
        (["builtin", "lab/other", "--measures", "lbps"], "did you mean 'lpbs'?"),
        (["nowhere/*", "--curve"], "nothing is there that fits nowhere/*"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(arguments, complaint, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["audit", *arguments]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_curve_stays_when_checkpoints_are_added(tmp_path):
    def label(*steps):
        models = [
            NamedModel(f"checkpoint-{step}", str(tmp_path / "out" / f"checkpoint-{step}"), step)
            for step in steps
        ]
        for model in models:
            (tmp_path / "out" / model.name).mkdir(parents=True, exist_ok=True)
        return label_of(NamedModels((NamedModel("builtin", "builtin", 0), *models), ()), curve=True)

    assert label(500) == label(500, 1000) == "out-curve"

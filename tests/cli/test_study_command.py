"""`counterpoise study` as it is typed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from counterpoise.cli.main import run

TOY = Path(__file__).parents[1] / "studies" / "toy"


@pytest.fixture
def typed(capsys):
    """Types a command; returns its exit code, output and errors."""

    def type_(*arguments):
        code = run(["study", *map(str, arguments)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return type_


@pytest.mark.slow
def test_run_shows_where_things_are_and_status_says_the_same(typed, tmp_path):
    code, out, _ = typed(TOY / "toy.yaml", "--out", tmp_path / "s", "--workers", 1)
    assert code == 0
    assert "4 cells carried out now; 6 rows in all" in out  # at scale smoke, which is the default
    assert f"table     {tmp_path / 's' / 'table.csv'}" in out
    assert f"gathered  {tmp_path / 's' / 'gathered.json'}" in out
    code, status, _ = typed("status", tmp_path / "s")
    assert code == 0
    assert status.splitlines()[0] == "toy: Numbers drawn, scaled and added up"
    assert [line.split()[:2] for line in status.splitlines()[2:5]] == [
        ["draw", "1"],
        ["scale", "2"],
        ["total", "1"],
    ]
    assert status.splitlines()[5:] == ["weights: 152 B kept"]
    code, out, _ = typed("run", TOY / "toy.yaml", "--out", tmp_path / "s")
    assert "0 cells carried out now; 6 rows in all" in out


@pytest.mark.slow
def test_failed_cells_are_listed_and_the_exit_code_says_so(typed, tmp_path):
    shutil.copy(TOY / "toy_cells.py", tmp_path)
    text = (
        (TOY / "toy.yaml")
        .read_text()
        .replace("seed: [0]}, settings: {n: 3}", "seed: [1]}, settings: {mischief: model}")
    )
    (tmp_path / "toy.yaml").write_text(text)
    for command in (
        [tmp_path / "toy.yaml", "--out", tmp_path / "s", "--workers", 1],
        ["status", tmp_path / "s"],
    ):
        code, out, _ = typed(*command)
        assert code == (0 if "status" in command else 1)
        assert (
            "failed: draw seed=1: there is no folder ./nowhere, and it is no name of a model on the hub\n"
            in out
        )
        assert "left out: total: needs draw seed=1, which failed\n" in out


def test_a_setting_of_ones_own(typed, tmp_path):
    command = [TOY / "toy.yaml", "--workers", 1, "--only", "draw", "--out"]
    typed(*command, tmp_path / "s", "--set", "n=7")
    [numbers] = tmp_path.rglob("numbers.npy")
    assert len(np.load(numbers)) == 7
    code, _, errors = typed(*command, tmp_path / "s")
    assert code == 2
    assert "settings.n was 7 and is 3" in errors


@pytest.mark.slow
def test_only_chooses_values_of_factors(typed, tmp_path):
    command = [TOY / "toy.yaml", "--workers", 1, "--out", tmp_path / "s"]
    _, out, _ = typed(*command, "--only", "table1, factor=100")
    assert "2 cells carried out now; 3 rows in all" in out
    _, out, _ = typed(*command)
    assert "2 cells carried out now; 6 rows in all" in out


def test_dropped_models_are_counted(typed, tmp_path):
    code, out, _ = typed(TOY / "toy.yaml", "--workers", 1, "--out", tmp_path / "s", "--drop-models")
    assert code == 0
    assert "dropped   152 B of weights\n" in out
    assert not list(tmp_path.rglob("numbers.npy"))
    _, status, _ = typed("status", tmp_path / "s")
    assert status.splitlines()[-1] == "weights: 0 B kept, 152 B dropped (cells: 1)"


def test_a_dry_run_fits_a_terminal_and_writes_nothing(typed, tmp_path):
    code, out, errors = typed(TOY / "toy.yaml", "--out", tmp_path / "s", "--workers", 2, "--dry-run")
    assert (code, errors) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["step", "to", "do", "done", "time", "disk", "memory", "from"]
    assert lines[2].split()[:3] == ["scale", "2", "0"]
    assert lines[3].split() == ["total", "1", "0", "unknown", "unknown", "unknown"]
    assert any(line.startswith("time ") and line.endswith("with 2 workers") for line in lines)
    assert "disk      400 B at the end" in out
    assert "200 B with --drop-models" in out
    assert "plus 1 cell without an estimate" in out
    assert lines[-1].endswith("Nothing was computed or written.")
    assert not (tmp_path / "s").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bartl2020", "barza2023", "jentzsch2022", "kurita2019"])
def test_dry_runs_of_the_papers_fit_a_terminal(typed, tmp_path, name):
    code, out, _ = typed(name, "--scale", "paper", "--out", tmp_path / "s", "--dry-run")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "unknown" not in out


def test_list(typed):
    code, out, _ = typed("list")
    assert code == 0
    assert out.split()[:3] == ["study", "title", "cells"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nothing"], "there is no study 'nothing'"),
        (["nowhere.yaml"], "cannot read nowhere.yaml"),
        ([TOY / "toy.yaml", "--scale", "papre"], "there is no scale 'papre'"),
        ([TOY / "toy.yaml", "--only", "tabel1"], "there is no step or part 'tabel1'"),
        ([TOY / "toy.yaml", "--engine", "dask"], "there is no engine 'dask'"),
        ([TOY / "toy.yaml", "--address", "a:1"], "add --engine ray"),
        ([TOY / "toy.yaml", "--set", "m=7"], "there is no setting 'm'"),
        ([TOY / "toy.yaml", "--set", "n=abc"], "the setting n must be a whole number, not 'abc'"),
        (
            [TOY / "toy.yaml", "--set", "n=abc", "--dry-run"],
            "the setting n must be a whole number, not 'abc'",
        ),
        ([TOY / "toy.yaml", "--set", "n=0"], "n is how many numbers are drawn, 1 or more, not 0"),
        (
            [TOY / "toy.yaml", "--set", "n=0", "--dry-run"],
            "n is how many numbers are drawn, 1 or more, not 0",
        ),
        ([TOY / "toy.yaml", "--only", "sed=0"], "there is no factor 'sed'"),
        ([TOY / "toy.yaml", "--only", "seed=1"], "there is no value of seed '1' (there are: 0)"),
        (["status", "/nowhere"], "/nowhere is not a study's folder"),
    ],
)
def test_mistakes_are_one_line(typed, arguments, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, errors = typed(*arguments)
    assert code == 2
    assert out == ""
    assert complaint in errors
    assert errors.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("before", [None, "elsewhere"])
def test_the_data_folder_counts_until_the_command_ends(before, typed, tmp_path, monkeypatch):
    if before is None:
        monkeypatch.delenv("COUNTERPOISE_DATA", raising=False)
    else:
        monkeypatch.setenv("COUNTERPOISE_DATA", before)
    (tmp_path / "data").mkdir()
    shutil.copy(TOY / "toy.yaml", tmp_path)
    cells = (TOY / "toy_cells.py").read_text()
    seen = f'import os\nopen("{tmp_path / "seen"}", "w").write(os.environ["COUNTERPOISE_DATA"])\n'
    (tmp_path / "toy_cells.py").write_text(
        cells.replace("from __future__ import annotations\n", f"from __future__ import annotations\n{seen}")
    )
    code, _, errors = typed(
        tmp_path / "toy.yaml", "--data", tmp_path / "data", "--out", tmp_path / "s", "--workers", 1
    )
    assert code == 0, errors
    assert (tmp_path / "seen").read_text() == str(tmp_path / "data")
    assert os.environ.get("COUNTERPOISE_DATA") == before

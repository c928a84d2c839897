"""`counterpoise train` from a file to a model that can be audited."""

from __future__ import annotations

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import counterpoise as cp
import tiny
from counterpoise.cli.train import train
from counterpoise.core.errors import DataError, InputError

TABLE = pd.DataFrame(
    {"review": ["he is good", "she is bad", "a good plot", "a bad plot"] * 5, "stars": [1, 0] * 10}
)


@pytest.fixture
def run(tmp_path):
    app = typer.Typer()
    app.command()(train)
    TABLE.to_csv(tmp_path / "mine.csv", index=False)
    base = tiny.save("bert", tmp_path / "base")

    def call(*options):
        return CliRunner().invoke(
            app, [str(tmp_path / "mine.csv"), "--out", str(tmp_path / "model"), "--base", str(base), *options]
        )

    return call


def test_from_file_to_model(run, tmp_path):
    done = run(
        "--column", "review", "--label", "stars", "--epochs", "1", "--condition", "mix-pro", "--device", "cpu"
    )
    assert done.exit_code == 0, done.output
    assert "validation loss" in done.output
    classifier = cp.load(tmp_path / "model")
    assert classifier.labels == ("0", "1")
    assert classifier.positive == 1


def test_mistakes(run):
    assert isinstance(run("--column", "revew").exception, DataError)
    assert "no column 'revew'" in str(run("--column", "revew").exception)
    wrong = run("--column", "review", "--label", "stars", "--condition", "mix")
    assert isinstance(wrong.exception, InputError)
    assert "there is no condition 'mix'" in str(wrong.exception)

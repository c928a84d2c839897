"""`counterpoise train` from a file to a model that can be audited."""

from __future__ import annotations

import json

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


@pytest.fixture
def authors_lists(data_file):
    return data_file("jentzsch-turan/term_lists.json")


PUBLISHED = (
    "--column", "review", "--label", "stars", "--epochs", "1", "--device", "cpu",
    "--variant", "published", "--condition", "R-pro",
)  # fmt: skip


def test_published_uses_the_authors_terms_where_they_are_found(run, authors_lists, tmp_path):
    done = run(*PUBLISHED)
    assert done.exit_code == 0, done.output
    assert f"terms: {authors_lists}" in done.output
    card = json.loads((tmp_path / "model" / "training.json").read_text())
    assert card["made_from"]["terms"] == authors_lists.name


def test_published_says_where_it_has_to_use_the_builtin_terms(run, no_data):
    done = run(*PUBLISHED)
    assert done.exit_code == 0, done.output
    assert "terms: built-in (the data folder does not have those of the authors)" in done.output


def test_a_base_that_is_not_there(run, tmp_path):
    wrong = run("--column", "review", "--label", "stars", "--base", "./nofolder")
    assert str(wrong.exception) == "there is no folder ./nofolder, and it is no name of a model on the hub"
    assert not list(tmp_path.glob("model*"))


def test_mistakes(run):
    assert isinstance(run("--column", "revew").exception, DataError)
    assert "no column 'revew'" in str(run("--column", "revew").exception)
    wrong = run("--column", "review", "--label", "stars", "--condition", "mix")
    assert isinstance(wrong.exception, InputError)
    assert "there is no condition 'mix'" in str(wrong.exception)

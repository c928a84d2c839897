"""`counterpoise debias` from a file to a (causal) model with its proof, and every mistake in one line."""

from __future__ import annotations

import json

import pytest

import counterpoise as cp
import tiny
from counterpoise.cli.main import run

pytestmark = pytest.mark.slow

TEXTS = ["She is a nurse and he is a doctor.", "The man told his wife that he was late."] * 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("debias")
    tiny.save("gpt2", folder / "base")
    (folder / "mine.txt").write_text("\n".join(TEXTS))
    return folder


def test_from_file_to_model(few_questions, folder, no_data, capsys):
    arguments = [
        "debias",
        str(folder / "base"),
        "--corpus",
        str(folder / "mine.txt"),
        "--out",
        str(folder / "fair"),
    ]
    options = [
        "--preset",
        "plain",
        "--method",
        "flip",
        "--reminders",
        "6",
        "--epochs",
        "1",
        "--batch-size",
        "8",
        "--device",
        "cpu",
    ]
    assert run([*arguments, *options, "--no-control"]) == 0
    shown = capsys.readouterr().out
    assert "mean |APPD| of professions" in shown
    assert "before" in shown
    assert str(folder / "fair" / "README.md") in shown
    assert "<html" in (folder / "fair" / "debias.html").read_text()
    saved = json.loads((folder / "fair" / "debias.json").read_text())
    assert saved["made_from"]["reminders"] == 6
    assert saved["settings"]["epochs"] == 1
    assert saved["proof"]["verdict"][0] in shown.replace("\n", " ")
    assert isinstance(cp.load(folder / "fair"), cp.models.CausalLM)
    assert run([*arguments, *options]) == 2
    assert "fair is there already" in capsys.readouterr().err
    (folder / "fair" / "debias.html").unlink()  # as if killed just after the model took its name
    (folder / "fair.training").mkdir()
    weights = (folder / "fair" / "model.safetensors").stat().st_mtime_ns
    assert run([*arguments, *options, "--no-control"]) == 0
    assert saved["proof"]["verdict"][0] in capsys.readouterr().out.replace("\n", " ")
    assert "<html" in (folder / "fair" / "debias.html").read_text()
    assert (folder / "fair" / "model.safetensors").stat().st_mtime_ns == weights
    assert not (folder / "fair.training").exists()


def test_mistakes_are_one_line(folder, no_data, capsys):
    (folder / "empty.txt").touch()
    (folder / "neutral.txt").write_text("It rains.\n" * 30)
    (folder / "short.txt").write_text("He left.\n")
    encoder = tiny.save("encoder", folder / "encoder")
    base, mine = str(folder / "base"), str(folder / "mine.txt")
    capsys.readouterr()
    for arguments, message in [
        ([base, "--corpus", str(folder / "empty.txt")], "empty.txt is empty"),
        ([base, "--corpus", str(folder / "short.txt")], "has 1 sentences"),
        ([base, "--corpus", str(folder / "neutral.txt")], "has a gendered word"),
        ([base, "--corpus", "gap"], "GAP"),
        ([base, "--corpus", mine, "--method", "mix"], "there is no method 'mix'"),
        ([base, "--corpus", mine, "--preset", "papr"], "did you mean 'paper'"),
        ([base, "--corpus", mine, "--reminders", "none.txt"], "none.txt"),
        ([base, "--corpus", mine, "--epochs", "0"], "epochs must be above 0"),
        ([str(encoder), "--corpus", mine], "is an encoder, which cannot guess words"),
    ]:
        assert run(["debias", *arguments, "--out", str(folder / "other"), "--device", "cpu"]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    assert not (folder / "other").exists()


def test_help(capsys):
    assert run(["debias", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "--reminders" in shown
    assert "counterpoise debias bert-base-uncased --preset published" in shown

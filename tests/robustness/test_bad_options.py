"""Every option of every command with values that make no sense."""

from __future__ import annotations

import random

import pytest
import typer

from counterpoise.cli.main import app, run
from robustness.commands import command

VALUES = (
    "",
    " ",
    "-1",
    "0",
    "1" + "0" * 20,
    "-" + "9" * 400,
    "nan",
    "inf",
    "1e308",
    "1e-400",
    "{}",
    "[",
    "!!python/name:os.system",
    "/dev/null",
    "/dev/zero",
    "/",
    "..",
    "~nobody/x",
    "nowhere/at/all.yaml",
    "x" * 5000,
    "\ud800",
    "a\nb",
    "\x1b[31m",
    "%s%n",
    "=",
    "a=b=c",
    ",,,",
    "--help",
    "émoji 🙂",
    "2024-13-45",
    "None",
    "true",
)
# What each command is given besides: things that are not there, so that none of them begins to work.
ARGUMENTS = {
    "audit": ["./nowhere"],
    "compare": ["nowhere", "elsewhere"],
    "gate": ["nowhere"],
    "swap": ["nowhere.txt", "--to", "male"],
    "debias": ["./nowhere", "--out", "nowhere/out", "--corpus", "nowhere.txt"],
    "corpus": ["nowhere.txt"],
    "train": ["nowhere.csv", "--out", "nowhere/out"],
    "report": ["nowhere"],
    "serve": ["nowhere"],
    "serve-model": ["./nowhere"],
    "doctor": [],
    "study run": ["nowhere.yaml"],
    "study status": ["nowhere"],
    "catalog datasets": [],
    "catalog fetch": ["nowhere"],
    "catalog validate": ["nowhere.yaml"],
}


def options():
    """Each command with each of its options that take a value."""
    return [
        (name, parameter.opts[0])
        for name, command in commands(typer.main.get_command(app))
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.is_flag
    ]


def commands(group, above=()):
    for name, inner in group.commands.items():
        if hasattr(inner, "commands"):
            yield from commands(inner, (*above, name))
        else:
            yield " ".join((*above, name)), inner


def check(chosen, rng, n, count_inputs):
    for name, option in chosen:
        for value in rng.sample(VALUES, n):
            outcome = command([*name.split(), *ARGUMENTS[name], option, value])
            assert outcome.trace is None, f"{name} {option} {value!r}\n{outcome.trace}"
            count_inputs(1)


@pytest.fixture
def anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


def test_some_bad_values(anywhere, count_inputs):
    rng = random.Random(0)
    check(rng.sample(options(), 25), rng, 1, count_inputs)


@pytest.mark.slow
def test_all_bad_values_of_all_options(anywhere, count_inputs):
    check(options(), random.Random(1), len(VALUES), count_inputs)


@pytest.mark.parametrize("arguments", [["audit", "a\0b"], ["swap", "mine.txt", "-o", "a\0b", "--to", "male"]])
def test_a_zero_byte_is_one_line(arguments, anywhere, capsys):
    assert run(arguments) == 2
    assert "zero byte" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "t.csv", "--out", "o", "--device", "/dev/null"], "cpu, cuda, mps or auto"),
        (["train", "t.csv", "--out", "o", "--variant", "{}"], "there is no variant"),
        (["train", "t.csv", "--out", "o", "--learning-rate", "1e308"], "at most 1"),
        (
            ["train", "t.csv", "--out", "o", "--batch-size", "1" + "0" * 20],
            "--batch-size must be at most 1,000,000",
        ),
        (["train", "t.csv", "--out", "o", "--epochs", "1" + "0" * 20], "--epochs must be at most 1,000,000"),
        (["swap", "t.csv", "--to", "male", "--processes", "1" + "0" * 20], "processes"),
    ],
)
def test_values_that_no_training_can_have(arguments, message, anywhere, capsys):
    (anywhere / "t.csv").write_text("text,label\n" + "a good film,pos\na bad film,neg\n" * 6)
    assert run(arguments) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in anywhere.iterdir()] == ["t.csv"]

"""Every option of every command with values that make no sense."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
import typer

import few
import runs
import tiny
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
# What each command is given besides. Of those that would begin to serve, to train for minutes or to fetch, things that
# are not there; `EXISTING` has small things for the others, so that it is the value that is judged.
ARGUMENTS = {
    "audit": ["./nowhere"],
    "compare": ["nowhere", "elsewhere"],
    "gate": ["nowhere"],
    "swap": ["nowhere.txt", "--to", "male"],
    "debias": ["./nowhere", "--out", "nowhere/out", "--corpus", "mine.txt"],
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
EXISTING = {
    "audit": ["./model", "--measures", "sld", "--pairs", "pairs.csv", "--out", "made/run"],
    "compare": ["run", "other", "--format", "csv", "--out", "made/compared"],
    "gate": ["run", "--rule", "own.lean <= 9"],
    "swap": ["mine.txt", "--to", "male", "-o", "made/out.txt", "--quiet"],
    "corpus": ["mine.txt", "--out", "made/corpus"],
    "train": ["texts.csv", "--base", "./model", "--epochs", "1", "--out", "made/trained"],
    "report": ["run"],
    "study run": ["study.yaml", "--dry-run", "--out", "made/study"],
    "catalog datasets": [],
}
# Of these, a value that is fine costs a second: so many of each option, and the others with what is not there.
SAMPLED = {"audit": 2, "compare": 1, "study run": 8}
STUDY = "name: mine\ntitle: mine\nfactors: {seed: [1, 2]}\nsteps:\n  one: {run: 'json:dumps', over: [seed]}\n"


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
        for number, value in enumerate(rng.sample(VALUES, n)):
            is_judged = name in EXISTING and number < SAMPLED.get(name, len(VALUES))
            is_judged = is_judged and not value.startswith(
                "/dev/"
            )  # a mistake of ours must not replace a device
            for made in ("made", "nowhere"):
                shutil.rmtree(made, ignore_errors=True)
            Path("made").mkdir()
            given = EXISTING[name] if is_judged else ARGUMENTS[name]
            outcome = command([*name.split(), *given, option, value])
            assert outcome.trace is None, f"{name} {option} {value!r}\n{outcome.trace}"
            count_inputs(1)


@pytest.fixture
def anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


@pytest.fixture
def targets(anywhere):
    """What `EXISTING` names."""
    tiny.save("bert", anywhere / "model")
    few.pairs().table.to_csv("pairs.csv", index=False)
    runs.save_run(anywhere / "run", runs.word_result())
    runs.save_run(anywhere / "other", runs.word_result("other", seed=1))
    Path("mine.txt").write_text("She is a nurse.\nHe is a pilot.\n" * 6)
    Path("texts.csv").write_text("text,label\n" + "a good film,pos\na bad film,neg\n" * 6)
    Path("study.yaml").write_text(STUDY)
    return anywhere


def test_some_bad_values(targets, count_inputs):
    rng = random.Random(0)
    check(rng.sample(options(), 25), rng, 1, count_inputs)


def test_the_targets_are_what_commands_take(targets):
    """Without a bad value each of them does its work, except that the text is too short for intervals."""
    for name, arguments in EXISTING.items():
        Path("made").mkdir(exist_ok=True)
        outcome = command([*name.split(), *arguments])
        assert outcome.trace is None, name
        assert (outcome.message or "") in ("", "0") or "is too small for an interval" in outcome.message, name


@pytest.mark.slow
def test_all_bad_values_of_all_options(targets, count_inputs):
    check(options(), random.Random(1), len(VALUES), count_inputs)


@pytest.mark.parametrize("arguments", [["audit", "a\0b"], ["swap", "mine.txt", "-o", "a\0b", "--to", "male"]])
def test_a_zero_byte_is_one_line(arguments, anywhere, capsys):
    assert run(arguments) == 2
    assert "zero byte" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "t.csv", "--out", ""], "give the trained model a name of its own"),
        (["train", "t.csv", "--out", "/"], "give the trained model a name of its own"),
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

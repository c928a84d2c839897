"""`counterpoise gate`, and gates in `counterpoise audit`: exit codes, what is printed, what is written."""

from __future__ import annotations

import os
from xml.etree import ElementTree

import pytest
import torch
from safetensors.torch import load_file, save_file

import tiny
from counterpoise.cli.main import run
from runs import save_run, word_result


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    one = word_result("one", words=20, lean=0.3)
    two = word_result("two\x00\x1b & <co>", words=20, lean=0.9, seed=1)
    return save_run(folder / "one", one), save_run(folder / "two", two)


def gate(folder, *rules, **options):
    arguments = ["gate", str(folder)]
    for rule in rules:
        arguments += ["--rule", rule]
    for name, value in options.items():
        arguments += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return run(arguments)


def test_three_outcomes_have_three_exit_codes(folders, capsys):
    one, _ = folders
    assert gate(one, "own.lean <= 2") == 0
    assert gate(one, "own.lean <= 2", "own.lean <= -1") == 1
    assert gate(one, "own.lean <= 2", "abs(own.lean - 0.3) <= 0.0001") == 3
    assert gate(one, "own.lean <= 2", "abs(own.lean - 0.3) <= 0.0001", strict=True) == 1
    assert gate(one, "own.lean <= -1", "own.leen <= 2") == 2
    assert "there are: own.lean, " in capsys.readouterr().err


def test_the_table_fits_80_columns_and_ends_with_the_verdict(folders, capsys):
    one, two = folders
    rules = ["own.lean <= 0.3", "abs(own.lean.word.word11 - 0.25) <= 0.125", "own.share_male <= 100"]
    gate(two, *rules, baseline=one, margin=0.1)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for column in ("rule", "value [95 % interval]", "outcome", "items needed"):
        assert column in shown.splitlines()[0]
    assert "change(own.lean) <= 0.1" in shown
    assert "single words are not compared" in " ".join(shown.split())
    assert shown.splitlines()[-1].startswith("gate fails: ")


def test_junit_and_markdown(folders, tmp_path):
    one, two = folders
    files = {"junit": tmp_path / "gate.xml", "markdown": tmp_path / "gate.md"}
    assert gate(two, "own.lean <= 9", "own.lean <= 0", baseline=one, margin=9, **files) == 1
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot().find("testsuite")
    assert {name: suite.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "3",
        "failures": "1",
        "errors": "0",
    }
    assert suite.find("properties/property").get("value") == "two & <co>"  # without control characters
    [failure] = suite.iter("failure")
    assert failure.get("message").startswith("own.lean <= 0: fails; 0.")
    table = (tmp_path / "gate.md").read_text()
    assert table.startswith("### Gate fails: 2 of 3 rules pass, 1 fail\n")
    assert "| own.lean \\<= 0 |" in table
    unsure = ["own.lean <= 9", "abs(own.lean - 0.9) <= 0.0001"]
    for strict, kind in ((False, "error"), (True, "failure")):
        run(
            [
                "gate",
                str(two),
                *(part for rule in unsure for part in ("--rule", rule)),
                "--junit",
                str(files["junit"]),
            ]
            + ["--strict"] * strict
        )
        [case] = ElementTree.parse(files["junit"]).getroot().iter(kind)
        assert case.get("type") == "cannot tell"


def test_nothing_is_half_written(folders, tmp_path, capsys):
    one, _ = folders
    assert gate(one, "own.lean <= 2", junit=tmp_path / "none" / "gate.xml") == 2
    assert "cannot write" in capsys.readouterr().err
    (tmp_path / "gate.xml").write_text("old")
    assert gate(one, "own.lan <= 2", junit=tmp_path / "gate.xml") == 2
    assert (tmp_path / "gate.xml").read_text() == "old"


@pytest.mark.parametrize("option", ["junit", "markdown"])
def test_only_ordinary_files_are_written_to(folders, tmp_path, capsys, option):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(os.devnull)
    for name in ("pipe", "link"):
        before = (tmp_path / name).lstat().st_mode
        assert gate(folders[0], "own.lean <= 2", **{option: tmp_path / name}) == 2
        assert f"cannot write {tmp_path / name}: it is " in capsys.readouterr().err
        assert (tmp_path / name).lstat().st_mode == before


def test_a_file_of_rules_with_a_baseline(folders, tmp_path, capsys):
    one, two = folders
    (tmp_path / "gate.yaml").write_text(f"baseline: {one}\nmargin: 0.1\nrules: {{own: {{lean: x <= 9}}}}\n")
    assert run(["gate", str(two), "--rules", str(tmp_path / "gate.yaml")]) == 1
    assert "change(own.lean) <= 0.1" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("few_questions")
def test_an_audit_with_a_gate(small_folder, tmp_path, capsys):
    rules, out = tmp_path / "gate.yaml", tmp_path / "run"
    rules.write_text("rules: {ppd: {appd: abs(x) <= 100}}\n")
    command = ["audit", str(small_folder), "--measures", "ppd", "--out", str(out), "--gate", str(rules)]
    assert run([*command, "--junit", str(tmp_path / "gate.xml"), "--fail-above", "ppd:100"]) == 0
    assert "gate passes: 2 of 2 rules pass" in capsys.readouterr().out
    assert (tmp_path / "gate.xml").exists()
    rules.write_text("rules: [ppd.appd <= 100, ppd.appd <= -100]\n")
    assert run(command) == 1
    rules.write_text("rules: [sld.sld <= 100]\n")
    assert run(command) == 2
    assert "sld: that measure is not part of this audit (ppd)" in capsys.readouterr().err


@pytest.mark.slow
def test_a_model_of_zeros_does_not_pass(tmp_path, capsys):
    folder = tiny.save("bert", tmp_path / "zeros")
    weights = load_file(folder / "model.safetensors")
    zeros = {name: torch.zeros_like(weight) for name, weight in weights.items()}
    save_file(zeros, folder / "model.safetensors", metadata={"format": "pt"})
    command = ["audit", str(folder), "--measures", "ppd,sld", "--out", str(tmp_path / "run")]
    assert run([*command, "--fail-above", "ppd:0.9", "--fail-above", "sld:1000"]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "gate cannot tell: 0 of 2 rules pass" in out
    assert "% stereotyped likelier, PLL 50.0 50 %" in out  # a share of ties only has no interval
    command = ["audit", str(folder), "--measures", "seat", "--out", str(tmp_path / "seat")]
    assert run([*command, "--fail-above", "seat:1000"]) == 2
    assert "is all zeros, which is similar to nothing" in capsys.readouterr().err

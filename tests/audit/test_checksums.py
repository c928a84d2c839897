"""A run that somebody changed after the audit: every reader says so, and no gate passes on it."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import counterpoise as cp
import runs
from counterpoise.audit.checksums import rows_checksum
from counterpoise.audit.reading import read_results
from counterpoise.audit.run import Run, summary_rows
from counterpoise.audit.run_options import RunOptions
from counterpoise.cli.main import run
from counterpoise.core.errors import RunError
from counterpoise.web.folder import RunFolder

CHANGED = "summary.json was changed after the audit wrote it"


@pytest.fixture
def folder(tmp_path):
    return runs.save_run(tmp_path / "run", runs.word_result(), runs.word_result(measure="second", seed=1))


def change_a_value(folder):
    document = json.loads((folder / "summary.json").read_text())
    document["results"][0]["value"] -= 0.3
    (folder / "summary.json").write_text(json.dumps(document))


def change_an_item(folder):
    path = folder / "scores" / "own.parquet"
    items = pd.read_parquet(path)
    items.loc[0, "own"] += 1
    items.to_parquet(path, index=False)


def resumed(folder):
    """The run, opened with the options that `runs.save_run` gives."""
    measures = ("own", "second")
    return Run.start(folder, RunOptions("one", "one-0", "float32", measures, "corrected", 0, None))


def test_rows_have_the_same_checksum_before_they_are_written_and_after_they_are_read(folder):
    rows = json.loads((folder / "summary.json").read_text())["results"]
    for result in Run.read(folder).results.values():
        assert rows_checksum(summary_rows(result)) == rows_checksum(
            [row for row in rows if row["measure"] == result.measure]
        )


@pytest.mark.parametrize(("format", "name"), [("md", "report.md"), ("card", "model-card.md")])
def test_a_report_says_which_file_was_changed(folder, capsys, format, name):
    assert run(["report", str(folder), "--format", format]) == 0
    assert CHANGED not in capsys.readouterr().err
    change_a_value(folder)
    assert run(["report", str(folder), "--format", format]) == 0
    warnings = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert warnings == [f"counterpoise: warning: {folder}: {CHANGED}"]
    assert CHANGED in (folder / name).read_text()


def test_changed_items_are_noticed_too(folder, capsys):
    change_an_item(folder)
    assert run(["report", str(folder), "--format", "latex"]) == 0
    assert "scores/own.parquet was changed" in capsys.readouterr().err
    assert r"scores/own.parquet was changed" in (folder / "report.tex").read_text()
    own, second = read_results(folder)[1]
    assert own.warnings == (
        "scores/own.parquet was changed after the audit wrote it: these may not be the numbers that were measured",
    )
    assert second.warnings == ()


@pytest.mark.parametrize("change", [change_a_value, change_an_item])
def test_no_rule_is_checked_on_a_changed_run(folder, tmp_path, capsys, change):
    rule = ["--rule", "own.lean <= 9"]
    other = runs.save_run(tmp_path / "other", runs.word_result(), runs.word_result(measure="second", seed=1))
    assert run(["gate", str(folder), *rule]) == 0
    change(folder)
    capsys.readouterr()
    for arguments in ([str(folder), *rule], [str(other), *rule, "--baseline", str(folder)]):
        assert run(["gate", *arguments]) == 2
        err = capsys.readouterr().err
        assert "changed after the audit wrote it; no rule can be checked" in err
        assert err.count("\n") == 1
    with pytest.raises(RunError, match="no rule can be checked"):
        cp.gate(Run.read(folder), ["own.lean <= 9"])


def test_a_comparison_has_a_note(folder, tmp_path, capsys):
    other = runs.save_run(tmp_path / "other", runs.word_result("other", seed=2))
    change_a_value(folder)
    assert run(["compare", str(folder), str(other), "--out", str(tmp_path / "compared")]) == 0
    assert f"warning: {folder}: {CHANGED}" in capsys.readouterr().err
    assert f"of the run of one, {CHANGED}" in cp.compare(folder, other).notes


def test_the_explorer_says_so(folder):
    assert CHANGED not in RunFolder(folder.parent).entries()[0].verdict
    change_a_value(folder)
    assert RunFolder(folder.parent).entries()[0].verdict.startswith(CHANGED)


@pytest.mark.parametrize("change", [change_a_value, change_an_item])
def test_a_changed_run_is_not_gone_on_with(folder, change):
    with resumed(folder):
        pass
    change(folder)
    with pytest.raises(RunError, match="start the same audit in another folder"), resumed(folder):
        pass


def test_other_spacing_is_no_change(folder, capsys):
    document = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps(document, indent=7, sort_keys=True))
    read_results(folder)
    assert capsys.readouterr().err == ""


def test_a_run_that_was_killed_before_its_manifest_was_written_is_no_changed_one(tmp_path, capsys):
    first, second = runs.word_result(), runs.word_result(measure="second", seed=1)
    folder = runs.save_run(tmp_path / "run", first, finished=False)
    before = (folder / "manifest.json").read_text()
    whole = runs.save_run(tmp_path / "whole", first, second)
    for name in ("summary.json", "skipped.parquet", "scores/second.parquet"):
        (folder / name).write_bytes((whole / name).read_bytes())
    assert (folder / "manifest.json").read_text() == before
    read_results(folder)
    with Run.start(folder, RunOptions("one", "one-0", "float32", ("own",), "corrected", 0, None)) as run_:
        run_.save([*run_.results.values(), second])
    read_results(folder)
    assert capsys.readouterr().err == ""


def test_a_run_of_an_earlier_version_is_read_without_a_word(folder, capsys):
    manifest = json.loads((folder / "manifest.json").read_text())
    for about in manifest["measures"].values():
        del about["checksums"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    change_a_value(folder)
    change_an_item(folder)
    assert run(["gate", str(folder), "--rule", "own.lean <= 9"]) == 0
    with resumed(folder):
        pass
    assert capsys.readouterr().err == ""

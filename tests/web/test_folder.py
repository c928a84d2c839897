"""The runs of a folder: found, named, and never anything outside of it."""

from __future__ import annotations

import json
import os

import pytest

import runs
from counterpoise.core.errors import RunError
from counterpoise.web.folder import NotFound, RunFolder


def test_runs_below_the_folder_are_found_and_links_are_not_followed(folder):
    found = {entry.path: entry for entry in RunFolder(folder).entries()}
    assert set(found) == {"before", "deep/after", "large", "evil", "cut", "garbled", "leading-out"}
    assert found["before"].model == "before"
    assert found["before"].measures == ("own",)
    assert {path for path, entry in found.items() if entry.problem} == {"cut", "garbled", "leading-out"}
    assert found["leading-out"].problem == "own.parquet leads out of the folder"
    assert len({entry.id for entry in found.values()}) == len(found)


def test_a_run_itself_can_be_served(folder):
    [entry] = RunFolder(folder / "before").entries()
    assert entry.path == "before"
    assert RunFolder(folder / "before").open(entry.id)[1][0].measure == "own"


def test_a_folder_without_runs_or_that_is_not_there_is_empty(tmp_path):
    assert RunFolder(tmp_path).entries() == []
    assert RunFolder(tmp_path / "nowhere").entries() == []


@pytest.mark.parametrize(
    "id", ["nope", "", "..", "../secret", "before", "/etc/passwd", "before-00000000\x00"]
)
def test_no_other_id_leads_anywhere(folder, id):
    with pytest.raises(NotFound):
        RunFolder(folder).entry(id)


def test_damaged_runs_are_told(folder):
    served = RunFolder(folder)
    [cut] = [entry for entry in served.entries() if entry.path == "cut"]
    with pytest.raises(RunError, match="the run cut is damaged: cannot read"):
        served.open(cut.id)


@pytest.mark.parametrize(
    "manifest",
    [
        "[]",
        "null",
        "",
        '"text"',
        "[" * 100_000,
        '{"schema": 1, "options": null, "measures": {}}',
        '{"schema": 1, "options": {"model": "x", "variant": "y"}, "measures": {}}',
        '{"schema": 99, "options": {}, "measures": {}}',
        json.dumps({"schema": 1, "options": {}, "measures": {"../../secret/scores/own": {}}}),
        json.dumps({"schema": 1, "options": {}, "measures": [["a"]]}),
        '{"schema": 1, "options": {}, "measures": 5}',
    ],
)
def test_any_manifest_is_a_run_or_damaged(tmp_path, manifest):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "manifest.json").write_text(manifest)
    runs.save_run(tmp_path / "good", runs.word_result())
    found = {entry.path: entry for entry in RunFolder(tmp_path).entries()}
    assert found["bad"].problem
    assert not found["good"].problem


@pytest.mark.parametrize("name", ["manifest.json", "summary.json", "skipped.parquet", "scores/own.parquet"])
@pytest.mark.parametrize("how", ["link", "pipe", "folder", "gone"])
def test_every_file_is_checked_before_it_is_read(tmp_path, name, how):
    runs.save_run(tmp_path / "secret", runs.word_result())
    path = runs.save_run(tmp_path / "served" / "run", runs.word_result()) / name
    path.unlink()
    if how == "link":
        path.symlink_to(tmp_path / "secret" / name)
    elif how == "pipe":
        os.mkfifo(path)
    elif how == "folder":
        path.mkdir()
    entries = RunFolder(tmp_path / "served").entries()
    assert all(entry.problem for entry in entries)
    assert len(entries) == (0 if (name, how) == ("manifest.json", "gone") else 1)


def test_a_run_that_goes_on_is_read_again(tmp_path):
    runs.save_run(tmp_path / "run", runs.word_result())
    served = RunFolder(tmp_path)
    [entry] = served.entries()
    first = served.open(entry.id)
    assert served.open(entry.id) is first
    summary = tmp_path / "run" / "summary.json"
    summary.write_text(summary.read_text() + " ")
    assert served.open(entry.id) is not first

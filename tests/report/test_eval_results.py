"""The metadata of the card and the hub's evaluation results, read back by the hub's own library."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from huggingface_hub import ModelCard, parse_eval_result_entries
from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

import runs
from counterpoise.cli.main import run
from counterpoise.core.errors import InputError
from counterpoise.report.card_files import write_card


@pytest.fixture
def folder(tmp_path):
    return runs.save_run(
        tmp_path / "run", runs.word_result("lab/model"), runs.word_result("lab/model", measure="sld")
    )


def test_the_metadata_survive_the_round_trip(folder):
    [card] = write_card(folder)
    text = card.read_text()
    written = yaml.safe_load(text.split("---\n")[1])["model-index"]
    name, results = model_index_to_eval_results(written)
    assert eval_results_to_model_index(name, results) == written
    read = ModelCard(text).data
    assert read.model_name == name == "lab/model"
    assert {result.unique_identifier for result in read.eval_results} == {results[0].unique_identifier}
    expected = runs.word_result().overall
    assert [result.metric_value for result in results[:3]] == expected.value.tolist()
    assert [result.metric_args["key"] for result in results[:3]] == expected.key.tolist()
    # What the hub demands of the id of a dataset.
    assert all(re.fullmatch(r"(?:[\w-]+/)?[\w.-]+", result.dataset_type, re.ASCII) for result in results)


def test_a_run_without_intervals_has_no_metadata(tmp_path):
    result = runs.word_result()
    result.summary["ci_low"] = float("nan")
    [card] = write_card(runs.save_run(tmp_path / "run", result))
    assert card.read_text().startswith("<!-- counterpoise: begin -->\n## Bias")


def test_entries_name_the_benchmark_that_was_named(folder, capsys):
    assert run(["report", str(folder), "--format", "card", "--benchmark", "lab/bench"]) == 0
    card, scores = capsys.readouterr().out.split()
    assert (card, scores) == (
        str(folder / "model-card.md"),
        str(folder / ".eval_results" / "counterpoise.yaml"),
    )
    entries = parse_eval_result_entries(
        yaml.safe_load((folder / ".eval_results/counterpoise.yaml").read_text())
    )
    assert [(entry.dataset_id, entry.task_id) for entry in entries] == [
        ("lab/bench", "own"),
        ("lab/bench", "sld"),
    ]
    headline = runs.word_result().headline
    assert [entry.value for entry in entries] == [headline["value"]] * 2
    manifest = json.loads((folder / "manifest.json").read_text())
    assert entries[0].date == manifest["measures"]["own"]["finished"]
    assert entries[0].notes.startswith("lean (")
    assert "95 % interval [" in entries[0].notes


def test_no_id_is_invented(folder, capsys):
    write_card(folder, "lab/bench")
    assert len(write_card(folder)) == 1
    assert (
        "no .eval_results/counterpoise.yaml: its entries name a benchmark of the hub"
        in capsys.readouterr().err
    )
    assert not (
        folder / ".eval_results" / "counterpoise.yaml"
    ).exists()  # that of the first card is not true any more
    with pytest.raises(InputError, match="--benchmark takes the name of a dataset of the hub"):
        write_card(folder, "no name")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--push", "a/b"],
        ["--format", "md", "--push", "a/b"],
        ["--benchmark", "a/b"],
        ["--format", "card", "--create-pr"],
        ["--format", "card", "--charts", "svg", "--push", "a/b"],
    ],
)
def test_options_that_do_not_go_together(folder, capsys, arguments):
    assert run(["report", str(folder), *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (folder / "model-card.md").exists()

"""Folders of training runs and adapters: what they are and what to do, in one line."""

from __future__ import annotations

import json

import pytest

import counterpoise as cp
import tiny
from counterpoise.cli.main import run
from counterpoise.core.errors import CounterpoiseError, ModelError


def complaint(folder):
    with pytest.raises(ModelError) as error:
        cp.load(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_training_folder_names_its_checkpoints_by_step(tmp_path, capsys):
    folder = tmp_path / "my run"
    for step in (1000, 500, 1500):
        tiny.save("bert", folder / f"checkpoint-{step}")
    (folder / "runs").mkdir()
    (folder / "checkpoint-best").mkdir()
    last = folder / "checkpoint-1500"
    assert complaint(folder) == (
        f"{folder} is a training folder, not a model; its checkpoints are checkpoint-500, checkpoint-1000, "
        f"checkpoint-1500; for the last one: counterpoise audit '{last}'; for all: "
        f"counterpoise audit '{folder}'/checkpoint-* --curve"
    )
    capsys.readouterr()  # of saving the models
    assert run(["audit", str(folder), "--out", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "out").exists()
    assert type(cp.load(last)) is cp.models.MaskedLM  # what the line proposes works


def test_many_checkpoints_are_not_all_named(tmp_path):
    for step in range(100, 5100, 100):
        (tmp_path / f"checkpoint-{step}").mkdir()
    assert (
        "are checkpoint-100, checkpoint-200, ..., checkpoint-4700, checkpoint-4800, checkpoint-4900, checkpoint-5000;"
    ) in complaint(tmp_path)


def test_a_model_that_was_saved_beside_its_checkpoints_is_loaded(tmp_path):
    tiny.save("bert", tmp_path)
    (tmp_path / "checkpoint-10").mkdir()
    assert type(cp.load(tmp_path)) is cp.models.MaskedLM


def test_an_adapter_whose_base_is_not_at_hand_is_one_line(tmp_path, capsys):
    base = "../no such base"
    config = {"peft_type": "LORA", "base_model_name_or_path": base}
    (tmp_path / "adapter_config.json").write_text(json.dumps(config))
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    assert complaint(tmp_path) == (
        f"{tmp_path} is an adapter of '{base}', which is not at hand; name the base where it is: "
        f"counterpoise audit BASE --adapter {tmp_path}"
    )
    assert run(["audit", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert not (tmp_path / "out").exists()


def test_an_adapter_with_the_configuration_of_its_base_is_no_model_either(tmp_path):
    tiny.save("bert", tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "adapter_model.safetensors")
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    assert "is an adapter whose adapter_config.json names no base model" in complaint(tmp_path)


def test_a_merged_model_beside_its_adapter_is_loaded(tmp_path):
    tiny.save("bert", tmp_path)
    (tmp_path / "adapter_config.json").write_text("{}")
    assert type(cp.load(tmp_path)) is cp.models.MaskedLM


@pytest.mark.parametrize(
    ("base", "shown"),
    [
        ("\x1b[31mred\nline", r"is an adapter of '\x1b[31mred\nline'"),
        ("x/" * 250, f"is an adapter of '{'x/' * 40}...'"),
    ],
)
def test_what_the_file_says_of_the_base_is_escaped_and_bounded(base, shown, tmp_path):
    config = {"peft_type": "LORA", "base_model_name_or_path": base}
    (tmp_path / "adapter_config.json").write_text(json.dumps(config))
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    assert shown in complaint(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", "null"])
def test_a_damaged_adapter_is_one_line(content, tmp_path):
    (tmp_path / "adapter_config.json").write_text(content)
    with pytest.raises(CounterpoiseError) as error:
        cp.load(tmp_path)
    assert "\n" not in str(error.value)

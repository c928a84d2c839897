"""Which arguments are models, which step each is, and what its run folder is called."""

from __future__ import annotations

import json
import os

import pytest

from counterpoise.core.errors import InputError
from counterpoise.studies.audits.models import NamedModel, find_models
from counterpoise.studies.audits.steps import step_in_name


def checkpoint(folder, **state):
    """A folder that looks like a model's, with what the Trainer leaves."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    if state:
        (folder / "trainer_state.json").write_text(json.dumps(state))
    return folder


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("checkpoint-500", 500),
        ("checkpoint_500", 500),
        ("step_1000", 1000),
        ("step1000", 1000),
        ("Step-7", 7),
        ("global_step143000", 143000),
        ("bert-small-step-20", 20),
        ("ckpt-3", 3),
        ("iter_0001000", 1000),
        ("checkpoint-500-merged", None),
        ("epoch-3", None),
        ("misstep", None),
        ("bert-base-uncased", None),
        ("v2", None),
    ],
)
def test_a_step_is_read_from_the_end_of_a_name(name, step):
    assert step_in_name(name) == step


def test_checkpoints_are_sorted_by_number_not_by_name(tmp_path):
    for step in (1000, 500, 20000):
        checkpoint(tmp_path / f"checkpoint-{step}")
    found = find_models(sorted(tmp_path.iterdir()), curve=True)
    assert [(model.name, model.step) for model in found.models] == [
        ("checkpoint-500", 500),
        ("checkpoint-1000", 1000),
        ("checkpoint-20000", 20000),
    ]


def test_the_trainer_says_a_step_that_the_name_does_not(tmp_path):
    checkpoint(tmp_path / "checkpoint-500", global_step=500)
    checkpoint(tmp_path / "final", global_step=750)
    found = find_models([tmp_path / "final", tmp_path / "checkpoint-500"], curve=True)
    assert [model.step for model in found.models] == [500, 750]


def test_a_step_may_be_given(tmp_path):
    folder = checkpoint(tmp_path / "epoch-3")
    found = find_models([f"1500={folder}", "0=bert-base-uncased"], curve=True)
    assert [(model.name, model.step) for model in found.models] == [
        ("bert-base-uncased", 0),
        ("epoch-3", 1500),
    ]
    by_step = find_models({1500: folder, 0: "bert-base-uncased"}, curve=True)
    assert by_step == found


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["checkpoint-1", "final"], "the training step of .*final cannot be told: .*say it, as in 500="),
        (
            ["checkpoint-1", "step_1"],
            "checkpoint-1 and .*step_1 are both step 1; a curve has one model of each step",
        ),
        (["checkpoint-1"], "a curve needs two checkpoints or more, found .*checkpoint-1 alone"),
        (
            ["checkpoint-1", "checkpoint-9"],
            "checkpoint-9 is step 9 by its name and step 8 by its trainer_state.json",
        ),
        (["checkpoint-1", "checkpoint-1"], "checkpoint-1 is named twice"),
        (["empty", "notes.txt"], "there is no model among .*empty, .*notes.txt"),
        (["nothing-*"], r"nothing is there that fits .*nothing-\*"),
    ],
)
def test_what_is_no_curve_is_one_line(tmp_path, names, problem):
    for name in ("checkpoint-1", "step_1", "final"):
        checkpoint(tmp_path / name)
    checkpoint(tmp_path / "checkpoint-9", global_step=8)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=problem) as raised:
        find_models([tmp_path / name for name in names], curve=True)
    assert "\n" not in str(raised.value)


def test_what_is_no_model_is_skipped_and_a_damaged_checkpoint_is_not(tmp_path):
    for step in (1, 2):
        checkpoint(tmp_path / f"checkpoint-{step}")
    (tmp_path / "checkpoint-3").mkdir()  # the training was killed while it was saved
    for name in ("runs", "logs"):
        (tmp_path / name).mkdir()
    for name in ("tokenizer.json", "vocab.txt", "training_args.bin", "README.md"):
        (tmp_path / name).write_text("")
    found = find_models([f"{tmp_path}/*"], curve=True)
    assert [model.step for model in found.models] == [1, 2, 3]
    assert [os.path.basename(name) for name in found.skipped] == [
        "README.md", "logs", "runs", "tokenizer.json", "training_args.bin", "vocab.txt",
    ]  # fmt: skip


def test_names_on_the_hub_files_and_adapters_are_models(tmp_path):
    (tmp_path / "vectors.vec").write_text("")
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "adapter_config.json").write_text("{}")
    found = find_models(["lab/model-7b", tmp_path / "vectors.vec", tmp_path / "adapter"], curve=False)
    assert [model.name for model in found.models] == ["lab-model-7b", "vectors-vec", "adapter"]
    assert found.models[0].source == "lab/model-7b"
    assert found.skipped == ()


def test_models_of_the_same_name_have_folders_of_their_own(tmp_path):
    for name in ("a", "b"):
        checkpoint(tmp_path / name / "final")
    checkpoint(tmp_path / "cells")  # the name of a folder of the engine
    given = [tmp_path / "a" / "final", tmp_path / "b" / "final", tmp_path / "cells"]
    names = [model.name for model in find_models(given, curve=False).models]
    assert names[:2] == ["a-final", "b-final"]
    assert names[2] not in ("cells", *names[:2])


def test_functions_endpoints_and_objects_are_audited_by_themselves():
    for model, what in (("http://127.0.0.1/v1", "an endpoint"), ("package:function", "a function")):
        with pytest.raises(InputError, match=f"is {what}, which is audited by itself"):
            find_models([model, "builtin"], curve=False)
    with pytest.raises(InputError, match="not as list"):
        find_models([["model"]], curve=False)
    with pytest.raises(InputError, match="give a list of models"):
        find_models("builtin", curve=False)
    with pytest.raises(InputError, match="0=builtin gives a model's training step, which only a curve has"):
        find_models(["0=builtin", "lab/other"], curve=False)


def test_a_checkpoint_that_was_written_again_is_another_cell(tmp_path):
    folder = checkpoint(tmp_path / "checkpoint-1")

    def cell_value():
        return find_models([folder, "builtin"], curve=False).models[0].cell_value

    before = cell_value()
    assert cell_value() == before
    (folder / "model.safetensors").write_bytes(b"other weights")
    assert cell_value() != before
    assert NamedModel.of_cell(before).source == str(folder)

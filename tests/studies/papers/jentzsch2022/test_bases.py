"""Base models of two sizes: which layers they have, and that they are made once and found again."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
import transformers

from counterpoise.core.errors import RunError
from counterpoise.models import load
from counterpoise.models.loading import BUILTIN_FOLDER
from counterpoise.studies.engine.cells import Cell, FinishedCell, LeftOut
from counterpoise.studies.papers.jentzsch2022.bases import base_location, keep_layers, prepare

TRAINING = {"epochs": 1, "learning_rate": 1e-3, "batch_size": 16, "seed": 0, "max_length": 32}


@pytest.fixture(scope="module")
def half(imdb_file, tmp_path_factory):
    """The cell of the half-size model, with its result."""
    settings = {"imdb": str(imdb_file), "base_training": TRAINING, "device": "cpu"}
    cell = Cell("prepare", {"base": "builtin-half"}, settings, tmp_path_factory.mktemp("half"))
    return cell, prepare(cell)


def test_every_second_layer_is_kept():
    """Against a model of three layers into which the weights are copied by name."""
    whole = transformers.BertForMaskedLM.from_pretrained(BUILTIN_FOLDER, dtype=torch.float32)
    config = transformers.BertConfig.from_pretrained(BUILTIN_FOLDER, num_hidden_layers=3)
    expected = transformers.BertForMaskedLM(config)
    weights = {name: values for name, values in whole.state_dict().items() if ".layer." not in name}
    for new, old in enumerate((0, 2, 4)):
        prefix = f"bert.encoder.layer.{old}."
        weights |= {
            name.replace(prefix, f"bert.encoder.layer.{new}."): values
            for name, values in whole.state_dict().items()
            if name.startswith(prefix)
        }
    expected.load_state_dict(weights)
    halved = load(device="cpu").model
    assert keep_layers(halved, 2) == [0, 2, 4]
    ids = torch.tensor([[101, 2002, 103, 2157, 102]])
    with torch.no_grad():
        assert torch.allclose(halved.eval()(ids).logits, expected.eval()(ids).logits, atol=1e-4)


@pytest.mark.slow
def test_the_half_size_model_is_trained_further(half):
    cell, result = half
    config = json.loads((cell.folder / "model" / "config.json").read_text())
    assert config["num_hidden_layers"] == result["layers"] == 3
    assert result["reviews"] == 40
    assert result["steps"] == 3  # 40 reviews of one sentence, 16 a batch
    trained = transformers.BertForMaskedLM.from_pretrained(cell.folder / "model")
    assert result["parameters"] == sum(values.numel() for values in trained.parameters())
    start = load(device="cpu").model
    keep_layers(start, 2)
    moved = [not torch.equal(a, b) for a, b in zip(start.parameters(), trained.parameters(), strict=True)]
    assert all(moved[:3])
    assert [path.name for path in cell.folder.iterdir()] == ["model"]
    assert str(cell.folder) not in (cell.folder / "model" / "README.md").read_text()


def test_a_base_that_is_used_as_it_is(tmp_path):
    cell = Cell("prepare", {"base": "builtin"}, {}, tmp_path)
    assert prepare(cell) == {"adapted": False}
    assert not any(tmp_path.iterdir())
    assert base_location(cell, None) == "builtin"


@pytest.mark.slow
def test_a_base_that_was_made_elsewhere(half, tmp_path):
    cell, result = half
    (tmp_path / "bases").mkdir()
    record = {"settings": {"base_training": TRAINING}, "prepare": result}
    (tmp_path / "bases" / "builtin-half.json").write_text(json.dumps(record))
    settings = {**cell.settings, "results": str(tmp_path), "imdb": "nowhere"}

    without = Cell("prepare", cell.factors, settings, tmp_path / "without")
    without.folder.mkdir()
    assert prepare(without) == result
    finished = FinishedCell(cell.factors, result, without.folder)
    training = Cell("train", {**cell.factors, "seed": 0}, settings, tmp_path, {"prepare": [finished]})
    with pytest.raises(RunError, match="builtin-half was made elsewhere, and its weights are not in"):
        base_location(training, str(tmp_path))

    shutil.copytree(cell.folder / "model", tmp_path / "bases" / "builtin-half")
    prepare(without)
    assert load(base_location(training, str(tmp_path)), device="cpu").model.config.num_hidden_layers == 3

    changed = {**settings, "base_training": {**TRAINING, "epochs": 2}}
    with pytest.raises(RunError, match=r"was made with base_training .* and the study has"):
        prepare(Cell("prepare", cell.factors, changed, tmp_path))


def test_without_reviews_no_base_is_made(no_data, tmp_path):
    with pytest.raises(LeftOut, match="is not at hand"):
        prepare(Cell("prepare", {"base": "builtin-half"}, {}, tmp_path))

"""Every model is loaded by `counterpoise.models.pretrained`, which runs no code and reads no pickles unasked."""

from __future__ import annotations

import ast
import json
import pickle
from pathlib import Path

import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise import tuning
from counterpoise.cli.main import run
from counterpoise.core.errors import CounterpoiseError, ModelError

PACKAGE = Path(cp.__file__).parent
DOOR = PACKAGE / "models" / "pretrained.py"
TEXTS, LABELS = ["a good film", "a bad film"] * 6, ["pos", "neg"] * 6


def test_nothing_else_loads_weights():
    loaders = {"from_pretrained", "torch.load", "torch.jit.load", "pipeline", "SentenceTransformer"}
    found = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name in loaders or name.rpartition(".")[2] == "from_pretrained":
                    found.append((path, name))
                unasked = [word.arg for word in node.keywords if ast.unparse(word.value) == "True"]
                assert not {"trust_remote_code", "allow_pickle"} & set(unasked), path
    assert {path for path, _ in found} == {DOOR}


def with_code(folder):
    """A model whose configuration names code that comes with it, which leaves a mark where it runs."""
    tiny.save("bert", folder)
    config = json.loads((folder / "config.json").read_text())
    classes = ("AutoModelForMaskedLM", "AutoModelForSequenceClassification", "AutoTokenizer")
    config |= {"model_type": "strange", "auto_map": {"AutoConfig": "strange.Config"}}
    config["auto_map"] |= dict.fromkeys(classes, "strange.Model")
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "strange.py").write_text(f"open({str(folder / 'the code ran')!r}, 'w')\nraise SystemExit\n")
    return folder


class Mark:
    """Leaves a mark where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def with_pickles(folder):
    tiny.save("bert", folder)
    (folder / "model.safetensors").unlink()
    torch.save({"weights": Mark(folder / "the code ran")}, folder / "pytorch_model.bin", pickle_module=pickle)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("make", [with_code, with_pickles])
def test_no_command_runs_what_comes_with_a_model(make, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    folder = make(tmp_path / "model")
    (tmp_path / "texts.csv").write_text(
        "text,label\n" + "".join(f"{text},{label}\n" for text, label in zip(TEXTS, LABELS, strict=True))
    )
    (tmp_path / "corpus.txt").write_text("She is a nurse.\nHe is a pilot.\n" * 30)
    for command in (
        ["train", tmp_path / "texts.csv", "--base", folder, "--out", tmp_path / "out", "--device", "cpu"],
        ["audit", folder, "--measures", "ppd", "--out", tmp_path / "out"],
        ["debias", folder, "--corpus", tmp_path / "corpus.txt", "--out", tmp_path / "out"],
        [
            "corpus",
            tmp_path / "corpus.txt",
            "--method",
            "model",
            "--reference",
            folder,
            "--out",
            tmp_path / "out",
        ],
    ):
        assert run([str(part) for part in command]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert any(line.startswith("counterpoise: ") for line in lines)
        assert not any("Traceback" in line for line in lines)
        assert not (folder / "the code ran").exists()
        assert not (tmp_path / "out.training").exists()


@pytest.mark.slow
def test_pickled_weights_of_a_base_are_read_when_asked_for(tmp_path):
    tiny.save("bert", tmp_path / "base")
    weights = cp.load(tmp_path / "base").model.state_dict()
    (tmp_path / "base" / "model.safetensors").unlink()
    torch.save(weights, tmp_path / "base" / "pytorch_model.bin")
    settings = tuning.Settings(epochs=1, patience=None)
    options = {"base": tmp_path / "base", "settings": settings, "device": "cpu"}
    with pytest.raises(ModelError, match="--allow-pickle"):
        tuning.train_classifier(TEXTS, LABELS, tmp_path / "out", **options)
    trained = tuning.train_classifier(TEXTS, LABELS, tmp_path / "out", allow_pickle=True, **options)
    assert (trained.folder / "model.safetensors").is_file()


@pytest.mark.parametrize(
    "claim",
    [
        {"num_hidden_layers": 1_000_000},
        {"vocab_size": 10**9},
        {"max_position_embeddings": 10**10},
        {"intermediate_size": 10**9},
        {"vocab_size": 40},
    ],
)
def test_a_configuration_that_its_weights_belie_is_one_line(claim, tmp_path):
    folder = tiny.save("bert", tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | claim))
    with pytest.raises(CounterpoiseError, match="model"):
        cp.load(folder)
    with pytest.raises(CounterpoiseError, match="model"):
        tuning.train_classifier(TEXTS, LABELS, tmp_path / "out", base=folder, device="cpu")
    assert not (tmp_path / "out.training").exists()

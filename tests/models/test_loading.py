"""What `load` makes of what it is given, and the one line it says when it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import counterpoise as cp
import tiny
from counterpoise.core.errors import CounterpoiseError, ModelError

KINDS = {
    "bert": cp.models.MaskedLM,
    "gpt2": cp.models.CausalLM,
    "encoder": cp.models.Encoder,
    "classifier": cp.models.Classifier,
}


@pytest.mark.parametrize("name", KINDS)
def test_the_kind_is_found_out(name, tmp_path):
    assert type(cp.load(tiny.save(name, tmp_path))) is KINDS[name]


def test_without_a_name_the_built_in_model_is_loaded(builtin):
    assert type(builtin) is cp.models.MaskedLM
    assert builtin.name == "builtin"
    assert builtin.precision == "float32"
    assert builtin.max_length == 512
    assert sum(weights.numel() for weights in builtin.model.parameters()) == pytest.approx(22.7e6, rel=0.01)


def test_a_sentence_transformers_folder_is_an_encoder(tmp_path):
    tiny.save("bert", tmp_path)
    (tmp_path / "modules.json").write_text("[]")
    assert type(cp.load(tmp_path)) is cp.models.Encoder


def test_word_vectors_are_a_file(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("2 3\nhe 1 0 0\nshe 0 1 0\n")
    assert cp.load(path)["she"].tolist() == [0, 1, 0]


def test_a_masked_model_can_be_loaded_as_an_encoder(tmp_path):
    assert type(cp.load(tiny.save("bert", tmp_path), kind="encoder")) is cp.models.Encoder


def test_dtype(tmp_path):
    assert cp.load(tiny.save("bert", tmp_path), dtype="bfloat16").precision == "bfloat16"


def test_pickled_weights_are_refused_unless_asked_for(tmp_path):
    tiny.save("bert", tmp_path)
    weights = cp.load(tmp_path).model.state_dict()
    (tmp_path / "model.safetensors").unlink()
    torch.save(weights, tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"only pickled weights.*--allow-pickle"):
        cp.load(tmp_path)
    assert type(cp.load(tmp_path, allow_pickle=True)) is cp.models.MaskedLM


def test_code_that_comes_with_a_model_is_refused(tmp_path):
    tiny.save("bert", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {
        "model_type": "strange",
        "auto_map": {"AutoConfig": "strange.Config", "AutoModelForMaskedLM": "strange.Model"},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "strange.py").write_text("raise SystemExit('the code ran')")
    with pytest.raises(ModelError, match="--trust-remote-code"):
        cp.load(tmp_path)


def test_an_encoder_without_a_head_is_not_scored(tmp_path):
    with pytest.raises(
        ModelError, match=r"cannot be used as a masked model: its weights lack .* would be random"
    ):
        cp.load(tiny.save("encoder", tmp_path), kind="masked")


def _without(*names):
    def change(folder):
        for path in (path for name in names for path in folder.glob(name)):
            path.unlink()

    return change


def _emptied(name):
    return lambda folder: (folder / name).write_bytes(b"")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_without("*.safetensors"), "has a configuration but no weights"),
        (_without("config.json"), "is not a model: it has no config.json"),
        (_without("tokenizer*", "vocab.txt"), "has no tokenizer"),
        (_emptied("model.safetensors"), "cannot load"),
        (_emptied("config.json"), "cannot load"),
    ],
)
def test_a_broken_folder_is_one_line(change, message, tmp_path):
    tiny.save("bert", tmp_path)
    change(tmp_path)
    with pytest.raises(ModelError, match=message) as error:
        cp.load(tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "bilt in"}, "there is no folder bilt in, and it is no name of a model"),
        ({"name": "builtn", "offline": True}, "builtn"),
        (
            {"name": "some/model", "offline": True},
            r"'some/model' is no folder here and not in the local cache \(offline\)",
        ),
        ({"kind": "mask"}, "there is no kind of model 'mask'.*did you mean 'masked'"),
        ({"dtype": "float31"}, "did you mean 'float32'"),
        ({"device": "cuda:7"}, "the device 'cuda:7' cannot be used here"),
        ({"kind": "causal"}, "builtin is a masked language model and cannot be used as a causal one"),
        ({"device": "meta"}, "the device 'meta' cannot be used here"),
        ({"device": "warp"}, "the device 'warp' cannot be used here"),
        ({"name": "nowhere.vec", "kind": "vectors"}, "there is no file nowhere.vec"),
    ],
)
def test_bad_options_are_one_line(options, message):
    with pytest.raises(CounterpoiseError, match=message) as error:
        cp.load(**options)
    assert "\n" not in str(error.value)


def test_a_hub_that_cannot_be_reached_is_said_at_once(monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "https://localhost:9")  # nothing listens there
    with pytest.raises(ModelError, match="the model hub cannot be reached") as error:
        cp.load("bert-base-uncased")
    assert "\n" not in str(error.value)


def test_torch_is_imported_only_when_a_model_is_loaded():
    code = (
        "import sys, counterpoise as cp; cp.measures, cp.data, cp.models, cp.audit; "
        "assert not {'torch', 'transformers'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_models_may_be_loaded_in_several_threads(tmp_path):
    """Each as whole as alone, and so is what is loaded afterwards."""
    folders = [tiny.save(kind, tmp_path / kind) for kind in ("bert", "gpt2", "roberta")]
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(cp.load, [*folders, cp.models.loading.BUILTIN_FOLDER] * 3))
    assert [model.kind for model in found[:4]] == ["masked", "causal", "masked", "masked"]
    assert cp.load().kind == "masked"

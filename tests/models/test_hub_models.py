"""Models of the hub that were downloaded before: which revision is loaded, and that the manifest says so."""

from __future__ import annotations

import json

import pytest

import counterpoise as cp
import tiny
from adapters import save_adapter
from counterpoise.cli.main import run
from counterpoise.core.cache import ScoreCache
from counterpoise.models.adapters import ADAPTER_CONFIG

FIRST, SECOND, ADAPTER = "a" * 40, "b" * 40, "c" * 40  # commits
TEXTS = ["The nurse said that she was tired."]


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """The hub's cache: two revisions of a model, and an adapter of the second."""
    folder = tmp_path_factory.mktemp("hub")

    def snapshot(name, commit, branch):
        repository = folder / f"models--lab--{name}"
        (repository / "refs").mkdir(parents=True, exist_ok=True)
        (repository / "refs" / branch).write_text(commit)
        return repository / "snapshots" / commit

    tiny.save("llama", snapshot("model", FIRST, "main"))
    second = tiny.save("llama", snapshot("model", SECOND, "v2"), intermediate_size=48)
    adapter = save_adapter(second, snapshot("adapter", ADAPTER, "main"))
    config = json.loads((adapter / ADAPTER_CONFIG).read_text())
    config |= {"base_model_name_or_path": "lab/model", "revision": "v2"}
    (adapter / ADAPTER_CONFIG).write_text(json.dumps(config))
    return folder


@pytest.fixture(autouse=True)
def downloaded(hub, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(hub))
    monkeypatch.setattr(
        "transformers.utils.hub.TRANSFORMERS_CACHE", str(hub), raising=False
    )  # transformers 4


def width(model):
    return model.model.config.intermediate_size


def test_revisions_are_told_apart(tmp_path):
    first, second = cp.load("lab/model", offline=True), cp.load("lab/model", revision="v2", offline=True)
    assert (width(first), width(second)) == (64, 48)
    assert first.details == {"commit": FIRST}
    assert second.details == {"revision": "v2", "commit": SECOND}
    cache = ScoreCache(tmp_path / "scores.sqlite")
    for model in (first, second):
        uncached = model.log_likelihood(TEXTS)
        model.cache = cache
        assert model.log_likelihood(TEXTS) == pytest.approx(uncached, abs=1e-6)
    assert len(cache.info().spaces) == 2


@pytest.mark.parametrize("names", [{"name": "lab/adapter"}, {"name": "lab/model", "adapter": "lab/adapter"}])
def test_an_adapter_is_put_into_the_revision_that_it_was_trained_on(names):
    model = cp.load(**names, offline=True)
    assert width(model) == 48
    expected = {"revision": "v2", "commit": SECOND, "adapter": "lab/adapter", "adapter_commit": ADAPTER}
    assert model.details == {**expected, "base": "lab/model"}


def test_another_revision_of_the_base_can_be_asked_for():
    model = cp.load("lab/model", adapter="lab/adapter", revision="main", offline=True)
    assert (width(model), model.details["commit"]) == (64, FIRST)


def test_the_manifest_and_a_revision_that_is_not_there(tmp_path, few_questions, capsys):
    out = tmp_path / "out"
    audit = ["audit", "lab/model", "--measures", "sld", "--offline", "--out", str(out), "--revision"]
    assert run([*audit, "v3"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not out.exists()
    assert run([*audit, "v2"]) == 0
    loading = json.loads((out / "manifest.json").read_text())["options"]["loading"]
    assert loading == {"revision": "v2", "commit": SECOND}
    assert run([*audit, "main"]) == 2  # other weights do not go on with this run
    assert "holds a run with fingerprint" in capsys.readouterr().err

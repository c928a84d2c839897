"""Audits in MLflow, in a real local tracking store."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import checkpoints
import counterpoise as cp
from counterpoise.cli.main import run as command
from counterpoise.core.files import slug
from counterpoise.integrations.trackers import registry

mlflow = pytest.importorskip("mlflow")
pytest.importorskip("sqlalchemy")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_questions")]
KEY = "hf_thiskeyissecret"


@pytest.fixture(scope="module")
def audited(few_questions, small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "audited"
    return cp.audit(small, measures=["lpbs", "sld"], out=folder, cache=False)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A database of MLflow's, which takes seconds to make."""
    folder = tmp_path_factory.mktemp("mlflow")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{folder / 'store.db'}")
        experiment = mlflow.create_experiment("bias", artifact_location=(folder / "files").as_uri())
        patch.setenv("MLFLOW_EXPERIMENT_ID", experiment)
        yield mlflow.MlflowClient()


def runs_of(store):
    return store.search_runs([store.get_experiment_by_name("bias").experiment_id])


def files_of(store, run, folder=""):
    for file in store.list_artifacts(run.info.run_id, folder):
        yield from files_of(store, run, file.path) if file.is_dir else [file.path]


def logged_file(store, run_id, name):
    return Path(store.download_artifacts(run_id, name)).read_bytes()


def summary_rows(folder):
    rows = json.loads((folder / "summary.json").read_text())["results"]
    return [row for row in rows if row["level"] != "word"]


def assert_numbers(metrics, folder):
    """Every number of the summary to the last digit, and no others."""
    expected = {}
    for row in summary_rows(folder):
        name = f"{row['measure']}.{row['key']}"
        numbers = {
            name: row["value"],
            **{f"{name}.{one}": row[one] for one in ("ci_low", "ci_high", "p_value")},
        }
        expected |= {key: value for key, value in numbers.items() if value is not None}
    assert {
        key: value for key, value in metrics.items() if key.startswith(("lpbs.", "ppd.", "sld."))
    } == expected


def test_a_new_run_has_numbers_options_versions_and_files(store, audited):
    assert cp.log(audited, to="mlflow").startswith("run ")
    [run] = runs_of(store)
    assert run.info.run_name == "audited"
    assert run.info.status == "FINISHED"
    assert_numbers(run.data.metrics, audited.run.folder)
    assert run.data.params["counterpoise.seed"] == "0"
    assert json.loads(run.data.params["counterpoise.measures"]) == ["lpbs", "sld"]
    assert run.data.tags["counterpoise.version.counterpoise"] == cp.__version__
    names = {"report.html", "summary.json", "scores/lpbs.parquet", "scores/sld.parquet"}
    assert set(files_of(store, run)) == {f"counterpoise/audited/{name}" for name in names}
    for name in names:
        logged = logged_file(store, run.info.run_id, f"counterpoise/audited/{name}")
        assert (audited.run.folder / name).read_bytes() == logged


def test_the_active_run_is_used_and_stays_open(store, audited, tmp_path):
    """A training has its own parameters, and logs more than one audit."""
    before = len(runs_of(store))
    with mlflow.start_run(run_name="training") as training:
        mlflow.log_param("seed", 42)
        for step, lean in ((10, 0.5), (20, 0.25)):
            row = audited.results["sld"].summary.assign(value=lean)
            results = {"sld": replace(audited.results["sld"], summary=row)}
            cp.log(replace(audited, results=results, run=None), to="mlflow", name=f"step-{step}", step=step)
        assert mlflow.active_run().info.run_id == training.info.run_id
    assert len(runs_of(store)) == before + 1
    [key, *_] = audited.results["sld"].summary.key
    history = store.get_metric_history(training.info.run_id, f"sld.{key}")
    assert [(metric.step, metric.value) for metric in history] == [(10, 0.5), (20, 0.25)]
    run = store.get_run(training.info.run_id)
    assert run.data.params == {"seed": "42"}
    assert run.data.tags["counterpoise.seed"] == "0"
    assert "counterpoise/step-20/scores/sld.parquet" in set(files_of(store, run))


def test_odd_numbers_names_and_long_options(store, audited):
    result = audited.results["sld"]
    summary = result.summary.copy()
    summary.loc[0, ["ci_low", "p_value"]] = [np.nan, -np.inf]
    summary["key"] = [f"ünïcode/{'x' * 300}{n}" for n in range(len(summary))]
    manifest = {
        **audited.record.manifest,
        "options": {**audited.record.manifest["options"], "texts": "x" * 7000},
    }
    odd = replace(audited, results={"sld": replace(result, summary=summary)}, run=None)
    odd.record.manifest, kept = manifest, odd.record.manifest
    try:
        where = cp.log(odd, to="mlflow", words=True)
    finally:
        odd.record.manifest = kept
    run = store.get_run(where.split()[1])
    values = sorted(run.data.metrics.values())
    assert values == sorted(
        number
        for number in summary[["value", "ci_low", "ci_high", "p_value"]].to_numpy().ravel()
        if np.isfinite(number)
    )
    assert all(len(name) <= 250 and "/" not in name for name in run.data.metrics)
    assert run.data.params["counterpoise.texts"].endswith("xxx...")


def test_a_folder_is_logged_by_the_command_and_keys_are_not(
    store, small_folder, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("HF_TOKEN", KEY)
    monkeypatch.setattr("sys.argv", ["counterpoise", "audit", "--hub-token", KEY, f"--note={KEY}"])
    out = tmp_path / "run"
    arguments = ["audit", str(small_folder), "--measures", "sld", "--out", str(out), "--no-cache"]
    assert command([*arguments, "--log", "mlflow", "--log", "mlflow"]) == 0
    assert capsys.readouterr().out.count("logged to mlflow: run ") == 1
    run, *_ = runs_of(store)
    assert run.info.run_name == "run"
    assert_numbers(run.data.metrics, out)
    assert KEY not in str(run.to_dictionary())
    for name in files_of(store, run):
        assert KEY.encode() not in logged_file(store, run.info.run_id, name)
    assert "--hub-token [hidden] --note=[hidden]" in (out / "manifest.json").read_text()


def test_the_page_of_an_old_run_holds_no_key(store, audited, tmp_path, monkeypatch):
    page = audited.run.folder / "report.html"
    kept = page.read_text()
    page.write_text(kept.replace("</body>", f"{KEY}</body>"))
    monkeypatch.setenv("SOME_API_KEY", KEY)
    try:
        where = cp.log(audited.run.folder, to="mlflow")
        assert KEY in page.read_text()
    finally:
        page.write_text(kept)
    assert b"[hidden]</body>" in logged_file(store, where.split()[1], "counterpoise/audited/report.html")


@pytest.mark.parametrize("gated", [False, True])
def test_a_server_that_is_not_there_is_one_warning(store, small_folder, tmp_path, monkeypatch, capfd, gated):
    monkeypatch.delenv("MLFLOW_EXPERIMENT_ID")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:secretpassword@127.0.0.1:9")
    out = tmp_path / "run"
    arguments = ["audit", str(small_folder), "--measures", "sld", "--out", str(out), "--no-cache"]
    arguments += ["--log", "mlflow"] + (["--fail-above", "sld:0"] if gated else [])
    begun = time.monotonic()
    assert command(arguments) == (3 if gated else 0)  # 3: these few items cannot tell
    assert time.monotonic() - begun < 60
    told = capfd.readouterr()
    [warning] = told.err.splitlines()
    assert warning.startswith("counterpoise: not logged to mlflow (MlflowException: ")
    assert f"cp.log('{out}', to='mlflow') tries again" in warning
    assert "secretpassword" not in told.err + told.out
    assert "logged to mlflow" not in told.out
    assert cp.Run.read(out).is_complete
    assert {"report.html", "summary.json", "manifest.json"} <= {path.name for path in out.iterdir()}


def test_a_tracker_of_ones_own(audited):
    entries = []

    def send(entry):
        entries.append(
            (entry.name, dict(entry.metrics), {name: path.exists() for name, path in entry.files.items()})
        )
        return "a list"

    registry.register(registry.Tracker("list", "json", "pip install json", send))
    try:
        assert cp.log(replace(audited, run=None), to="list") == "a list"
    finally:
        del registry._TRACKERS["list"]
    [(name, metrics, files)] = entries
    assert name == slug(audited.record.manifest["options"]["model"])
    assert_numbers(metrics, audited.run.folder)
    assert files == dict.fromkeys(
        ["report.html", "summary.json", "scores/lpbs.parquet", "scores/sld.parquet"], True
    )


def test_checkpoints_of_a_curve_are_logged_with_their_steps(store, tmp_path):
    checkpoints.save(tmp_path / "out", 500, 1000)
    templates = ["--templates", str(checkpoints.templates(tmp_path)), "--measures", "ppd", "--offline"]
    models = [str(tmp_path / "out" / f"checkpoint-{step}") for step in (500, 1000)]
    out = tmp_path / "curve"
    assert command(["audit", *models, "--curve", "--log", "mlflow", "--out", str(out), *templates]) == 0
    logged = {run.info.run_name: run for run in runs_of(store)}
    for step in (500, 1000):
        run = logged[f"checkpoint-{step}"]
        [metric] = store.get_metric_history(run.info.run_id, "ppd.appd")
        assert metric.step == step
        assert_numbers(run.data.metrics, out / f"checkpoint-{step}")

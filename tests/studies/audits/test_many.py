"""Real tiny checkpoints, audited together: the numbers of separate audits, and what failures and kills leave."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from scipy import stats

import checkpoints
import counterpoise as cp
from counterpoise.cli.main import run
from counterpoise.core.errors import InputError, RunError
from counterpoise.studies.audits.results import BiasCurve

pytestmark = pytest.mark.slow

OFFLINE = {"offline": True, "device": "cpu"}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Three checkpoints, one of which is damaged, and what else lies beside them."""
    home = tmp_path_factory.mktemp("training")
    checkpoints.save(home / "out", 500, 1000)
    shutil.copytree(home / "out" / "checkpoint-500", home / "out" / "checkpoint-750")
    (home / "out" / "checkpoint-750" / "model.safetensors").write_bytes(b"half")
    return home


@pytest.fixture(scope="module")
def options(home):
    return {"measures": ["ppd"], "templates": checkpoints.templates(home), "load": OFFLINE, "workers": 2}


@pytest.fixture(scope="module")
def curve(home, options):
    return cp.audit_many([f"{home}/out/*"], curve=True, out=home / "all", **options)


def test_each_model_has_the_numbers_of_an_audit_of_its_own(home, options, curve):
    assert isinstance(curve, BiasCurve)
    assert repr(curve) == "<BiasCurve of 2 checkpoints, steps 500 to 1,000: ppd>"
    assert curve.rows.step.tolist() == [500, 1000]
    for row in curve.rows.itertuples():
        model = cp.load(home / "out" / row.model, device="cpu")
        alone = cp.audit(model, ["ppd"], templates=options["templates"]).results["ppd"].headline
        assert row.key == alone.key
        assert (row.value, row.ci_low, row.ci_high) == pytest.approx(
            (alone.value, alone.ci_low, alone.ci_high), abs=1e-5
        )


def test_the_difference_is_the_paired_one_and_has_the_known_direction(curve):
    words = [run.results["ppd"].items.groupby("word").ppd.mean() for run in curve.runs.values()]
    test = stats.ttest_rel(words[1], words[0])
    last = curve.rows.iloc[-1]
    assert last.difference == pytest.approx(float((words[1] - words[0]).mean()))
    assert last.difference > 0  # `he` was made likelier
    assert last.p_adjusted == pytest.approx(test.pvalue)


def test_a_damaged_checkpoint_is_named_and_leaves_the_others(home, curve):
    assert list(curve.failed) == ["checkpoint-750"]
    assert "cannot load" in curve.failed["checkpoint-750"]
    assert [os.path.basename(name) for name in curve.skipped] == ["runs", "tokenizer.json"]
    assert not (home / "all" / "checkpoint-750").exists()


def test_the_folder_holds_runs_like_any_other(home, curve):
    for name in ("curve.html", "curve.csv", "audits.json", "checkpoint-500/report.html"):
        assert (home / "all" / name).is_file()
    comparison = cp.compare(home / "all" / "checkpoint-500", home / "all" / "checkpoint-1000")
    assert comparison.rows.difference.iloc[0] == pytest.approx(curve.rows.difference.iloc[-1])


def test_only_what_is_missing_is_measured(home, options, curve):
    """A checkpoint more, one mended, one whose run was deleted: the others are not touched."""
    folder = home / "again"
    shutil.copytree(home / "all", folder)
    shutil.copytree(home / "out", home / "more")
    shutil.copytree(home / "more" / "checkpoint-1000", home / "more" / "checkpoint-2000")
    same = cp.audit_many([f"{home}/out/checkpoint-*"], curve=True, out=folder, **options)
    assert same.computed == 0
    assert same.rows.equals(curve.rows)
    shutil.rmtree(folder / "checkpoint-1000")
    kept = (folder / "checkpoint-500" / "summary.json").stat().st_mtime_ns
    given = {500: home / "out" / "checkpoint-500", 1000: home / "out" / "checkpoint-1000"}
    more = cp.audit_many(
        {**given, 2000: home / "more" / "checkpoint-2000"}, curve=True, out=folder, **options
    )
    assert more.computed == 2
    assert (folder / "checkpoint-500" / "summary.json").stat().st_mtime_ns == kept
    assert more.rows.value.tolist()[:2] == pytest.approx(curve.rows.value.tolist(), abs=1e-5)
    assert more.rows.value.iloc[2] == pytest.approx(more.rows.value.iloc[1], abs=1e-5)  # the same weights


def test_several_models_without_a_curve_are_a_table(home, options, curve, capsys):
    """The runs of the curve are used again; the damaged checkpoint is tried again, and the exit code says so."""
    command = ["audit", *(str(home / "out" / f"checkpoint-{step}") for step in (500, 750, 1000))]
    command += ["--measures", "ppd", "--templates", str(options["templates"]), "--offline", "--device", "cpu"]
    capsys.readouterr()
    assert run([*command, "--out", str(home / "all")]) == 1
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines() if line.startswith("checkpoint-")] == [
        "checkpoint-500",
        "checkpoint-1000",
    ]
    assert "failed: checkpoint-750: cannot load" in out
    assert err == "counterpoise: some models failed; the same command tries them again\n"
    assert (home / "all" / "models.html").is_file()


def test_a_folder_of_other_audits_is_refused(home, options, curve):
    models = [f"{home}/out/checkpoint-*"]
    with pytest.raises(RunError, match="holds audits with seed 0, and these have 3; choose another folder"):
        cp.audit_many(models, curve=True, out=home / "all", **{**options, "seed": 3})
    with pytest.raises(RunError, match="with the measures ppd, and these have of the suite"):
        cp.audit_many(models, curve=True, out=home / "all", **{**options, "measures": None})
    with pytest.raises(InputError, match="give templates as a file"):
        cp.audit_many(models, measures=["ppd"], templates=cp.data.pronoun_templates())


def test_killed_after_one_model_the_same_command_measures_the_others(home, options):
    folder = home / "torn"
    first, last = (str(home / "out" / f"checkpoint-{step}") for step in (500, 1000))
    command = [sys.executable, "-m", "counterpoise", "audit", first, last, "--curve", "--measures", "ppd"]
    command += ["--templates", str(options["templates"]), "--out", str(folder), "--offline", "--workers", "1"]

    def done():
        return {path: path.stat().st_mtime_ns for path in folder.glob("cells/*/*/cell.json")}

    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not done():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    if process.returncode == 130:  # else it was quicker than the key
        assert errors.count("\n") == 1
        assert "stopped; the same command goes on where it was" in errors
    before = done()
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert before.items() <= done().items()
    assert len(done()) == 2
    assert "Step 1,000 leans" in ended.stdout


def test_ray_gives_the_same_curve(home, options, curve):
    pytest.importorskip("ray", reason="needs ray")
    given = {step: home / "out" / f"checkpoint-{step}" for step in (500, 1000)}
    found = cp.audit_many(given, curve=True, out=home / "ray", engine="ray", **{**options, "workers": 1})
    assert found.rows.value.tolist() == pytest.approx(curve.rows.value.tolist(), abs=1e-5)

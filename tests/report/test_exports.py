"""Results in the schemas of other tools: their readers take them, and no number changes on the way."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import zipfile
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from scipy import stats

import counterpoise as cp
import runs
from counterpoise.core.errors import RunError
from counterpoise.report.formats import write_format

FORMATS = ("lm-eval", "every-eval-ever")
SCHEMA_PACKAGE = "every_eval_ever==0.3.0"


@pytest.fixture
def result():
    return runs.word_result("some-lab/model")


@pytest.fixture
def folder(tmp_path, result):
    return runs.save_run(tmp_path / "run", result, kind="masked")


@pytest.fixture
def without_numbers(tmp_path, result):
    """A run in which one row has no interval and another no value."""
    summary = result.summary.copy()
    summary.loc[0, ["ci_low", "ci_high", "p_value"]] = np.nan
    summary.loc[1, "value"] = np.nan
    return runs.save_run(tmp_path / "nan", replace(result, summary=summary))


def read(folder, format):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(write_format(folder, format).read_text(), parse_constant=refuse)


def summary_rows(folder):
    rows = json.loads((folder / "summary.json").read_text())["results"]
    return {row["key"]: row for row in rows if row["level"] == "overall"}


def test_lm_eval_has_the_numbers_of_the_summary(folder):
    document = read(folder, "lm-eval")
    metrics = document["results"]["counterpoise_own"]
    details = document["configs"]["counterpoise_own"]["metadata"]["counterpoise"]
    rows = summary_rows(folder)
    assert {key for key in metrics if "_stderr" not in key} == {
        "alias",
        "sample_len",
        *(f"{key},none" for key in rows),
    }
    for key, row in rows.items():
        assert metrics[f"{key},none"] == row["value"]
        for name in ("value", "ci_low", "ci_high", "p_value", "n", "ideal", "ideal_kind", "clusters"):
            assert details[key][name] == row[name]
        assert details[key]["above_ideal"] == "The model reads people as men."


def test_the_standard_error_is_that_of_the_interval(folder):
    """1.96 standard errors to either side are the interval; one that is not symmetrical has none."""
    metrics = read(folder, "lm-eval")["results"]["counterpoise_own"]
    rows = summary_rows(folder)
    mean, share = rows["lean"], rows["share_male"]
    half = stats.norm.ppf(0.975) * metrics["lean_stderr,none"]
    assert [mean["value"] - half, mean["value"] + half] == pytest.approx([mean["ci_low"], mean["ci_high"]])
    assert share["ci_high"] - share["value"] != pytest.approx(share["value"] - share["ci_low"])  # as Wilson's
    assert metrics["share_male_stderr,none"] == "N/A"


def test_what_is_better(folder):
    document = read(folder, "lm-eval")
    better = document["higher_is_better"]["counterpoise_own"]
    assert better == {"lean": None, "mean_absolute": False, "share_male": None}
    metrics = {one["evaluation_result_id"]: one["metric_config"] for one in eee(folder)}
    assert metrics["own.lean"]["lower_is_better"] is False
    assert metrics["own.lean"]["additional_details"]["better"] == "closest to ideal"
    assert metrics["own.mean_absolute"]["lower_is_better"] is True
    assert metrics["own.share_male"]["additional_details"]["ideal"] == "50.0"
    assert [metrics["own.share_male"][bound] for bound in ("min_score", "max_score")] == [0.0, 100.0]
    assert metrics["own.lean"]["max_score"] == "Infinity"


def eee(folder):
    return read(folder, "every-eval-ever")["evaluation_results"]


def test_every_eval_ever_has_the_numbers_of_the_summary(folder):
    document = read(folder, "every-eval-ever")
    assert document["model_info"]["developer"] == "some-lab"
    assert document["eval_library"]["version"] == cp.__version__
    rows = summary_rows(folder)
    assert len(document["evaluation_results"]) == len(rows)
    for one in document["evaluation_results"]:
        row = rows[one["evaluation_result_id"].removeprefix("own.")]
        score = one["score_details"]
        assert score["score"] == row["value"]
        assert score["uncertainty"] == {
            "num_samples": row["n"],
            "confidence_interval": {
                "lower": row["ci_low"],
                "upper": row["ci_high"],
                "confidence_level": 0.95,
            },
        }


def test_what_is_not_a_number_is_left_out_and_named(without_numbers):
    document = read(without_numbers, "lm-eval")
    metrics = document["results"]["counterpoise_own"]
    assert "mean_absolute,none" not in metrics
    assert metrics["lean_stderr,none"] == "N/A"
    assert (
        document["configs"]["counterpoise_own"]["metadata"]["counterpoise"]["mean_absolute"]["value"] is None
    )
    document = read(without_numbers, "every-eval-ever")
    [first, second] = document["evaluation_results"]
    assert first["score_details"]["uncertainty"].keys() == {"num_samples"}
    assert second["evaluation_result_id"] == "own.share_male"
    assert document["source_metadata"]["additional_details"]["without_a_value"] == "own.mean_absolute"


@pytest.mark.parametrize("format", FORMATS)
def test_an_unfinished_run_says_so(tmp_path, format):
    document = read(runs.save_run(tmp_path / "half", runs.word_result(), finished=False), format)
    details = document["source_metadata"]["additional_details"] if "source_metadata" in document else document
    assert str(details["finished"]) == "False"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("name", "value"), [("started", 3), ("started", "yesterday"), ("versions", [])])
def test_a_damaged_manifest_is_one_line(folder, format, name, value):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, name: value}))
    with pytest.raises(RunError, match="is damaged"):
        write_format(folder, format)
    assert not list(folder.glob("*eval*"))


def table_as_the_harness_makes_it(document):
    """What `lm_eval.utils.make_table` (0.4.13) reads, in the way it reads it."""
    rows = []
    for task, metrics in document["results"].items():
        version, shots = document["versions"][task], document["n-shot"][task]
        directions = document["higher_is_better"][task]
        metrics = {key: value for key, value in metrics.items() if key not in ("name", "sample_len")}
        alias = metrics.pop("alias", task)
        for key, value in sorted(metrics.items()):
            metric, _, filter = key.partition(",")
            if metric.endswith("_stderr"):
                continue
            error = metrics[f"{metric}_stderr,{filter}"]
            shown = "   N/A" if error == "N/A" else f"{error:.4f}"
            rows.append((alias, version, filter, shots, metric, directions[metric], f"{value:.4f}", shown))
    return rows


def test_the_harness_can_make_its_table(folder, without_numbers):
    table = table_as_the_harness_makes_it(read(folder, "lm-eval"))
    value = summary_rows(folder)["lean"]["value"]
    assert table[0][:7] == ("own", cp.__version__, "none", 0, "lean", None, f"{value:.4f}")
    assert len(table) == 3
    assert len(table_as_the_harness_makes_it(read(without_numbers, "lm-eval"))) == 2


def test_the_harness_itself_makes_its_table(folder):
    utils = pytest.importorskip("lm_eval.utils", reason="needs lm-eval: it is not installed")
    document = read(folder, "lm-eval")
    table = utils.make_table(document)
    for key, row in summary_rows(folder).items():
        assert key in table
        assert f"{row['value']:.4f}" in table


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The schema as its authors publish it, in their package, which is downloaded and not installed."""
    folder = tmp_path_factory.mktemp("schema")
    command = [sys.executable, "-m", "pip", "download", SCHEMA_PACKAGE, "--dest", str(folder), "--quiet"]
    command += ["--no-deps", "--ignore-requires-python", "--retries", "0", "--no-input"]
    if subprocess.run(command, capture_output=True, timeout=120).returncode:
        pytest.skip(f"pip cannot get {SCHEMA_PACKAGE}")
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as package:
        return json.loads(package.read("every_eval_ever/schemas/eval.schema.json"))


@pytest.mark.slow
@pytest.mark.usefixtures("few_questions")
def test_every_eval_ever_takes_it(schema, folder, without_numbers, small, tmp_path):
    audited = cp.audit(small, measures=["lpbs", "ppd", "sld"], out=tmp_path / "real", cache=False)
    for run in (folder, without_numbers, audited.run.folder):
        document = read(run, "every-eval-ever")
        assert document["schema_version"] == schema["version"]
        jsonschema.validate(document, schema)
        for one in document["evaluation_results"]:
            assert math.isfinite(one["score_details"]["score"])

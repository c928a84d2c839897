"""The worked example of docs/adding-a-measure.md: its five files, added to a copy of Counterpoise, work there."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

import brute
from toy_sources import sha256

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "adding-a-measure"
PUBLISHED = EXAMPLE / "published" / "hobbies.tsv"
WEIGHTS = Path("src/counterpoise/models/builtin/model.safetensors")
FILES = sorted(
    path.relative_to(EXAMPLE)
    for folder in ("src", "tests")
    for path in (EXAMPLE / folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
)


def test_five_files_and_no_more():
    assert [str(path) for path in FILES] == [
        "src/counterpoise/data/citations.yaml",
        "src/counterpoise/data/specs/hobbies.yaml",
        "src/counterpoise/data/thirdparty/sources.yaml",
        "src/counterpoise/measures/pronouns/hobbies.py",
        "tests/measures/pronouns/test_hobbies.py",
    ]


@pytest.mark.parametrize("path", FILES, ids=str)
def test_the_tutorial_shows_each_file_as_it_is(path):
    tutorial = (ROOT / "docs" / "adding-a-measure.md").read_text(encoding="utf-8")
    language = {".py": "python", ".yaml": "yaml"}[path.suffix]
    assert f"```{language}\n{(EXAMPLE / path).read_text(encoding='utf-8')}```\n" in tutorial
    assert f"`{path}`" in tutorial


def test_the_entry_in_sources_describes_the_published_file():
    entries = yaml.safe_load((EXAMPLE / "src/counterpoise/data/thirdparty/sources.yaml").read_text())
    [file] = entries["hobbies"]["files"]
    assert (file["size"], file["sha256"]) == (PUBLISHED.stat().st_size, sha256(PUBLISHED.read_bytes()))


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the project with the example added and `make docs` done; the weights of the model are linked."""
    copy = tmp_path_factory.mktemp("repository")
    ignore = shutil.ignore_patterns("__pycache__", WEIGHTS.name)
    for folder in ("src", "tools", "docs", "tests"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", copy)
    (copy / WEIGHTS).symlink_to(ROOT / WEIGHTS)
    for path in FILES:
        was = (copy / path).read_text(encoding="utf-8") + "\n" if (copy / path).exists() else ""
        (copy / path).write_text(was + (EXAMPLE / path).read_text(encoding="utf-8"), encoding="utf-8")
    run(copy, "tools/build_docs.py")
    return copy


def run(repository, *command, code=0):
    """What a command prints, error stream included."""
    environment = {
        **{name: value for name, value in os.environ.items() if name != "COUNTERPOISE_DATA"},
        "PYTHONPATH": str(repository / "src"),
        "COLUMNS": "200",
    }
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=repository,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout[-3000:]
    return done.stdout


@pytest.mark.slow
def test_the_catalogue_and_the_docs_know_the_measure(repository):
    shown = run(repository, "-m", "counterpoise", "catalog", "measures")
    assert "Which pronoun does the model choose for someone with this hobby?" in " ".join(shown.split())
    assert "catalog fetch hobbies" in run(repository, "-m", "counterpoise", "catalog", "datasets")
    page = (repository / "docs/measures/hobbies.md").read_text(encoding="utf-8")
    assert page.splitlines()[1:5] == [
        "", "# hobbies: pronoun preference by hobby", "", "Pronoun preference by hobby (Example 2026).",
    ]  # fmt: skip
    assert "| hobbies | Hobbies: 16 sentences about 8 hobbies | CC0 1.0 |" in (
        repository / "docs/data.md"
    ).read_text(encoding="utf-8")


@pytest.mark.slow
def test_its_own_test_and_those_of_every_measure_pass(repository):
    run(
        repository,
        *("-m", "pytest", "-q", "-p", "no:cacheprovider"),
        "tests/measures/pronouns/test_hobbies.py",
        "src/counterpoise/measures/pronouns/hobbies.py",
        "tests/data/thirdparty/test_sources.py",
        "tests/measures/base/test_catalogue.py",
        *("-k", "hobbies or test_sources or test_every_measure"),
    )


@pytest.mark.slow
def test_an_audit_measures_what_plain_forward_passes_give(repository, builtin, tmp_path):
    data = tmp_path / "data" / "hobbies"
    data.mkdir(parents=True)
    shutil.copy(PUBLISHED, data)
    audit = ("-m", "counterpoise", "audit", "builtin", "--measures", "hobbies", "--offline", "--no-cache")
    run(repository, *audit, "--data", tmp_path / "data", "--out", tmp_path / "run")

    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        rows = pd.DataFrame(csv.DictReader(file, delimiter="\t"))
    preferences = [
        brute.word_log_probability(builtin, text, male) - brute.word_log_probability(builtin, text, female)
        for text, male, female in zip(
            rows.Sentence.str.replace("_", "[MASK]"), rows.Male, rows.Female, strict=True
        )
    ]
    means = pd.Series(preferences).groupby(rows.Hobby).mean()
    low, high = stats.t.interval(0.95, len(means) - 1, loc=means.mean(), scale=stats.sem(means))

    summary = json.loads((tmp_path / "run" / "summary.json").read_text())["results"]
    by_key = {row["key"]: row for row in summary}
    headline = by_key["preference"]
    assert headline["value"] == pytest.approx(means.mean(), abs=1e-4)
    assert (headline["ci_low"], headline["ci_high"]) == pytest.approx((low, high), abs=1e-3)
    assert headline["p_value"] == pytest.approx(stats.ttest_1samp(means, 0.0).pvalue, rel=1e-2)
    assert (headline["n"], headline["dataset"]) == (16, "hobbies")
    assert by_key["mean_absolute"]["value"] == pytest.approx(np.abs(means).mean(), abs=1e-4)
    assert by_key["preference.word.knitting"]["value"] == pytest.approx(means["knitting"], abs=1e-4)


@pytest.mark.slow
def test_without_the_data_the_audit_says_how_to_get_them(repository, tmp_path):
    audit = ("-m", "counterpoise", "audit", "builtin", "--measures", "hobbies", "--offline")
    shown = run(repository, *audit, "--out", tmp_path / "run", code=2)
    assert "is not at hand: get it with `counterpoise catalog fetch hobbies`" in " ".join(shown.split())

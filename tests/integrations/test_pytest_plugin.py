"""The pytest plugin in projects of its own, each in a pytest process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "gate-pytest"
PLUGIN = "counterpoise.integrations.pytest_plugin"


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest with the plugin, whether or not its entry point is installed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    plugin = ("-p", "no:counterpoise", "-p", PLUGIN, "-p", "no:cacheprovider", "--strict-markers", "-rfEs")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugin, *arguments],
        cwd=folder,
        env={**environment, "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_example_passes(tmp_path):
    folder = shutil.copytree(EXAMPLE, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__"))
    done = run_pytest(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


CONFTEST = """
import pytest

AUDITS = []

def rate(texts):
    AUDITS.append(len(texts))
    return [0.5 + (" he " in f" {text} ") * 0.001 * len(text) for text in texts]

@pytest.fixture(scope="session")
def bias_model():
    return rate

@pytest.fixture(scope="session")
def bias_options():
    return {"texts": [f"{who} is {'very ' * n}old" for n in range(8) for who in ("he", "she")]}
"""
# The male version of a text of 9 + 5 n letters is rated .001 per letter higher: biases of .009, .014, ..., .044.
TESTS = """
import pytest
from conftest import AUDITS

@pytest.mark.bias("sentiment.total_bias", below=0.05, above=0)
def test_passes(): ...

@pytest.mark.bias("sentiment.total_bias", below=0.01)
def test_fails(): ...

@pytest.mark.bias("abs(sentiment.total_bias - 0.0265) <= 0.001")
def test_cannot_tell(): ...

@pytest.mark.bias("sentiment.total", below=1)
def test_no_such_row(): ...

def test_audited_once():
    assert len(AUDITS) == 1
"""


@pytest.mark.slow
def test_outcomes_are_tests(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_bias.py").write_text(TESTS)
    done = run_pytest(tmp_path)
    assert done.returncode == 1
    assert "3 failed, 2 passed" in done.stdout, done.stdout
    assert "FAILED test_bias.py::test_fails - Failed: sentiment.total_bias < 0.01: fails; 0.02" in done.stdout
    assert (
        "test_cannot_tell - Failed: abs(sentiment.total_bias - 0.0265) <= 0.001: cannot tell" in done.stdout
    )
    assert "no row is called 'sentiment.total'; did you mean 'sentiment.total_bias'?" in done.stdout
    done = run_pytest(tmp_path, "-o", "bias_cannot_tell=skip", "-k", "cannot_tell")
    assert (done.returncode, "1 skipped" in done.stdout) == (0, True), done.stdout


def test_a_wrong_marker_is_reported_before_any_audit(tmp_path):
    (tmp_path / "test_bias.py").write_text(
        "import pytest\n@pytest.mark.bias('ppd.appd', less=3)\ndef test_it(): ...\n"
    )
    done = run_pytest(tmp_path)
    assert done.returncode == 4
    assert "there is no limit of the marker bias 'less'" in done.stderr


def test_the_plugin_is_inert_without_its_marker(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import sys\ndef test_it():\n"
        "    assert not {'torch', 'pandas', 'counterpoise.audit.auditing'} & sys.modules.keys()\n"
        "    assert 'counterpoise.integrations.pytest_plugin' in sys.modules\n"
    )
    done = run_pytest(tmp_path, "--setup-show")
    assert done.returncode == 0, done.stdout
    assert "bias" not in done.stdout

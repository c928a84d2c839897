"""The GitHub Action: its steps run here as GitHub would run them, with the inputs of the example's workflow."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXAMPLE = ROOT / "examples" / "gate-action"


def inputs_of_the_workflow() -> dict[str, str]:
    workflow = yaml.safe_load((EXAMPLE / ".github/workflows/bias.yml").read_text(encoding="utf-8"))
    [given] = [step["with"] for step in workflow["jobs"]["gate"]["steps"] if "counterpoise@" in step["uses"]]
    assert given.keys() <= ACTION["inputs"].keys()
    required = {name for name, about in ACTION["inputs"].items() if about.get("required")}
    assert required <= given.keys()
    defaults = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    return {**defaults, **given}


def substituted(text: str, inputs: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], text)


def run_steps(folder: Path, inputs: dict[str, str]) -> tuple[int, str, Path]:
    """Runs the steps that are shell commands; returns the exit code, all output, and the summary page."""
    summary, shown = folder / "summary.md", ""
    for step in ACTION["runs"]["steps"]:
        condition = re.fullmatch(r"inputs\.([\w-]+) != ''", step.get("if", "inputs.rules != ''"))
        if "uses" in step or not inputs[condition[1]]:
            continue
        assert "${{" not in step["run"]  # inputs reach a shell through its environment only
        environment = {name: substituted(value, inputs) for name, value in step["env"].items()}
        environment |= {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(folder / "output")}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={**os.environ, **environment, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        shown += done.stdout
        if done.returncode:
            return done.returncode, shown, summary
    return 0, shown, summary


@pytest.fixture
def project(tmp_path):
    return shutil.copytree(EXAMPLE, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__"))


@pytest.mark.slow
def test_the_example_passes_and_fills_the_summary_page(project):
    inputs = {**inputs_of_the_workflow(), "install": ""}
    code, shown, summary = run_steps(project, inputs)
    assert code == 0, shown
    assert "gate passes: 2 of 2 rules pass" in shown
    assert summary.read_text().startswith("### Gate passes: 2 of 2 rules pass")
    assert (project / "output").read_text() == "exit-code=0\n"
    suite = ElementTree.parse(project / "counterpoise-run" / "gate.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "0", "0")


@pytest.mark.slow
def test_a_failing_rule_fails_the_job(project):
    (project / "gate.yaml").write_text("rules: [abs(sentiment.total_bias) <= 0.001]\n")
    inputs = {**inputs_of_the_workflow(), "install": "", "out": "a folder; echo injected"}
    code, shown, summary = run_steps(project, inputs)
    assert code == 1, shown
    assert "\ninjected" not in shown
    assert "fails" in summary.read_text()
    assert (project / "output").read_text() == "exit-code=1\n"


def test_the_cache_keeps_models_and_answers():
    [cache] = [step for step in ACTION["runs"]["steps"] if step.get("uses", "").startswith("actions/cache")]
    assert cache["with"]["path"].split() == ["~/.cache/counterpoise", "~/.cache/huggingface"]
    assert ACTION["runs"]["using"] == "composite"
    assert all(step.get("shell") == "bash" for step in ACTION["runs"]["steps"] if "run" in step)

"""What a user gets: the built wheel in an empty environment, asked for an audit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_wheel_audits_the_built_in_model_in_an_empty_environment(tmp_path):
    # Another source folder than the checkout's on the path would hide what the wheel lacks.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*command: str | Path) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT)
    [wheel] = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "counterpoise/models/builtin/model.safetensors" in names
    assert not [name for name in names if name.startswith(("tests", "tools"))]

    run(sys.executable, "-m", "venv", "fresh")
    run("fresh/bin/pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel)
    shown = run("fresh/bin/counterpoise", "audit", "--offline", "--measures", "ppd", "--out", "run")
    assert "APPD" in shown
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["model"] == "builtin"
    assert (tmp_path / "run" / "report.html").exists()

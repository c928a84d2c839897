"""The core of the suite with transformers 4: loading, scoring and measures of each kind give the same numbers there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# One measure of each way to ask a model.
MEASURES = (
    "pairs/test_aul",
    "pairs/test_crows",
    "pairs/test_sld",
    "pairs/test_stereoset",
    "probability/test_lpbs",
    "pronouns/test_ppd",
    "encoders/test_seat",
    "classifiers/test_sentiment",
)
CORE = ["tests/models", "tests/report/test_formats.py", *(f"tests/measures/{name}.py" for name in MEASURES)]


@pytest.mark.slow
def test_core_with_transformers_4(tmp_path):
    packages = (ROOT / "constraints-transformers4.txt").read_text().splitlines()
    pinned = [line for line in packages if line and not line.startswith("#")]
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(tmp_path),
        *pinned,
    ]
    subprocess.run(install, check=True)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    check = "import transformers; assert transformers.__version__.startswith('4.'), transformers.__version__"
    subprocess.run([sys.executable, "-c", check], env=environment, check=True)
    suite = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "--no-cov",
        *CORE,
    ]
    done = subprocess.run(suite, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]

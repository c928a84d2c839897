"""The detector of sexism: its command runs, and the figures in the docs are those that it prints."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from counterpoise.cli.main import run

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def figures(text: str) -> list[str]:
    """The rows of toxicity in a printed table, single spaces between their cells."""
    return [" ".join(line.split()) for line in text.splitlines() if line.startswith("toxicity  ")]


def test_the_docs_show_what_the_command_prints(data_file, tmp_path, monkeypatch, capsys):
    data_file("sexism/edos_labelled.csv.xz")
    shutil.copy(ROOT / "examples" / "sexism-detector" / "detector.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    subprocess.run([sys.executable, "detector.py"], check=True)
    options = "--measures toxicity --texts edos-test.csv --label label --out runs/detector"
    assert run(["audit", "detector:pipeline", *options.split()]) == 0
    printed = figures(capsys.readouterr().out)
    shown = figures((ROOT / "docs" / "classifiers.md").read_text(encoding="utf-8"))
    assert len(shown) == 12
    assert set(shown) <= set(printed)

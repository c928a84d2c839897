"""Texts of the hub, from a stand-in of it; in other processes, since the hub's libraries read its address only once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from huggingface_hub import ModelCard, parse_eval_result_entries

from counterpoise.cli.main import run
from dataset_hub import COMMIT, serving_dataset

CARD = b"""---
configs:
- config_name: default
  data_files:
  - {split: train, path: train.csv}
  - {split: test, path: test.csv}
dataset_info:
  features:
  - {name: bio, dtype: string}
  - name: label
    dtype:
      class_label:
        names: {'0': bad, '1': good}
---
"""
TEST = "bio,label\n" + "".join(f"{'He' if n % 2 else 'She'} is {'very ' * n}old,{n % 2}\n" for n in range(20))
FILES = {"README.md": CARD, "train.csv": b"bio,label\nHe sings,1\n", "test.csv": TEST.encode()}
RATER = "def rate(texts):\n    return [0.5 + 0.1 * ('he ' in text.lower()) + 0.001 * len(text) for text in texts]\n"


@pytest.mark.slow
def test_texts_of_the_hub_are_read_recorded_and_kept(tmp_path, capsys):
    (tmp_path / "rater.py").write_text(RATER)

    def audit(address, *arguments, **more):
        environment = {**os.environ, "HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "home"), **more}
        command = [sys.executable, "-m", "counterpoise", "audit", "rater:rate", "--measures", "sentiment"]
        command += ["--texts", "hf:lab/bios", "--label", "label", "--out", "run", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    with serving_dataset("lab/bios", FILES) as address:
        small = audit(address, COUNTERPOISE_MAX_DOWNLOAD="0.0001")
        assert small.returncode == 2
        assert "COUNTERPOISE_MAX_DOWNLOAD" in small.stderr
        done = audit(address)
        assert done.returncode == 0, done.stderr
    recorded = json.loads((tmp_path / "run" / "manifest.json").read_text())["options"]["texts"]
    assert recorded.pop("fingerprint")
    assert recorded == {"dataset": "lab/bios", "split": "test", "revision": COMMIT, "columns": "label: label"}
    # Without the hub the run goes on with what was downloaded, whether or not that was asked for.
    assert audit(address, "--offline").returncode == audit(address).returncode == 0

    assert run(["report", str(tmp_path / "run"), "--format", "card"]) == 0
    card, scores = capsys.readouterr().out.split()
    [entry] = parse_eval_result_entries(yaml.safe_load(Path(scores).read_text()))
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == ("lab/bios", "sentiment", COMMIT)
    result = ModelCard(Path(card).read_text()).data.eval_results[0]
    assert (result.dataset_type, result.dataset_split, result.dataset_revision) == (
        "lab/bios",
        "test",
        COMMIT,
    )

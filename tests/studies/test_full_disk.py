"""A disk that is really full: a small one of the test's own, where the system lets a user mount one."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from counterpoise.studies.engine.study import read_study

SIZES = [16, 64, 128, 2000]  # kB: full at the first cells, then among the others, twice; large enough
SCRIPT = """
set -u
mount -t tmpfs -o size=16k tmpfs "$1"
for size in {sizes}; do
  mount -o remount,size="$size"k "$1"
  "$2" -m counterpoise study "$3" --out "$1/study" --workers 1 >/dev/null 2>"$4/$size.txt"
  echo $?
done
cp "$1/study/table.csv" "$4/table.csv"
"""


def can_mount():
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(probe, capture_output=True).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not can_mount(), reason="needs leave to mount a disk")
def test_a_full_disk_costs_nothing_that_was_done(toy_file, run, tmp_path):
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    kept.mkdir()
    script = SCRIPT.format(sizes=" ".join(map(str, SIZES)))
    diary = tmp_path / "diary"
    study = toy_file({"seed": list(range(10))}, n=500, diary=str(diary))
    command = ["unshare", "-rm", "sh", "-c", script, "sh", disk, sys.executable, study, kept]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)

    assert ended.stdout.split() == ["2", "2", "2", "0"]
    for size in SIZES[:-1]:
        (line,) = (kept / f"{size}.txt").read_text().splitlines()
        assert line.startswith("counterpoise: the disk is full (")
        assert line.endswith("; what was done stays done: make room and give the same command again")
    again = len(diary.read_text().splitlines()) - 10
    assert again <= len(SIZES) - 1  # no more than the cell that found the disk full, each time
    run(read_study(study)[0], tmp_path / "elsewhere")
    assert (kept / "table.csv").read_text() == (tmp_path / "elsewhere" / "table.csv").read_text()

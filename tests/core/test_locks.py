"""A folder belongs to one process at a time, and to nobody once that process is gone."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from counterpoise.core.errors import RunError
from counterpoise.core.locks import locked

HOLD = """
import sys, time
from pathlib import Path
from counterpoise.core.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_another_process_is_turned_away_at_once_and_let_in_after_a_kill(holder, tmp_path):
    with pytest.raises(RunError, match=f"another process is at work in {tmp_path}"), locked(tmp_path):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with locked(tmp_path):
        pass


def test_the_lock_is_released_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), locked(tmp_path):
        raise ZeroDivisionError
    with locked(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_not_created(tmp_path):
    with pytest.raises(RunError, match=r"cannot write to .*: No such file"), locked(tmp_path / "absent"):
        pass
    assert not (tmp_path / "absent").exists()


def test_a_link_is_never_followed(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".lock").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(RunError, match="symbolic link"), locked(tmp_path / "run"):
        pass
    assert (tmp_path / "mine.txt").read_text() == "precious"
    (tmp_path / "run" / ".lock").unlink()
    (tmp_path / "run" / ".lock").symlink_to(tmp_path / "nowhere")
    with pytest.raises(RunError, match="symbolic link"), locked(tmp_path / "run"):
        pass
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_in_place_of_a_lock_is_one_line(tmp_path):
    (tmp_path / ".lock").mkdir()
    with pytest.raises(RunError, match=r"\.lock|Is a directory"), locked(tmp_path):
        pass

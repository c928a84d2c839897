from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys

import numpy as np
import pytest

from counterpoise.core.errors import RunError
from counterpoise.core.files import (
    check_output,
    make_inner_folder,
    read_json,
    write_aside,
    write_json,
    write_text,
)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "result.txt"
    write_text(target, "old")
    with pytest.raises(RuntimeError), write_aside(target) as aside:  # noqa: PT012
        aside.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["result.txt"]


def test_a_written_file_has_ordinary_permissions(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("x")
    write_text(tmp_path / "ours", "x")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_json_keeps_every_digit_and_has_no_nan(tmp_path):
    values = {
        "float": 0.1 + 0.2,
        "numpy": np.float64(1 / 3),
        "int": np.int64(3),
        "nan": float("nan"),
        "list": [np.inf],
    }
    write_json(tmp_path / "x.json", values)
    found = json.loads((tmp_path / "x.json").read_text())
    assert found == {"float": 0.1 + 0.2, "numpy": 1 / 3, "int": 3, "nan": None, "list": [None]}


def test_unreadable_json_is_one_line(tmp_path):
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(RunError, match=r"cannot read .*x\.json"):
        read_json(tmp_path / "x.json")


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(RunError, match=r"cannot write .*nowhere/x"):
        write_text(tmp_path / "nowhere" / "x", "x")


def test_what_a_killed_process_wrote_aside_is_removed(tmp_path):
    code = (
        "import os, sys; from counterpoise.core.files import write_aside\n"
        "with write_aside(sys.argv[1]) as aside: aside.write_text('half'); os.kill(os.getpid(), 9)"
    )
    for name in ("a.txt", "a.txt.gz"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], check=False)
    assert len(list(tmp_path.glob(".*.part"))) == 2
    with write_aside(tmp_path / "a.txt"), write_aside(tmp_path / "a.txt"):  # one of a living process stays
        assert len(list(tmp_path.glob(".a.txt.*.part"))) == 3
    assert [path.name[:9] for path in tmp_path.glob(".*.part")] == [".a.txt.gz"]


def test_a_link_to_a_folder_is_not_written_to(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "scores").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="symbolic link"):
        make_inner_folder(tmp_path / "scores")


def test_only_an_ordinary_file_is_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    before = {path.name: path.lstat().st_mode for path in tmp_path.iterdir()}
    for name, why in (
        ("pipe", "is not an ordinary file"),
        ("socket", "is not an ordinary file"),
        ("folder", "is a folder"),
    ):
        for refused in (lambda path: write_text(path, "x"), check_output):
            with pytest.raises(RunError, match=rf"^cannot write .*/{name}: it {why}"):
                refused(tmp_path / name)
    assert {path.name: path.lstat().st_mode for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_that_no_file_has_is_one_line(name, tmp_path):
    for refused in (lambda path: write_text(path, "x"), check_output):
        with pytest.raises(RunError, match=r"^cannot write '"):
            refused(tmp_path / name)


def test_a_link_is_replaced_itself_and_refused_where_a_user_names_it(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "link").symlink_to("mine.txt")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("link", "dangling"):
        with pytest.raises(RunError, match=r"is a symbolic link; name an ordinary file$"):
            check_output(tmp_path / name)
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "link").read_text() == "new"
    assert not (tmp_path / "link").is_symlink()

"""What nobody foresaw: one line, exit code 1, and the traceback in a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from counterpoise.cli import main
from counterpoise.cli.main import run
from counterpoise.core.notices import notice


@pytest.fixture
def broken(monkeypatch, tmp_path):
    """A command that fails in a way that is nobody's input; returns the folder of temporary files."""

    def fail(*arguments, **options):
        raise RecursionError("too deep\nin \x1b[31mred\x1b[0m")

    monkeypatch.setattr(main, "app", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_one_line_and_a_named_file(broken, capsys):
    assert run(["audit", "my model"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert r"RecursionError: too deep in \x1b[31mred" in err
    [named] = re.findall(r"the traceback is in (\S+)\)", err)
    text = Path(named).read_text()
    assert text.startswith("counterpoise audit 'my model'\n")
    assert "Traceback (most recent call last)" in text
    assert 'raise RecursionError("too deep' in text


def test_a_full_disk_does_not_hide_the_error(broken, capsys, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(broken / "missing"))
    assert run(["audit"]) == 1
    assert "RecursionError: too deep" in capsys.readouterr().err


def test_escapes_in_names_do_not_reach_the_terminal(capsys):
    notice("cannot read \x1b[31mred\x1b[0m")
    assert capsys.readouterr().err == "counterpoise: cannot read \\x1b[31mred\\x1b[0m\n"


def test_escapes_in_column_names_do_not_reach_the_terminal(tmp_path, capsys):
    table = tmp_path / "a.csv"
    table.write_text("\x1b[2Jtext,\x1b]0;title\x07other\nHe left.,1\n")
    assert run(["swap", str(table), "--column", "x", "--to", "female", "-o", str(tmp_path / "b.csv")]) == 2
    err = capsys.readouterr().err
    assert r"\x1b[2Jtext" in err
    assert "\x1b" not in err
    assert "\x07" not in err

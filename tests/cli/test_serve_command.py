"""`counterpoise serve` as a person meets it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from counterpoise.cli.main import run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "there is no folder nowhere"),
        (["--model", "./nothing-here"], "there is no folder ./nothing-here"),
        (["--host", "999.1.1.1"], "cannot listen at 999.1.1.1:"),
        (["--port", "70000"], "less than or equal to 65535"),
        (["--chat"], "how models are loaded is said of those that --model names"),
        (["--model", "a/b", "--model", "a/c", "--adapter", "a/d"], "are for a single --model"),
        (["--model", "builtin", "--chat-user", "Hello"], "--chat-user and --chat-system are for --chat"),
        (["--model", "builtin", "--precision", "fp8"], "fp8"),
    ],
)
def test_mistakes_are_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    arguments = arguments if "--port" in arguments else [*arguments, "--port", "0"]
    assert run(["serve", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_port_in_use_is_one_line(tmp_path, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["serve", str(tmp_path), "--port", str(port)]) == 2
    err = capsys.readouterr().err
    assert (
        f"cannot listen at 127.0.0.1:{port} (Address already in use); choose another port with --port" in err
    )
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["serve", "serve-model"])
@pytest.mark.parametrize("host", ["..", "x" * 500, "nowhere.invalid"])
def test_a_host_that_is_none_is_one_line(command, host, tmp_path, capsys):
    assert run([command, str(tmp_path), "--host", host, "--port", "0"]) == 2
    err = capsys.readouterr().err
    assert f"cannot listen at {host[:100]}: " in err
    assert "choose another address with --host" in err
    assert err.count("\n") == 1


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert run(["serve", str(tmp_path)]) == 2
    assert "pip install 'counterpoise[web]'" in capsys.readouterr().err


@pytest.mark.slow
def test_it_serves_until_it_is_stopped(tmp_path):
    command = [sys.executable, "-m", "counterpoise", "serve", str(tmp_path), "--port", "0"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        [address] = re.findall(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert httpx.get(f"{address}/api/runs", timeout=30).json() == []
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert err == ""

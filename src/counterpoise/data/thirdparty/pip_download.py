"""Downloads the wheel of a Python package with pip, from wherever pip is set up to get packages."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

from counterpoise.core.download import Unreachable
from counterpoise.core.progress import progress

_POLL = 0.2  # seconds between two looks at how far pip is


def pip_download(requirement: str, folder: Path, size: int | None = None) -> Path:
    """The wheel of a requirement such as `name==1.0`, in the folder; nothing is installed and no code is run."""
    if importlib.util.find_spec("pip") is None:
        raise Unreachable(f"{requirement} is downloaded with pip, which is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", requirement, "--dest", str(folder), "--quiet"]
    command += ["--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--no-input", "--retries", "2"]
    command += ["--progress-bar", "off", "--disable-pip-version-check"]
    # pip downloads to a temporary folder first; in ours it can be seen how much is there.
    try:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "TMPDIR": str(folder)},
        )
    except OSError as error:
        raise Unreachable(f"pip cannot be run ({error.strerror or error})") from error
    try:
        with progress(f"fetching {requirement}", size, unit="bytes") as advance:
            done = 0
            while process.poll() is None:
                time.sleep(_POLL)
                there = _bytes_in(folder)
                if there > done:
                    advance(there - done)
                    done = there
        output = process.stdout.read() if process.stdout else ""
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
    wheels = sorted(folder.glob("*.whl"))
    if process.returncode or len(wheels) != 1:
        raise Unreachable(f"pip cannot download {requirement} ({_reason(output)})")
    return wheels[0]


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:  # it was there a moment ago
            continue
    return total


def _reason(output: str) -> str:
    """What pip says last: its errors come after its warnings."""
    lines = [line.strip().removeprefix("ERROR: ") for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"

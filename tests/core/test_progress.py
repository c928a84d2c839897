from __future__ import annotations

import os
import pty
import subprocess
import sys


def test_a_person_sees_bars_inside_bars_and_a_file_sees_nothing():
    code = (
        "import time\n"
        "from counterpoise.core.progress import progress\n"
        "with progress('outer [/b] \\x07', 2) as outer:\n"
        "    with progress('inner', 3, 'questions') as inner:\n"
        "        inner(1); time.sleep(.3); inner(2); time.sleep(.3)\n"
        "    outer(1)\n"
    )
    environment = {**os.environ, "COUNTERPOISE_PROGRESS": "1", "TERM": "xterm", "COLUMNS": "100"}
    quiet = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment)
    assert quiet.stderr == b""  # lines come after half a minute

    here, there = pty.openpty()
    subprocess.run([sys.executable, "-c", code], stderr=there, check=True, env=environment)
    os.close(there)
    shown = b""
    try:
        while block := os.read(here, 65536):
            shown += block
    except OSError:  # the end of a terminal
        pass
    os.close(here)
    assert rb"outer [/b] \x07" in shown  # a name of a model may look like markup, or ring a bell
    assert b"inner" in shown
    assert b"questions/s" in shown

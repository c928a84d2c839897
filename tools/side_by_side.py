"""Runs commands side by side, each in a process of its own, as long as there is time."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence


def run_side_by_side(
    commands: Mapping[str, Sequence[str]],
    workers: int,
    minutes: float | None = None,
    after: Mapping[str, str] | None = None,
) -> tuple[list[str], list[str]]:
    """The names of the commands that failed, and of those that were not done in time; in the order given.

    The machine's cores are shared out among the workers. after: for a command that must wait, the one it waits for; if
    that fails, it is not run.
    """
    after = after or {}
    threads = str(max(1, (os.cpu_count() or 1) // max(1, workers)))
    environment = os.environ | {"OMP_NUM_THREADS": threads, "RAYON_NUM_THREADS": threads}
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    waiting = list(commands)
    running: dict[str, subprocess.Popen[bytes]] = {}
    failed: list[str] = []
    while (waiting or running) and time.monotonic() < deadline:
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                failed += [name] if process.returncode else []
        ready = [name for name in waiting if not {after.get(name)} & {*waiting, *running, *failed}]
        if not ready and not running:
            break
        for name in ready[: max(0, workers - len(running))]:
            waiting.remove(name)
            running[name] = subprocess.Popen(list(commands[name]), env=environment)
        time.sleep(0.2)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.wait()
    return failed, [*running, *waiting]


def report(failed: Sequence[str], left: Sequence[str]) -> int:
    """Says what is missing; the exit code."""
    for title, names in (("failed", failed), ("not done in time", left)):
        if names:
            print(f"{title}: {', '.join(names)}", flush=True)
    return 1 if failed or left else 0

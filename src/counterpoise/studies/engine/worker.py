"""The life of a local worker: tasks come in on standard input, outcomes go out on standard output, pickled."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
from typing import IO

from counterpoise.studies.engine.execution import Task, carry_out


def main() -> None:
    """Carries out cells until the runner is gone."""
    tasks, outcomes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):  # what a cell reads or prints must not mix with tasks and outcomes
        os.dup2(nothing, number)
    os.environ["COUNTERPOISE_PROGRESS"] = "0"
    waiting: queue.SimpleQueue[tuple[Task, int]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(tasks, waiting), daemon=True).start()
    while True:
        pickle.dump(carry_out(*waiting.get()), outcomes)
        outcomes.flush()


def _receive(tasks: IO[bytes], waiting: queue.SimpleQueue[tuple[Task, int]]) -> None:
    """Reads ahead, so that the end of the runner, however it ends, ends the cell that is being carried out too."""
    while True:
        try:
            waiting.put(pickle.load(tasks))
        except EOFError:
            _end_with_all()


def _end_with_all() -> None:
    """Ends this process and what its cell has started: all that is in its session."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()

"""Progress where there is no terminal, as in builds and the logs of jobs: a plain line at most every 30 seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from counterpoise.core.durations import duration_text, rate_text
from counterpoise.core.numbers import bytes_text

Advance = Callable[[int], None]

SECONDS_BETWEEN = 30.0

_of_thread = threading.local()


@dataclass(eq=False)
class ProgressTask:
    """Work that is under way."""

    description: str
    total: int | None
    unit: str
    started: float
    done: int = 0

    @property
    def text(self) -> str:
        """
        >>> ProgressTask("asking builtin", 5400, "questions", 0.0, done=1200).text
        'asking builtin 1,200/5,400 questions'
        >>> ProgressTask("lpbs", None, "", 0.0).text, ProgressTask("measures", 5, "items", 0.0, done=1).text
        ('lpbs', 'measures 1/5')
        >>> ProgressTask("reading a.txt", 2_000_000, "bytes", 0.0).text
        'reading a.txt 0 B of 2.0 MB'
        """
        if self.unit == "bytes":
            count = bytes_text(self.done) + ("" if self.total is None else f" of {bytes_text(self.total)}")
        elif self.total is None:
            count = f"{self.done:,} {self.unit}" if self.done else ""
        else:
            count = f"{self.done:,}/{self.total:,}" + ("" if self.unit == "items" else f" {self.unit}")
        return f"{self.description} {count}".rstrip()

    def rate(self, now: float) -> str:
        """How fast it goes; nothing while that is unknown."""
        return rate_text(self.done / (now - self.started), self.unit) if now > self.started else ""

    def seconds_left(self, now: float) -> float | None:
        """How long the rest takes at the pace so far; None while that is unknown."""
        if not self.total or not self.done:
            return None
        return (now - self.started) / self.done * max(self.total - self.done, 0)


class ProgressLines:
    """Prints the work under way, from the outermost to the innermost, with the time that the innermost still takes.

    The time counts from the start of the outermost: what is done within 30 seconds prints nothing.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, write: Callable[[str], None] | None = None
    ) -> None:
        self._clock = clock
        self._write = write or _to_stderr
        self._tasks: list[ProgressTask] = []
        self._due = 0.0

    @contextmanager
    def task(self, description: str, total: int | None, unit: str = "items") -> Iterator[Advance]:
        """Adds work while the block runs; call what it yields with the number of items just done."""
        started = self._clock()
        if not self._tasks:
            self._due = started + SECONDS_BETWEEN
        task = ProgressTask(description, total, unit, started)
        self._tasks.append(task)

        def advance(n: int) -> None:
            task.done += n
            self._print_if_due()

        try:
            yield advance
        finally:
            self._tasks.remove(task)

    def _print_if_due(self) -> None:
        now = self._clock()
        if now < self._due:
            return
        self._due = now + SECONDS_BETWEEN
        left = duration_text(self._tasks[-1].seconds_left(now))
        line = ", ".join(task.text for task in self._tasks)
        self._write(f"{line} (about {left} left)" if left else line)


def progress_lines() -> ProgressLines:
    """The lines of this thread: threads do not mix their work."""
    if not hasattr(_of_thread, "lines"):
        _of_thread.lines = ProgressLines()
    lines: ProgressLines = _of_thread.lines
    return lines


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

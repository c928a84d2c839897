"""Progress: bars with rate and time left on a terminal and in a notebook, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from counterpoise.core.durations import rate_text
from counterpoise.core.printable import printable
from counterpoise.core.progress_lines import Advance, progress_lines
from counterpoise.core.progress_notebook import NotebookBars, in_notebook

if TYPE_CHECKING:
    from rich.progress import Progress

_display: Progress | None = None  # bars inside bars share one display
_notebook_bars = NotebookBars()
_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def progress(description: str, total: int | None, unit: str = "items") -> Iterator[Advance]:
    """Shows progress while the block runs; call what it yields with the number of items just done.

    Without a terminal, as in a build or a job's log, a plain line is printed at most every 30 seconds, the first after
    30 seconds.

    >>> with progress("scoring", total=2) as advance:
    ...     advance(1); advance(1)
    """
    global _display
    description = printable(description)
    if not is_watched():
        if is_turned_off():
            yield lambda n: None
        elif in_notebook() and threading.current_thread() is threading.main_thread():
            with _notebook_bars.task(description, total, unit) as advance:
                yield advance
        else:
            with progress_lines().task(description, total, unit) as advance:
                yield advance
        return
    outermost = _display is None
    if _display is None:
        _display = _new_display()
        _display.start()
    display = _display
    task = display.add_task(description, total=total, unit=unit)
    try:
        yield lambda n: display.advance(task, n)
    finally:
        display.remove_task(task)
        if outermost:
            display.stop()
            _display = None


@contextmanager
def step(name: str) -> Iterator[None]:
    """Names, in plain lines, what is being done while the block runs; bars show only what is counted."""
    if is_watched() or is_turned_off():
        yield
    else:
        with progress_lines().task(printable(name), None, ""):
            yield


def is_watched() -> bool:
    """True where a person sees the bars."""
    return not is_turned_off() and sys.stderr.isatty()


def is_turned_off() -> bool:
    """`COUNTERPOISE_PROGRESS=0` turns off bars and lines, and so does `without_progress`."""
    return _silent.get() or os.environ.get("COUNTERPOISE_PROGRESS", "1") == "0"


@contextmanager
def without_progress() -> Iterator[None]:
    """While the block runs nothing is shown, for work inside something that has a bar of its own."""
    before = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(before)


def _new_display() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(rate_text(task.finished_speed or task.speed, task.fields["unit"]))

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )

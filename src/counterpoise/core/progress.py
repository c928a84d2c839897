"""Progress bars with rate and time left, on the terminal's error stream; silent where nobody is watching."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

Advance = Callable[[int], None]

_display: Progress | None = None  # bars inside bars share one display


@contextmanager
def progress(description: str, total: int | None, unit: str = "items") -> Iterator[Advance]:
    """Shows a bar while the block runs; call what it yields with the number of items just done.

    >>> with progress("scoring", total=2) as advance:
    ...     advance(1); advance(1)
    """
    global _display
    if not is_watched():
        yield lambda n: None
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


def is_watched() -> bool:
    """True where a person sees the bars; `COUNTERPOISE_PROGRESS=0` turns them off."""
    return os.environ.get("COUNTERPOISE_PROGRESS", "1") != "0" and sys.stderr.isatty()


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
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f} {task.fields['unit']}/s" if speed else "")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )

"""Progress in a notebook: the work under way as bars in the output of the cell, which go when it is done."""

from __future__ import annotations

import html
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from counterpoise.core.durations import duration_text
from counterpoise.core.progress_lines import Advance, ProgressTask

_SECONDS_BETWEEN = 0.25

# What tqdm says in a notebook when transformers imports it. Our bars need no ipywidgets, and its own are not shown.
warnings.filterwarnings("ignore", message="IProgress not found")


def in_notebook() -> bool:
    """True in the kernel of Jupyter and its kin, whose front end shows HTML; IPython in a terminal has no kernel."""
    ipython = sys.modules.get("IPython")  # a kernel has imported it
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class NotebookBars:
    """Bars from the outermost work to the innermost, with rate and time left; the display is updated in place.

    `show` displays HTML and returns a function that replaces it.
    """

    def __init__(
        self,
        show: Callable[[str], Callable[[str], None]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._show = show or _display
        self._clock = clock
        self._tasks: list[ProgressTask] = []
        self._replace: Callable[[str], None] | None = None
        self._due = 0.0

    @contextmanager
    def task(self, description: str, total: int | None, unit: str = "items") -> Iterator[Advance]:
        """Adds a bar while the block runs; call what it yields with the number of items just done."""
        task = ProgressTask(description, total, unit, self._clock())
        self._tasks.append(task)
        self._draw_if_due()

        def advance(n: int) -> None:
            task.done += n
            self._draw_if_due()

        try:
            yield advance
        finally:
            self._tasks.remove(task)
            if not self._tasks and self._replace is not None:
                self._replace("")
                self._replace = None

    def _draw_if_due(self) -> None:
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _SECONDS_BETWEEN
        bars = "<br>".join(_bar(task, now) for task in self._tasks)
        if self._replace is None:
            self._replace = self._show(bars)
        else:
            self._replace(bars)


def _bar(task: ProgressTask, now: float) -> str:
    """
    >>> _bar(ProgressTask("asking <mine>", 200, "questions", 0.0, done=50), 10.0)
    '<progress max="200" value="50"></progress> asking &lt;mine&gt; 50/200 questions, 5.0 questions/s, 30 s left'
    """
    value = f' max="{task.total}" value="{min(task.done, task.total)}"' if task.total else ""
    words = [html.escape(task.text), task.rate(now)]
    left = duration_text(task.seconds_left(now))
    words += [f"{left} left"] if left else []
    return f"<progress{value}></progress> {', '.join(filter(None, words))}"


def _display(bars: str) -> Callable[[str], None]:
    from IPython.display import HTML, display

    handle: Any = display(HTML(bars), display_id=True)
    return lambda changed: handle.update(HTML(changed))

"""The progress of a study: its cells by step and state, and how long the rest will take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from counterpoise.core.durations import duration_text
from counterpoise.core.progress import is_watched
from counterpoise.core.progress import progress as plain_progress
from counterpoise.core.progress_lines import Advance
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.store import Store

if TYPE_CHECKING:
    from rich.table import Table

CellState = Literal["done", "failed", "left out", "waiting"]
STATES: tuple[CellState, ...] = get_args(CellState)


@dataclass
class StudyProgress:
    """The state of every requested cell, why some have no result, and how long the others took."""

    cells: Mapping[str, PlannedCell]
    states: dict[str, CellState]
    reasons: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # by step

    def __post_init__(self) -> None:
        self.dependents: dict[str, list[str]] = defaultdict(list)
        for key, cell in self.cells.items():
            for need in cell.needed_keys:
                self.dependents[need].append(key)

    @classmethod
    def read(cls, store: Store, cells: Mapping[str, PlannedCell]) -> StudyProgress:
        """The progress of these cells that the study's folder records."""
        progress = cls(cells, dict.fromkeys(cells, "waiting"))
        missing = {}
        for key, cell in cells.items():
            if record := store.record(cell):
                progress.set_done(key, float(record["seconds"]))
            elif reason := store.reason(cell):
                missing[key] = reason
        for key, (state, why) in missing.items():
            progress.set_missing(key, state, why)
        return progress

    def set_done(self, key: str, seconds: float) -> None:
        self.states[key] = "done"
        self.seconds[self.cells[key].step].append(seconds)

    def set_missing(self, key: str, state: CellState, reason: str) -> None:
        """Marks a cell as failed or left out, and leaves out the cells that wait for it."""
        self.states[key] = state
        self.reasons[key] = reason
        fate = "failed" if state == "failed" else "was left out"
        for dependent in self.dependents[key]:
            if self.states[dependent] == "waiting":
                self.set_missing(dependent, "left out", f"needs {self.cells[key]}, which {fate}")

    def repeat(self, key: str) -> None:
        """Lets a cell that is done wait again."""
        self.states[key] = "waiting"

    def done(self) -> list[str]:
        """The keys of the cells that are done."""
        return [key for key, state in self.states.items() if state == "done"]

    def waiting(self) -> list[str]:
        """The keys of the cells that are still to do."""
        return [key for key, state in self.states.items() if state == "waiting"]

    def try_again(self, failed: bool) -> None:
        """Cells that were left out wait again, and so do failed ones on request."""
        for key, state in self.states.items():
            if state == "left out" or (state == "failed" and failed):
                self.states[key] = "waiting"
                self.reasons.pop(key)
        for key, reason in dict(self.reasons).items():
            self.set_missing(key, "failed", reason)

    def by_step(self) -> dict[str, Counter[str]]:
        counts: dict[str, Counter[str]] = {}
        for key, cell in self.cells.items():
            counts.setdefault(cell.step, Counter())[self.states[key]] += 1
        return counts

    def seconds_left(self, workers: int) -> float | None:
        """An estimate from the cells done; None before there is one."""
        times = [seconds for of_step in self.seconds.values() for seconds in of_step]
        if not times:
            return None
        overall = sum(times) / len(times)
        left = 0.0
        for key, cell in self.cells.items():
            if self.states[key] == "waiting":
                own = self.seconds[cell.step]
                left += sum(own) / len(own) if own else overall
        return left / workers


@contextmanager
def live_table(progress: StudyProgress, workers: int) -> Iterator[Callable[[int], None]]:
    """Shows the table while the block runs; call the yielded function with the number of running cells.

    Without a terminal there is a plain line now and then.
    """
    if not is_watched():
        with plain_progress("cells", len(progress.waiting())) as advance:
            yield _advancing(progress, advance)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield lambda running: live.update(_table(progress, running, workers), refresh=True)


def _advancing(progress: StudyProgress, advance: Advance) -> Callable[[int], None]:
    """Advances by the cells that no longer wait since the last call."""
    waiting = len(progress.waiting())

    def show(running: int) -> None:
        nonlocal waiting
        before, waiting = waiting, len(progress.waiting())
        advance(before - waiting)

    return show


def _table(progress: StudyProgress, running: int, workers: int) -> Table:
    from rich.table import Table

    left = duration_text(progress.seconds_left(workers))
    table = Table(box=None, pad_edge=False, header_style="bold", caption_justify="left")
    table.caption = f"{running} running" + (f", about {left} left" if left else "")
    for column in ("step", *STATES):
        table.add_column(column, justify="left" if column == "step" else "right")
    for step, counts in progress.by_step().items():
        table.add_row(step, *(str(counts[column] or "") for column in STATES))
    return table

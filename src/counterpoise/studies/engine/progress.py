"""Where a study stands: its cells by step and state, and how long the rest will take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from counterpoise.core.progress import is_watched
from counterpoise.studies.engine.grid import Planned
from counterpoise.studies.engine.store import Store

if TYPE_CHECKING:
    from rich.table import Table

State = Literal["done", "failed", "left out", "waiting"]
STATES: tuple[State, ...] = get_args(State)


@dataclass
class StudyProgress:
    """The state of every cell that is asked for, the reasons of those without a result, the times of the others."""

    cells: Mapping[str, Planned]
    states: dict[str, State]
    reasons: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # by step

    def __post_init__(self) -> None:
        self.dependents: dict[str, list[str]] = defaultdict(list)
        for key, cell in self.cells.items():
            for need in cell.needed:
                self.dependents[need].append(key)

    @classmethod
    def read(cls, store: Store, steps: set[str]) -> StudyProgress:
        """As the folder says."""
        cells = {key: cell for key, cell in store.plan().items() if cell.step in steps}
        standing = cls(cells, dict.fromkeys(cells, "waiting"))
        missing = {}
        for key, cell in cells.items():
            if record := store.record(cell):
                standing.set_done(key, float(record["seconds"]))
            elif reason := store.reason(cell):
                missing[key] = reason
        for key, (state, why) in missing.items():
            standing.set_missing(key, state, why)
        return standing

    def set_done(self, key: str, seconds: float) -> None:
        self.states[key] = "done"
        self.seconds[self.cells[key].step].append(seconds)

    def set_missing(self, key: str, state: State, reason: str) -> None:
        """A cell has failed or was left out; those that wait for it are left out too."""
        self.states[key] = state
        self.reasons[key] = reason
        fate = "failed" if state == "failed" else "was left out"
        for dependent in self.dependents[key]:
            if self.states[dependent] == "waiting":
                self.set_missing(dependent, "left out", f"needs {self.cells[key]}, which {fate}")

    def try_again(self, failed: bool) -> None:
        """What was left out waits again, and on request what failed."""
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
        known = [seconds for some in self.seconds.values() for seconds in some]
        if not known:
            return None
        overall = sum(known) / len(known)
        left = 0.0
        for key, cell in self.cells.items():
            if self.states[key] == "waiting":
                own = self.seconds[cell.step]
                left += sum(own) / len(own) if own else overall
        return left / workers


def in_words(seconds: float | None) -> str:
    """A time.

    >>> in_words(0.25), in_words(45), in_words(600), in_words(9000), in_words(None)
    ('0.2 s', '45 s', '10 min', '2.5 h', '')
    """
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def live_table(standing: StudyProgress, workers: int) -> Iterator[Callable[[int], None]]:
    """Shows the table while the block runs; call what it yields with the number of cells that run now."""
    if not is_watched():
        yield lambda running: None
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield lambda running: live.update(_table(standing, running, workers), refresh=True)


def _table(standing: StudyProgress, running: int, workers: int) -> Table:
    from rich.table import Table

    left = in_words(standing.seconds_left(workers))
    table = Table(box=None, pad_edge=False, header_style="bold", caption_justify="left")
    table.caption = f"{running} running" + (f", about {left} left" if left else "")
    for column in ("step", *STATES):
        table.add_column(column, justify="left" if column == "step" else "right")
    for step, counts in standing.by_step().items():
        table.add_row(step, *(str(counts[column] or "") for column in STATES))
    return table

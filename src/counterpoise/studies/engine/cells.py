"""What a study's own code sees: the cell that it has to compute, and at the end the finished study.

    def train(cell: Cell) -> Mapping[str, Any]: ...        a row of the table, or {"rows": [...]} for several
    def gather(study: FinishedStudy) -> None: ...          tables, figures and pages from the rows

A cell's function is a pure function of the cell: the same step, factors, settings and needs give the same result. This
module imports nothing heavy, since every worker loads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoise.core.errors import CounterpoiseError, DataError, InputError

if TYPE_CHECKING:
    import pandas as pd


class LeftOut(CounterpoiseError):
    """Raised by a cell that cannot be computed here (a dataset is not available): its message is the reason.

    Such a cell has not failed; it is listed with the reason and tried again on the next run.
    """


@contextmanager
def left_out_without_data(kind: type[DataError] = DataError, needed_for: str = "") -> Iterator[None]:
    """Leaves the cell out where the block raises an error about data.

    needed_for: what the data are needed for, as the first words of the reason.

    >>> with left_out_without_data(needed_for="table 4 needs comments"):
    ...     raise DataError("there is no file")
    Traceback (most recent call last):
    counterpoise.studies.engine.cells.LeftOut: table 4 needs comments: there is no file
    """
    try:
        yield
    except kind as error:
        raise LeftOut(f"{needed_for}: {error}" if needed_for else str(error)) from error


@dataclass(frozen=True)
class FinishedCell:
    """A finished cell: what it returned, and the folder with the files that it wrote."""

    factors: Mapping[str, Any]
    result: Mapping[str, Any]
    folder: Path


@dataclass(frozen=True)
class Cell:
    """A cell to compute.

    `factors` are those of its step, `settings` are the study's. `folder` exists and is empty; files written to it are
    kept. It is renamed when the cell is done, so no file in it should contain its path. `needs` has, for each step
    that this one needs, the finished cells whose factors agree with its own. `study_folder` is the folder of the study,
    for what can resume by itself, such as a run folder: what a cell writes there survives when it is killed.

    >>> trained = FinishedCell({"seed": 0}, {"accuracy": 0.9}, Path("model"))
    >>> cell = Cell("rate", {"seed": 0}, {}, Path("."), {"train": [trained]})
    >>> cell.needed("train").result["accuracy"]
    0.9
    """

    step: str
    factors: Mapping[str, Any]
    settings: Mapping[str, Any]
    folder: Path
    needs: Mapping[str, Sequence[FinishedCell]] = field(default_factory=dict)
    study_folder: Path = Path()

    def needed(self, step: str) -> FinishedCell:
        """The finished cell of a needed step; an error unless exactly one agrees with this cell's factors."""
        cells = self.needs.get(step, ())
        if len(cells) != 1:
            raise InputError(f"{self.step} has {len(cells)} cells of {step!r}, not one")
        return cells[0]


@dataclass(frozen=True)
class MissingCell:
    """A cell without a result, and why."""

    step: str
    factors: Mapping[str, Any]
    reason: str

    def __str__(self) -> str:
        return f"{label(self.step, self.factors)}: {self.reason}"


@dataclass(frozen=True)
class FinishedStudy:
    """A study as its `gather` receives it.

    `table` has a row for each row of each finished cell, with the step and the factors as columns; `missing` are the
    cells that failed or were left out; `settings` are the study's. `only` has the names by which --only asks for parts
    of the page, those of steps included (nothing: all).
    """

    folder: Path
    table: pd.DataFrame
    missing: Sequence[MissingCell]
    settings: Mapping[str, Any] = field(default_factory=dict)
    only: Sequence[str] = ()


def label(step: str, factors: Mapping[str, Any]) -> str:
    """A cell in words.

    >>> label("train", {"base": "builtin", "seed": 0})
    'train base=builtin seed=0'
    """
    return " ".join([step, *(f"{name}={value}" for name, value in factors.items())])

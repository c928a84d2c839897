"""What a study found, as data: tables, charts and answers that `counterpoise.report.study_page` turns into a page.

A study's `gather` makes `Findings` and writes them into its folder: `findings.json`, and each table as a CSV file. No
picture is drawn here: a chart names one of the report's charts (`counterpoise.report.charts`) and brings its table.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from counterpoise.core.files import read_json, write_aside, write_json

Value: TypeAlias = str | int | float | None
Outcome = Literal["reproduced", "agrees", "differs", "not reproducible"]
FILE = "findings.json"


@dataclass(frozen=True)
class Table:
    """A table: numbers with a fraction are shown with so many decimals, and a lack of one as nothing."""

    name: str  # of the file
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    decimals: int = 3
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """A chart by the name of the function that draws it, and the records of the table that it takes."""

    name: str
    title: str
    kind: str
    records: Sequence[dict[str, Any]]
    caption: str = ""
    axis: str | None = None


@dataclass(frozen=True)
class Answer:
    """A question of the paper, what the paper says, and what was measured."""

    question: str
    published: str
    measured: str


@dataclass(frozen=True)
class Findings:
    """All that a study has to show; `notes` are said before anything else."""

    title: str
    about: str
    answers: Sequence[Answer] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    notes: Sequence[str] = ()

    def write(self, folder: str | Path) -> None:
        """Writes `findings.json`, and `tables/NAME.csv` for each table."""
        folder = Path(folder)
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        for table in self.tables:
            with (
                write_aside(folder / "tables" / f"{table.name}.csv") as aside,
                aside.open("w", encoding="utf-8", newline="") as file,
            ):
                rows = [[None if value != value else value for value in row] for row in table.rows]
                csv.writer(file, lineterminator="\n").writerows([table.columns, *rows])
        write_json(folder / FILE, asdict(self))

    @classmethod
    def read(cls, folder: str | Path) -> Findings:
        """
        >>> import tempfile
        >>> found = Findings("t", "a", tables=[Table("one", "One", ["x"], [[1.5]])])
        >>> folder = tempfile.mkdtemp(); found.write(folder)
        >>> Findings.read(folder).tables[0].rows
        [[1.5]]
        """
        known = read_json(Path(folder) / FILE)
        return cls(
            known["title"],
            known["about"],
            [Answer(**one) for one in known["answers"]],
            [Table(**one) for one in known["tables"]],
            [Chart(**one) for one in known["charts"]],
            known["notes"],
        )


COMPARED = ("number", "published", "measured", "difference", "verdict")


def compared(
    what: str,
    published: float,
    measured: float | None,
    tolerance: float,
    reason: str = "",
    same: bool = True,
) -> list[Value]:
    """A row of published beside measured, for a table with the columns `COMPARED`.

    reason: why the numbers differ; or, where nothing was measured, why it cannot be.
    same: it is the paper's own model; with another, a number that is the printed one reproduces nothing.

    >>> compared("r", 0.373, 0.3734, 0.0005)[-1], compared("r", 0.373, 0.5, 0.0005, "another model")[-1]
    ('reproduced', 'differs: another model')
    >>> compared("r", 0.373, 0.3734, 0.0005, "another model", same=False)[-1]
    'agrees: another model'
    >>> compared("r", 0.373, None, 0.0005, "the weights are not public")[-1]
    'not reproducible: the weights are not public'
    """
    outcome: Outcome
    if measured is None or measured != measured:
        outcome, difference = "not reproducible", None
    else:
        difference = measured - published
        agreed: Outcome = "reproduced" if same else "agrees"
        outcome = agreed if abs(difference) <= tolerance * (1 + 1e-9) else "differs"
    verdict = outcome if outcome == "reproduced" or not reason else f"{outcome}: {reason}"
    return [what, published, measured, difference, verdict]

"""What a study found, as data: tables, charts and answers that `counterpoise.report.study_page` turns into a page.

A study's `gather` makes `Findings` and writes them into its folder: `findings.json`, and each table as a CSV file. No
picture is drawn here: a chart names one of the report's charts (`counterpoise.report.charts`) and brings its table.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from counterpoise.core.files import make_inner_folder, read_json, write_aside, write_json
from counterpoise.studies.replication.agreement import ComparedNumber

Value: TypeAlias = str | int | float | None
FILE = "findings.json"


@dataclass(frozen=True)
class Table:
    """A table: numbers with a fraction are shown with so many decimals, and a lack of one as nothing.

    numbers: those that its lines hold against printed ones, in a table that does so. is_recomputed: they follow from
    printed numbers and public data, whatever the model.
    """

    name: str  # of the file
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    decimals: int = 3
    note: str = ""
    numbers: Sequence[ComparedNumber] = ()
    is_recomputed: bool = False

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Table:
        return cls(**{**fields, "numbers": [ComparedNumber.read(number) for number in fields["numbers"]]})


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
class PaperAnswer:
    """A question of the paper, what the paper says, and what was measured.

    verdict: the answer in one sentence that a lay reader understands, and that claims no more than the numbers allow.
    """

    question: str
    verdict: str
    published: str
    measured: str


@dataclass(frozen=True)
class Findings:
    """All that a study has to show; `notes` are said before anything else."""

    title: str
    about: str
    answers: Sequence[PaperAnswer] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    notes: Sequence[str] = ()

    def write(self, folder: str | Path) -> None:
        """Writes `findings.json`, and `tables/NAME.csv` for each table."""
        folder = Path(folder)
        make_inner_folder(folder / "tables")
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
        >>> findings = Findings("t", "a", tables=[Table("one", "One", ["x"], [[1.5]])])
        >>> folder = tempfile.mkdtemp(); findings.write(folder)
        >>> Findings.read(folder).tables[0].rows
        [[1.5]]
        """
        content = read_json(Path(folder) / FILE)
        return cls(
            content["title"],
            content["about"],
            [PaperAnswer(**fields) for fields in content["answers"]],
            [Table.read(fields) for fields in content["tables"]],
            [Chart(**fields) for fields in content["charts"]],
            content["notes"],
        )

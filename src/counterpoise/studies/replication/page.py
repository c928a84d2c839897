"""The page of a replicated paper.

A paper's `page.py` declares a `PaperPage`: title, columns that it reads, tables, charts, answers, notes. All else is
done here: the table gets the columns that are not there, --only chooses among the parts, parts about which nothing was
measured are dropped, cells without a result are listed, and the findings are written.

--only chooses among the parts by one rule for all papers: the name of a part shows that part, the name of a step shows
the parts that rest on it (`engine/selection.py`), and values of factors choose cells, not parts. Parts without a name
are always shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import pandas as pd

from counterpoise.studies.engine.cells import FinishedStudy, MissingCell, label
from counterpoise.studies.replication.findings import Chart, Findings, PaperAnswer, Table
from counterpoise.studies.replication.study_table import with_columns

Made = TypeVar("Made")


class PagePart(Generic[Made]):
    """A part of a page: the function that makes it from the study's table, and the names by which --only asks for it.

    A part without names is always shown.

    >>> part = PagePart(len, "table4", "hypotheses")
    >>> part.is_shown(()), part.is_shown(["table4"]), part.is_shown(["table5"])
    (True, True, False)
    """

    def __init__(self, make: Callable[[pd.DataFrame], Made], *names: str) -> None:
        self.make = make
        self.names = names

    def is_shown(self, only: Sequence[str]) -> bool:
        return not only or not self.names or not set(only).isdisjoint(self.names)


def _no_notes(_: pd.DataFrame, __: Mapping[str, Any]) -> Iterable[str]:
    return ()


def _as_it_is(table: pd.DataFrame) -> pd.DataFrame:
    return table


@dataclass(frozen=True)
class PaperPage:
    """What is particular to a paper.

    columns: of the study's table that the parts read, beside `step`. prepare: what is done to the table before the
    parts see it. notes: from the table and the study's settings. missing: how cells without a result are mentioned.
    A table without rows, a chart without records and an answer of None are not shown.
    """

    title: str
    about: str
    columns: Sequence[str]
    tables: Sequence[PagePart[Table | None]]
    charts: Sequence[PagePart[Iterable[Chart]]]
    answers: PagePart[Iterable[PaperAnswer | None]]
    notes: Callable[[pd.DataFrame, Mapping[str, Any]], Iterable[str]] = _no_notes
    prepare: Callable[[pd.DataFrame], pd.DataFrame] = _as_it_is
    missing: Literal["table", "note"] = "table"

    def write(self, study: FinishedStudy) -> None:
        """Writes the findings into the study's folder."""
        self.findings(study).write(study.folder)

    def findings(self, study: FinishedStudy) -> Findings:
        """The tables, charts and answers that --only asks for, and notes."""
        table = self.prepare(with_columns(study.table, ("step", *self.columns)))
        shown = [part.make(table) for part in self.tables if part.is_shown(study.only)]
        tables = [made for made in shown if made is not None and made.rows]
        charts = [
            chart
            for part in self.charts
            if part.is_shown(study.only)
            for chart in part.make(table)
            if chart.records
        ]
        answers = self.answers.make(table) if self.answers.is_shown(study.only) else ()
        notes = list(self.notes(table, study.settings))
        if study.missing and self.missing == "table":
            tables.append(_missing_table(study.missing))
        elif study.missing:
            notes.insert(0, f"{len(study.missing)} cells have no result, e.g. {study.missing[0]}.")
        return Findings(
            self.title,
            self.about,
            [answer for answer in answers if answer is not None],
            tables,
            charts,
            notes,
        )


def other_models_note(
    models: Iterable[str], papers_model: str, said: str = "the paper's model is"
) -> list[str]:
    """A note where other models than the paper's were measured.

    >>> other_models_note(["builtin"], "bert-base-uncased")
    ["measured with builtin; the paper's model is bert-base-uncased"]
    >>> other_models_note(["bert-base-uncased"], "bert-base-uncased")
    []
    """
    names = sorted(set(models))
    if not names or names == [papers_model]:
        return []
    return [f"measured with {', '.join(names)}; {said} {papers_model}"]


def _missing_table(cells: Sequence[MissingCell]) -> Table:
    rows = [[label(cell.step, cell.factors), cell.reason] for cell in cells]
    return Table("left_out", "Left out", ["cell", "reason"], rows)

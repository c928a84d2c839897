"""The paper's tables from the rows that its authors published: what follows, and to which digit."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from counterpoise import stats
from counterpoise.studies.papers.jentzsch2022 import tables
from counterpoise.studies.papers.jentzsch2022.printed_evaluation import agreement, printed_figures
from counterpoise.studies.papers.jentzsch2022.published import (
    CORRELATIONS,
    correlation_bounds,
    published_rows,
)
from counterpoise.studies.replication.comparison import COMPARED, ComparedLine, compared, table_of_lines
from counterpoise.studies.replication.findings import Table
from counterpoise.studies.replication.study_table import rows_of

_WITHIN_ROUNDING = "within rounding: absolute biases were printed to four decimals only"


def table_1(_: pd.DataFrame) -> Table:
    return tables.table_1(published_rows(), "published_1", "Table 1, from the authors' rows")


def table_2(_: pd.DataFrame) -> Table:
    """Table 2 as printed, and from the rows; where an absolute bias comes in, within what its rounding allows."""
    published = published_rows()
    lines: list[ComparedLine] = []
    for row in rows_of(tables.correlations(published)):
        printed = CORRELATIONS[row.x, row.y]
        low, high = row.r, row.r
        if row.x == "absolute":
            low, high = correlation_bounds(published, tables.COLUMNS[row.y])
        tolerance = 5e-7 + (high - low) / 2
        line = compared(
            f"{row.x}, {row.y}",
            printed,
            row.r,
            tolerance,
            kind="correlation",
            remark=_WITHIN_ROUNDING if row.x == "absolute" else "",
        )
        lines.append(replace(line, cells=[*line.cells, stats.stars(row.p_adjusted)]))
    note = "Stars after Bonferroni's correction by 21, the pairs of the seven columns that the authors looked at."
    columns = [*COMPARED, "stars"]
    return table_of_lines(
        "published_2",
        "Table 2, from the authors' rows",
        lines,
        columns,
        decimals=6,
        note=note,
        is_recomputed=True,
    )


def tables_3_and_4(_: pd.DataFrame) -> Table:
    return tables.table_3(published_rows(), "published_3_4", "Tables 3 and 4, from the authors' rows")


def tables_5_and_6(_: pd.DataFrame) -> Table:
    title = "Tables 5 and 6, from the authors' evaluation"
    table = tables.table_5(published_rows(), "published_5_6", title)
    return replace(table, note=f"{table.note} {agreement(printed_figures())}")

"""What is shown of the study: published tables from the authors' rows, and measured ones beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from counterpoise import stats
from counterpoise.studies.engine.cells import FinishedStudy
from counterpoise.studies.papers.jentzsch2022 import answers, tables
from counterpoise.studies.papers.jentzsch2022.figures import bias_figure
from counterpoise.studies.papers.jentzsch2022.precomputed import all_of
from counterpoise.studies.papers.jentzsch2022.published import (
    BASES,
    CORRELATIONS,
    correlation_bounds,
    published_rows,
)
from counterpoise.studies.papers.jentzsch2022.rating import Rated
from counterpoise.studies.papers.jentzsch2022.study_rows import nine, records
from counterpoise.studies.papers.jentzsch2022.summary_rows import counted
from counterpoise.studies.replication.findings import COMPARED, Findings, Table, Value, compared
from counterpoise.text.conditions import CONDITIONS

TITLE = "Jentzsch & Turan (2022): where does a sentiment classifier's gender bias come from?"
ABOUT = (
    "Classifiers of movie reviews are fine-tuned from base models under seven conditions; a review is rated as a man's "
    "and as a woman's, and the difference is its bias. Published numbers are worked out anew from the rows that the "
    "authors' notebook prints; measured ones are of trainings made here."
)
# What --only may name, with its tables.
_PARTS = {
    "table1": ("over_seeds", "measured_1", "published_1"),
    "table2": ("measured_2", "published_2"),
    "table3": ("measured_3_4", "published_3_4"),
    "table4": ("measured_3_4", "published_3_4"),
    "table5": ("measured_5_6", "published_5_6"),
    "table6": ("measured_5_6", "published_5_6"),
    "figure3": (),
    "figure4": (),
    "questions": ("noise", "contrasts", "crossed", "beside"),
}
_FIGURES = {base: 3 if base == "distbase" else 4 for base in BASES}  # the paper's figure of each base model
_PUBLISHED_ABSOLUTE = "absolute biases were printed to four decimals only"
_OTHER_TRAINING = "a training of our own, with another seed, cleaning and epochs"


def gather(study: FinishedStudy) -> None:
    """Writes the findings of a finished study into its folder."""
    rows = measured_rows(study.table)
    left = [f"{len(study.missing)} cells have no result, e.g. {study.missing[0]}."] if study.missing else []
    asked(findings_of(rows, left), study.only).write(study.folder)


def asked(found: Findings, only: Sequence[str]) -> Findings:
    """The parts that --only names; all where it names none but steps."""
    if not set(only) & _PARTS.keys():
        return found
    names = {name for one in only for name in _PARTS.get(one, ())}
    return replace(
        found,
        answers=found.answers if "questions" in only else (),
        tables=[table for table in found.tables if table.name in names],
        charts=[chart for chart in found.charts if _figures_shown(chart.name) & set(only)],
    )


def _published_chart(base: str) -> str:
    """The name of the chart of a base model as published."""
    return f"published_{base}"


def _figures_shown(chart: str) -> set[str]:
    """The figures of the paper that a chart shows; one of measured numbers stands beside both."""
    published = {_published_chart(base): {f"figure{number}"} for base, number in _FIGURES.items()}
    return published.get(chart, {"figure3", "figure4"})


def measured_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The counted rows of the study's table; without any, a table of none."""
    if "step" not in table or not (table.step == "count").any():
        return published_rows().head(0)
    rows = table[table.step == "count"].reset_index(drop=True)
    if "batch_size" not in rows:
        rows["batch_size"] = "own"
    rows = rows.assign(own=rows.own.astype(bool), seed=rows.seed.astype(int))
    trained = table[table.step == "train"]
    if "batch" in trained and len(trained):
        keys = ["base", "condition", "batch_size", "seed"]
        sizes = trained.assign(seed=trained.seed.astype(int))[[*keys, "batch"]]
        rows = rows.drop(columns="batch", errors="ignore").merge(sizes, on=keys, how="left")
    return rows if "batch" in rows else rows.assign(batch=math.nan)


def rows_elsewhere(folder: str | Path) -> pd.DataFrame:
    """The same rows from trainings that were carried out elsewhere."""
    found = [
        {**one.factors, "batch": (one.settings["training"] or {}).get("batch_size"), **row}
        for one in all_of(folder)
        for row in counted(Rated.read(one.ratings), one.rate, CONDITIONS[one.factors["condition"]].terms)
    ]
    return measured_rows(pd.DataFrame(found).assign(step="count"))


def findings_of(rows: pd.DataFrame, notes: list[str]) -> Findings:
    """All tables, figures and answers; without measured rows, the published ones alone."""
    published = published_rows()
    shown = [
        tables.table_1(published, "published_1", "Table 1, from the authors' rows"),
        recomputed_correlations(published),
        tables.table_3(published, "published_3_4", "Tables 3 and 4, from the authors' rows"),
        tables.table_5(published, "published_5_6", "Tables 5 and 6, from the authors' evaluation"),
    ]
    figures = [
        bias_figure(published, base, _published_chart(base), f"Figure {number}: {base}, published")
        for base, number in _FIGURES.items()
    ]
    if not len(rows):
        return Findings(TITLE, ABOUT, (), shown, figures, [*notes, "Nothing was measured yet."])
    own = [
        *_over_seeds(rows),
        tables.table_1(rows, "measured_1", "Table 1, measured"),
        tables.table_3(rows, "measured_3_4", "Tables 3 and 4, measured"),
        answers.noise_table(rows, "noise", "What a seed changes"),
        answers.contrast_table(rows, "contrasts", "Removed and mixed terms against original texts"),
        tables.table_5(rows, "measured_5_6", "Tables 5 and 6, measured"),
        *_measured_correlations(rows),
        *_beside(published, rows),
        *_crossed(rows),
    ]
    drawn = [
        bias_figure(rows, base, f"measured_{base}", f"As figures 3 and 4: {base}, measured")
        for base in answers.measured_bases(rows)
    ]
    return Findings(TITLE, ABOUT, answers.answers(rows), [*own, *shown], [*drawn, *figures], notes)


def recomputed_correlations(published: pd.DataFrame) -> Table:
    """Table 2 as printed, and from the rows; where an absolute bias comes in, within what its rounding allows."""
    lines: list[list[Value]] = []
    for row in records(tables.correlations(published)):
        printed = CORRELATIONS[row.x, row.y]
        low, high = row.r, row.r
        if row.x == "absolute":
            low, high = correlation_bounds(published, tables.COLUMNS[row.y])
        tolerance = 5e-7 + (high - low) / 2
        line = compared(f"{row.x}, {row.y}", printed, row.r, tolerance)
        if row.x == "absolute":
            line[-1] = f"{line[-1]} within rounding: {_PUBLISHED_ABSOLUTE}"
        lines.append([*line, stats.stars(row.p_adjusted)])
    note = "Stars after Bonferroni's correction by 21, the pairs of the seven columns that the authors looked at."
    return Table(
        "published_2", "Table 2, from the authors' rows", [*COMPARED, "stars"], lines, decimals=6, note=note
    )


def _over_seeds(rows: pd.DataFrame) -> list[Table]:
    several = len(set(rows.seed)) > 1
    return [tables.over_seeds(rows, "over_seeds", "The rows of table 1 over seeds")] if several else []


def _measured_correlations(rows: pd.DataFrame) -> list[Table]:
    enough = len(nine(rows)) >= 4
    return [tables.table_2(rows, "measured_2", "Table 2, measured")] if enough else []


def _beside(published: pd.DataFrame, rows: pd.DataFrame) -> list[Table]:
    """The biases of base models that the paper has too, number by number."""
    means = {
        (row.base, row.condition, row.terms): {"total": row.total, "absolute": row.absolute}
        for row in records(_means(nine(rows)))
    }
    lines = []
    for row in records(published):
        key = (row.base, row.condition, row.terms)
        if row.base not in set(rows.base):
            continue
        for column in ("total", "absolute"):
            measured = means[key][column] if key in means else None
            reason = _OTHER_TRAINING if measured is not None else "this cell has no result here"
            what = f"{row.base} {row.condition}, terms {row.terms}, {column}"
            lines.append(compared(what, getattr(row, column), measured, 5e-5, reason, same=False))
    if not lines:
        return []
    return [Table("beside", "Published beside measured", list(COMPARED), lines, decimals=4)]


def _crossed(rows: pd.DataFrame) -> list[Table]:
    """Every training rated with every set of terms, means over seeds."""
    if rows.own.all():
        return []
    usual = rows[rows.batch_size.astype(str) == "own"]
    lines: list[list[Value]] = [
        [row.base, row.condition, row.terms, row.total, row.absolute] for row in records(_means(usual))
    ]
    title = "Trained with one set of terms, rated with each"
    return [
        Table("crossed", title, ["base", "condition", "rated with", "total", "absolute"], lines, decimals=4)
    ]


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds."""
    keys = ["base", "condition", "terms"]
    return rows.groupby(keys, sort=False)[["total", "absolute"]].mean().reset_index()

"""Writes docs/studies/jentzsch2022.md, its figures and its rows from trainings that tools/jentzsch_builtin.py made.

    python tools/jentzsch_docs.py [RESULTS]

The text around the tables is here; the numbers, tables and answers are the study's own. Trainings whose rows are in
docs/studies/jentzsch2022-builtin.csv stay on the page: the statistics need rows, not ratings. Without RESULTS the page
is written from these alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Any

import pandas as pd

from counterpoise.core.files import write_text
from counterpoise.report.charts.draw import write_figures
from counterpoise.report.study_page import figure_of, table_markdown
from counterpoise.studies.engine.cells import FinishedStudy
from counterpoise.studies.papers.jentzsch2022.measured import measured_rows, precomputed_rows
from counterpoise.studies.papers.jentzsch2022.options import DEFAULTS
from counterpoise.studies.papers.jentzsch2022.page import PAGE
from counterpoise.studies.replication.findings import Chart, Findings, PaperAnswer

_ROWS = "jentzsch2022-builtin.csv"
_BASES = ("builtin", "builtin-adapted", "builtin-half")
_DOCS = Path(__file__).parents[1] / "docs"
_TABLES = (
    "bases",
    "pooled",
    "over_seeds",
    "noise",
    "contrasts",
    "crossed",
    "measured_1",
    "measured_3_4",
    "measured_5_6",
    "published_2",
)
_HEAD = """# Jentzsch & Turan (2022)

    counterpoise study jentzsch2022                       # smoke: minutes on a CPU
    counterpoise study jentzsch2022 --scale builtin       # the built-in model, all reviews
    counterpoise study jentzsch2022 --scale paper         # seven base models, as the authors trained them

{about}

From the authors' own 63 rows the study recomputes the paper's tables 1 to 6, with two things put right: the last
three columns of tables 3 and 4 are N < 0, N > 0 and N = 0, and recall, precision and F1 are those of the negative
label. Three of the six correlations follow to the last digit; the three with the absolute bias follow within its
rounding, since no absolute bias was ever printed with more than four decimals.

## What was measured

{measured}
"""
_MEASURED = (
    "{trainings} training runs, each rated on {reviews} test reviews: {by_base}. The paper has none of these base "
    "models. Terms, swapping and training are our own (variant `corrected`, no cleaning): {training}. {made}They were "
    "made with `tools/jentzsch_builtin.py`, and `tools/jentzsch_docs.py` wrote this page from its files; all rows are "
    "in [{rows}]({rows})."
)
_MADE = (
    "`builtin-adapted` and `builtin-half` have all and every second of the built-in model's layers, and were trained "
    "further on the training reviews without labels ({base_training}). They share data and training, and "
    "differ in size; the half-size one was also cut down, and its mean training loss is higher. "
)
_TRAINING = "{epochs} epochs, a rate of {learning_rate}, batches of {batch_size}"
_KEYS = ["base", "condition", "batch_size", "seed", "terms"]


def all_rows(results: Path | None, known: Path) -> pd.DataFrame:
    """The rows of new trainings, and of those known already that were not made again."""
    parts = [precomputed_rows(results)] if results else []
    if known.is_file():
        parts.append(pd.read_csv(known).assign(step="count"))
    rows = pd.concat(parts, ignore_index=True)
    rows["batch_size"] = rows.batch_size.astype(str)
    rows = rows.drop_duplicates(_KEYS)
    order = {name: number for number, name in enumerate(_BASES)}
    rows = measured_rows(
        rows.assign(order=rows.base.map(order)).sort_values(
            ["order", "batch"], ascending=[True, False], kind="stable"
        )
    )
    counts = {name: rows[name].astype("Int64") for name in ("layers", "parameters", "base_steps")}
    return rows.drop(columns="order").assign(**counts)


def page(found: Findings, rows: pd.DataFrame) -> str:
    """The page in Markdown."""
    trainings = rows.drop_duplicates(_KEYS[:-1])
    made = _TRAINING.format_map(DEFAULTS["base_training"]).replace("1 epochs", "1 epoch")
    measured = _MEASURED.format(
        trainings=len(trainings),
        by_base="; ".join(
            _trainings_of(*group) for group in trainings.groupby(["base", "batch"], sort=False)
        ),
        reviews=f"{int(rows.reviews.max()):,}",
        training=_TRAINING.format_map(DEFAULTS["training"]),
        made=_MADE.format(base_training=made) if rows.layers.notna().any() else "",
        rows=_ROWS,
    )
    filled = fill(measured, 120, break_long_words=False, break_on_hyphens=False)
    lines = [_HEAD.format(about=found.about, measured=filled)]
    for chart in _measured(found):
        lines += [f"![{figure_of(chart).alt}](../images/{_picture(chart)}.svg)", ""]
    lines += [_measured(found)[0].caption, ""]
    for answer in found.answers:
        lines += _answered(answer)
    for name in _TABLES:
        if (table := next((table for table in found.tables if table.name == name), None)) is not None:
            lines += [f"## {table.title}", "", table_markdown(table), ""]
            lines += [table.note, ""] if table.note else []
    return "\n".join(lines)


def _answered(answer: PaperAnswer) -> Sequence[str]:
    return [f"## {answer.question}", "", f"The paper: {answer.published}", "", f"Here: {answer.measured}", ""]


def _trainings_of(key: Any, trainings: pd.DataFrame) -> str:
    base, batch = key
    conditions, seeds = trainings.condition.nunique(), trainings.seed.nunique()
    counted = [f"{n} {what}{'s' * (n != 1)}" for n, what in ((conditions, "condition"), (seeds, "seed"))]
    return f"`{base}` in batches of {int(batch)}, {', '.join(counted)}"


def _measured(found: Findings) -> list[Chart]:
    return [chart for chart in found.charts if chart.name.startswith("measured_")]


def _picture(chart: Chart) -> str:
    return f"jentzsch2022-{chart.name.removeprefix('measured_')}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "results", type=Path, nargs="?", help="the folder that tools/jentzsch_builtin.py wrote"
    )
    parser.add_argument("--docs", type=Path, default=_DOCS, help="the folder of the documentation")
    given = parser.parse_args()
    studies = given.docs / "studies"
    studies.mkdir(parents=True, exist_ok=True)
    rows = all_rows(given.results, studies / _ROWS)
    found = PAGE.findings(FinishedStudy(studies, rows, ()))
    figures = [replace(figure_of(chart), name=_picture(chart)) for chart in _measured(found)]
    write_figures(figures, given.docs / "images", "svg")
    kept = rows.drop(columns="step").dropna(axis="columns", how="all")
    write_text(studies / _ROWS, kept.to_csv(index=False, float_format="%.6g"))
    write_text(studies / "jentzsch2022.md", page(found, rows))


if __name__ == "__main__":
    main()

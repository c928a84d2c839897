"""Writes docs/studies/jentzsch2022.md, its figure and its rows from trainings that tools/jentzsch_builtin.py made.

    python tools/jentzsch_docs.py RESULTS

The text around the tables is here; the numbers, tables and answers are the study's own.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise.core.files import write_text
from counterpoise.report.charts.draw import write_figures
from counterpoise.report.study_page import figure_of, table_markdown
from counterpoise.studies.engine.cells import FinishedStudy
from counterpoise.studies.papers.jentzsch2022.measured import precomputed_rows
from counterpoise.studies.papers.jentzsch2022.page import PAGE
from counterpoise.studies.papers.jentzsch2022.precomputed import read_trainings
from counterpoise.studies.replication.findings import Answer, Chart, Findings

_ROWS = "jentzsch2022-builtin.csv"
_DOCS = Path(__file__).parents[1] / "docs"
_TABLES = (
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

From the authors' own 63 rows the study prints the paper's tables 1 to 6 anew, with two things put right: the last
three columns of tables 3 and 4 are N < 0, N > 0 and N = 0, and recall, precision and F1 are those of the negative
label. Three of the six correlations follow to the last digit; the three with the absolute bias follow within its
rounding, since no absolute bias was ever printed with more than four decimals.

## What was measured

The base model is `{base}`, which the paper does not have; {trainings} trainings ({seeds} seeds, {conditions}
conditions), each rated on {reviews} test reviews. Terms, swapping and training are our own (variant `corrected`, no
cleaning): {training}. The trainings were made with
`tools/jentzsch_builtin.py`, and `tools/jentzsch_docs.py` wrote this page from its files; all rows are in
[{rows}]({rows}).
"""


def page(found: Findings, rows: pd.DataFrame, training: Mapping[str, Any]) -> str:
    """The page in Markdown."""
    bases = list(dict.fromkeys(rows.base))
    head = _HEAD.format(
        about=found.about,
        base=", ".join(bases),
        trainings=len(rows.drop_duplicates(["base", "condition", "batch_size", "seed"])),
        seeds=len(set(rows.seed)),
        conditions=len(set(rows.condition)),
        reviews=f"{int(rows.reviews.max()):,}",
        training="{epochs} epochs, a rate of {learning_rate}, batches of {batch_size}".format_map(training),
        rows=_ROWS,
    )
    chart = _named(found.charts, f"measured_{bases[0]}")
    lines = [head, f"![{figure_of(chart).alt}](../images/{_picture(chart)}.svg)", "", chart.caption, ""]
    for answer in found.answers:
        lines += _answered(answer)
    for name in _TABLES:
        if (table := next((one for one in found.tables if one.name == name), None)) is not None:
            lines += [f"## {table.title}", "", *table_markdown(table), ""]
            lines += [table.note, ""] if table.note else []
    return "\n".join(lines)


def _answered(answer: Answer) -> Sequence[str]:
    return [f"## {answer.question}", "", f"The paper: {answer.published}", "", f"Here: {answer.measured}", ""]


def _named(charts: Sequence[Chart], name: str) -> Chart:
    return next(chart for chart in charts if chart.name == name)


def _picture(chart: Chart) -> str:
    return f"jentzsch2022-{chart.name.removeprefix('measured_')}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, help="the folder that tools/jentzsch_builtin.py wrote")
    parser.add_argument("--docs", type=Path, default=_DOCS, help="the folder of the documentation")
    given = parser.parse_args()
    rows = precomputed_rows(given.results)
    found = PAGE.findings(FinishedStudy(given.results, rows, ()))
    chart = _named(found.charts, f"measured_{next(iter(rows.base))}")
    figure = figure_of(chart)
    images = given.docs / "images"
    write_figures([type(figure)(_picture(chart), figure.title, figure.chart)], images, "svg")
    studies = given.docs / "studies"
    studies.mkdir(parents=True, exist_ok=True)
    write_text(studies / _ROWS, rows.drop(columns="step").to_csv(index=False, float_format="%.6g"))
    training = read_trainings(given.results)[0].settings["training"]
    write_text(studies / "jentzsch2022.md", page(found, rows, training))


if __name__ == "__main__":
    main()

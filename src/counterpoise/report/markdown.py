"""The report of a run as Markdown: the headline and a table per measure."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from counterpoise.audit.run import Run
from counterpoise.core.markdown import escape_markdown, markdown_table
from counterpoise.core.numbers import number_text, p_text
from counterpoise.measures.base.result import Result
from counterpoise.report.page import KINDS
from counterpoise.report.rows import row_estimate
from counterpoise.report.wording import headline, measure_question, measure_title

COLUMNS = [
    "group",
    "statistic",
    "value",
    "95 % interval",
    "p (Holm)",
    "effect size",
    "min. detectable",
    "n",
    "ideal",
]


def render_markdown(run: Run, results: Sequence[Result]) -> str:
    """The whole report."""
    options = run.manifest["options"]
    unfinished = [] if run.is_complete else ["**This run is not finished: measures are missing.**", ""]
    parts = [
        f"# {escape_markdown(options['model'])}: gender bias",
        "",
        f"Counterpoise {escape_markdown(run.manifest['versions']['counterpoise'])}, seed {options['seed']}, "
        f"{escape_markdown(options['variant'])} variant.",
        "",
        *unfinished,
        *findings(results),
    ]
    for result in results:
        parts += ["", *section(result)]
    for name, reason in run.left_out.items():
        parts += ["", f"Not run: {escape_markdown(name)}: {escape_markdown(reason)}"]
    return "\n".join(parts) + "\n"


def findings(results: Sequence[Result]) -> list[str]:
    """The headline as a list."""
    return [
        f"- **{KINDS[claim.kind]}** ({escape_markdown(measure_title(claim.measure))}): {escape_markdown(claim.text)}"
        for claim in headline(results)
    ]


def section(result: Result, level: int = 2) -> list[str]:
    """What a measure asks and found, without single words."""
    question = measure_question(result.measure)
    rows = result.summary[result.summary.level != "word"]
    return [
        f"{'#' * level} {escape_markdown(measure_title(result.measure))}",
        "",
        *([escape_markdown(question), ""] if question else []),
        f"{escape_markdown(result.measure)} on {escape_markdown(result.dataset)}, "
        f"{f'asked of the {escape_markdown(result.asked)}, ' if result.asked else ''}{len(result.items):,} items, "
        f"{len(result.skipped):,} skipped.",
        "",
        f"Positive: {escape_markdown(result.direction.positive)} "
        f"Negative: {escape_markdown(result.direction.negative)}",
        "",
        *(f"Warning: {escape_markdown(warning)}\n" for warning in result.warnings),
        markdown_table(COLUMNS, row_texts(rows)),
        "",
        escape_markdown(result.citation),
    ]


def row_texts(rows: pd.DataFrame) -> list[list[str]]:
    """Summary rows as text, in the order of `COLUMNS`."""
    return [
        [
            str(row["group"]),
            str(row["statistic"]),
            *row_estimate(row),
            p_text(row["p_adjusted"]),
            number_text(row["effect_size"]),
            number_text(row["smallest_detectable"]),
            str(row["n"]),
            str(row["ideal_text"]),
        ]
        for row in rows.to_dict("records")
    ]

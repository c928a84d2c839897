"""The report of a run as Markdown: the headline and a table per measure."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from counterpoise.audit.run import Run
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.report.numbers import interval_text, number_text, p_text
from counterpoise.report.wording import headline

COLUMNS = [
    "group",
    "statistic",
    "value",
    "95 % interval",
    "p (Holm)",
    "effect size",
    "could see",
    "n",
    "ideal",
]
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def render_markdown(run: Run, results: Sequence[Result]) -> str:
    """The whole report."""
    options = run.manifest["options"]
    unfinished = [] if run.is_complete else ["**This run is not finished: measures are missing.**", ""]
    parts = [
        f"# {escaped(options['model'])}: gender bias",
        "",
        f"Counterpoise {escaped(run.manifest['versions']['counterpoise'])}, seed {options['seed']}, "
        f"{escaped(options['variant'])} variant.",
        "",
        *unfinished,
        *findings(results),
    ]
    for result in results:
        parts += ["", *section(result)]
    for name, reason in run.left_out.items():
        parts += ["", f"Left out: {escaped(name)}: {escaped(reason)}"]
    return "\n".join(parts) + "\n"


def findings(results: Sequence[Result]) -> list[str]:
    """The headline as a list."""
    return [f"- {escaped(claim.text)} ({escaped(claim.measure)})" for claim in headline(results)]


def section(result: Result, level: int = 2) -> list[str]:
    """What a measure asks and found, without single words."""
    known = all_measures().get(result.measure)
    rows = result.summary[result.summary.level != "word"]
    return [
        f"{'#' * level} {escaped(known.title if known else result.measure)}",
        "",
        *([escaped(known.question), ""] if known else []),
        f"{escaped(result.measure)} on {escaped(result.dataset)}, {len(result.items):,} items, {len(result.skipped):,} "
        "skipped.",
        "",
        f"Positive: {escaped(result.direction.positive)} Negative: {escaped(result.direction.negative)}",
        "",
        *(f"Warning: {escaped(warning)}\n" for warning in result.warnings),
        *table(COLUMNS, row_texts(rows)),
        "",
        escaped(result.citation),
    ]


def row_texts(rows: pd.DataFrame) -> list[list[str]]:
    """Summary rows as text, in the order of `COLUMNS`."""
    return [
        [
            str(row["group"]),
            str(row["statistic"]),
            number_text(row["value"]),
            interval_text(row["ci_low"], row["ci_high"]),
            p_text(row["p_adjusted"]),
            number_text(row["effect_size"]),
            number_text(row["smallest_detectable"]),
            str(row["n"]),
            str(row["ideal_text"]),
        ]
        for row in rows.to_dict("records")
    ]


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table as GitHub and the model hub read it."""
    return [
        f"| {' | '.join(columns)} |",
        f"|{'---|' * len(columns)}",
        *(f"| {' | '.join(escaped(cell) for cell in row)} |" for row in rows),
    ]


def escaped(text: object) -> str:
    """Text that stays text: no markup, no HTML, no new line.

    >>> escaped("a|b <script>_x_")
    'a\\\\|b \\\\<script\\\\>\\\\_x\\\\_'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(str(text).split()))

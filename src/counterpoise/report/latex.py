"""The numbers of a run as LaTeX tables: as wide as the text, or both its columns, at most."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from counterpoise.audit.run import Run
from counterpoise.core.latex import escape_latex, latex_cell
from counterpoise.measures.base.result import Result
from counterpoise.report.markdown import COLUMNS, row_texts
from counterpoise.report.wording import measure_title

RAGGED = r">{\raggedright\arraybackslash}p{%dmm}"
_ALIGNED = f"{RAGGED % 17}{RAGGED % 42}rrrrrr{RAGGED % 18}"
FITTING = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_TWO_LINES = {"p (Holm)", "effect size", "min. detectable"}


def render_latex(run: Run, results: Sequence[Result]) -> str:
    """A table per measure, without single words; the first line says what the preamble needs."""
    version = escape_latex(run.manifest["versions"]["counterpoise"])
    first = [f"% Counterpoise {version}; needs \\usepackage{{array,booktabs,graphicx}}"]
    if not run.is_complete:
        first.append("% This run is not finished: measures are missing.")
    return "\n".join([*first, *map(_table, results)]) + "\n"


def _table(result: Result) -> str:
    caption = (
        f"{measure_title(result.measure)}: {result.model} on {result.dataset}. Positive: "
        f"{result.direction.positive}"
    )
    label = "".join(letter for letter in result.measure if letter.isalnum())
    return "\n".join(
        [
            "\\begin{table*}",
            "\\centering",
            "\\footnotesize",
            "\\setlength{\\tabcolsep}{3pt}",
            f"\\caption{{{escape_latex(caption)}}}",
            f"\\label{{tab:{label}}}",
            FITTING,
            _tabular(result.summary[result.summary.level != "word"]) + "}",
            "\\end{table*}",
        ]
    )


def _tabular(rows: pd.DataFrame) -> str:
    styler = pd.DataFrame(row_texts(rows), columns=COLUMNS).style.hide(axis="index")
    styler = styler.format(latex_cell).format_index(_head, axis="columns")
    return styler.to_latex(hrules=True, column_format=_ALIGNED).rstrip()


def _head(column: object) -> str:
    head = escape_latex(column)
    if column in _TWO_LINES:
        head = r"\shortstack[r]{" + head.replace(" ", r"\\") + "}"
    return head

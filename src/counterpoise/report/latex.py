"""The numbers of a run as LaTeX tables: as wide as the text, or both its columns, at most."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from counterpoise.audit.checksums import in_words
from counterpoise.audit.record import AuditRecord
from counterpoise.core.latex import escape_latex, latex_cell
from counterpoise.core.version import __version__
from counterpoise.measures.base.result import Result
from counterpoise.report.markdown import COLUMNS, row_texts
from counterpoise.report.wording import measure_title

RAGGED = r">{\raggedright\arraybackslash}p{%dmm}"
_ALIGNED = f"{RAGGED % 17}{RAGGED % 42}rrrrrr{RAGGED % 18}"
FITTING = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_TWO_LINES = {"p (Holm)", "effect size", "min. detectable"}


def render_latex(record: AuditRecord, results: Sequence[Result]) -> str:
    """A table per measure, without single words; the first line says what the preamble needs."""
    first = [_needs(record.manifest["versions"]["counterpoise"])]
    if not record.is_complete:
        first.append("% This run is not finished: measures are missing.")
    if record.altered:
        first.append(f"% {escape_latex(in_words(record.altered))}.")
    return "\n".join([*first, *map(_table, results)]) + "\n"


def _table(result: Result) -> str:
    caption = (
        f"{measure_title(result.measure)}: {result.model} on {result.dataset}. Positive: "
        f"{result.direction.positive}"
    )
    label = "".join(letter for letter in result.measure if letter.isalnum())
    return _floating(caption, label, _tabular(result.summary[result.summary.level != "word"]))


def table_latex(table: pd.DataFrame, caption: str, label: str) -> str:
    """A table of texts; the first line says what the preamble needs."""
    aligned = f"{RAGGED % 30}{'l' * (len(table.columns) - 1)}"
    return "\n".join([_needs(__version__), _floating(caption, label, _styled(table, aligned))]) + "\n"


def _needs(version: str) -> str:
    return f"% Counterpoise {escape_latex(version)}; needs \\usepackage{{array,booktabs,graphicx}}"


def _floating(caption: str, label: str, tabular: str) -> str:
    return "\n".join(
        [
            "\\begin{table*}",
            "\\centering",
            "\\footnotesize",
            "\\setlength{\\tabcolsep}{3pt}",
            f"\\caption{{{escape_latex(caption)}}}",
            f"\\label{{tab:{label}}}",
            FITTING,
            tabular + "}",
            "\\end{table*}",
        ]
    )


def _tabular(rows: pd.DataFrame) -> str:
    return _styled(pd.DataFrame(row_texts(rows), columns=COLUMNS), _ALIGNED)


def _styled(table: pd.DataFrame, aligned: str) -> str:
    styler = table.style.hide(axis="index")
    styler = styler.format(latex_cell).format_index(_head, axis="columns")
    return styler.to_latex(hrules=True, column_format=aligned).rstrip()


def _head(column: object) -> str:
    head = escape_latex(column)
    if column in _TWO_LINES:
        head = r"\shortstack[r]{" + head.replace(" ", r"\\") + "}"
    return head

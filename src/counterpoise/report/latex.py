"""The numbers of a run as LaTeX tables: as wide as the text, or both its columns, at most."""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterpoise.audit.run import Run
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.report.markdown import COLUMNS, row_texts

# | < > are other characters in LaTeX's oldest font encoding, which is still its default.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
_RAGGED = r">{\raggedright\arraybackslash}p{%dmm}"
_ALIGNED = f"{_RAGGED % 17}{_RAGGED % 42}rrrrrr{_RAGGED % 18}"
_FITTING = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_TWO_LINES = {"p (Holm)", "effect size", "could see"}
_MINUS = re.compile(r"(?<!\w)-(?=\.?\d)")


def render_latex(run: Run, results: Sequence[Result]) -> str:
    """A table per measure, without single words; the first line says what the preamble needs."""
    version = escaped(run.manifest["versions"]["counterpoise"])
    first = [f"% Counterpoise {version}; needs \\usepackage{{array,booktabs,graphicx}}"]
    if not run.is_complete:
        first.append("% This run is not finished: measures are missing.")
    return "\n".join([*first, *map(_table, results)]) + "\n"


def _table(result: Result) -> str:
    known = all_measures().get(result.measure)
    rows = row_texts(result.summary[result.summary.level != "word"])
    caption = (
        f"{known.title if known else result.measure}: {result.model} on {result.dataset}. Positive: "
        f"{result.direction.positive}"
    )
    label = "".join(letter for letter in result.measure if letter.isalnum())
    return "\n".join(
        [
            "\\begin{table*}",
            "\\centering",
            "\\footnotesize",
            "\\setlength{\\tabcolsep}{3pt}",
            f"\\caption{{{escaped(caption)}}}",
            f"\\label{{tab:{label}}}",
            _FITTING,
            f"\\begin{{tabular}}{{{_ALIGNED}}}",
            "\\toprule",
            " & ".join(map(_head, COLUMNS)) + r" \\",
            "\\midrule",
            *map(_line, rows),
            "\\bottomrule",
            "\\end{tabular}}",
            "\\end{table*}",
        ]
    )


def _head(column: str) -> str:
    head = escaped(column)
    if column in _TWO_LINES:
        head = r"\shortstack[r]{" + head.replace(" ", r"\\") + "}"
    return head


def _line(cells: Sequence[str]) -> str:
    # A bracket at the start of a line would be read as an option of the line break before it.
    return (
        " & ".join(f"{{{escaped(cell)}}}" if cell.startswith("[") else escaped(cell) for cell in cells)
        + r" \\"
    )


def escaped(text: object) -> str:
    r"""
    >>> print(escaped("50 % of |d|_x, -.5"))
    50 \% of \textbar{}d\textbar{}\_x, $-$.5
    """
    plain = "".join(_SPECIAL.get(letter, letter) for letter in " ".join(str(text).split()))
    return _MINUS.sub("$-$", plain)

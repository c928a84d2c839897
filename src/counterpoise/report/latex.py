"""The numbers of a run as LaTeX tables for the booktabs package."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoise.audit.run import Run
from counterpoise.measures.catalogue import all_measures
from counterpoise.measures.result import Result
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
_ALIGNED = "llrrrrrrl"


def render_latex(run: Run, results: Sequence[Result]) -> str:
    """A table per measure, without single words; `\\usepackage{booktabs}` in the preamble."""
    version = escaped(run.manifest["versions"]["counterpoise"])
    first = [f"% Counterpoise {version}; needs \\usepackage{{booktabs}}"]
    if not run.is_complete:
        first.append("% This run is not finished: measures are missing.")
    return "\n".join([*first, *map(_table, results)]) + "\n"


def _table(result: Result) -> str:
    known = all_measures().get(result.measure)
    rows = row_texts(result.summary[result.summary.level != "word"])
    caption = (
        f"{known.title if known else result.measure}: {result.model} on {result.dataset}; {result.sign}."
    )
    label = "".join(letter for letter in result.measure if letter.isalnum())
    return "\n".join(
        [
            "\\begin{table}",
            "\\centering",
            "\\small",
            f"\\caption{{{escaped(caption)}}}",
            f"\\label{{tab:{label}}}",
            f"\\begin{{tabular}}{{{_ALIGNED}}}",
            "\\toprule",
            _line(COLUMNS),
            "\\midrule",
            *map(_line, rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        ]
    )


def _line(cells: Sequence[str]) -> str:
    # A bracket at the start of a line would be read as an option of the line break before it.
    return (
        " & ".join(f"{{{escaped(cell)}}}" if cell.startswith("[") else escaped(cell) for cell in cells)
        + r" \\"
    )


def escaped(text: object) -> str:
    r"""
    >>> print(escaped("50 % of |d|_x"))
    50 \% of \textbar{}d\textbar{}\_x
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(str(text).split()))

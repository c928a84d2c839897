"""A comparison in the formats that papers are made of: Markdown, LaTeX with BibTeX, CSV; and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from counterpoise.audit.compare import Comparison
from counterpoise.core.errors import unknown
from counterpoise.core.files import make_folder, write_json, write_text
from counterpoise.core.latex import escape_latex, latex_cell
from counterpoise.core.markdown import escape_markdown, markdown_table
from counterpoise.core.version import __version__
from counterpoise.data.citations import bibtex
from counterpoise.report.compare_page import comparison_document, write_comparison
from counterpoise.report.comparison_table import (
    LEGEND,
    TableCell,
    TableRow,
    cited,
    letters,
    table_rows,
    tidy_rows,
)
from counterpoise.report.latex import FITTING, RAGGED

Format = Literal["html", "md", "latex", "csv"]
_TABLES: Mapping[str, str] = MappingProxyType(
    {"md": "comparison.md", "latex": "comparison.tex", "csv": "comparison.csv"}
)
_BOLD = "The value closest to the ideal is bold."


def check_format(format: str) -> None:
    if format not in get_args(Format):
        raise unknown("format", format, get_args(Format))


def write_format(comparison: Comparison, folder: str | Path, format: str = "html") -> dict[str, Path]:
    """Writes a comparison into a folder; returns the files by what they are.

    html: `compare.html`; md, csv: `comparison.md`, `comparison.csv`; latex: `comparison.tex`, and `comparison.bib` with
    the BibTeX entries that it cites. All of them write `comparison.json` too.
    """
    check_format(format)
    if format == "html":
        page = write_comparison(comparison, folder)
        return {"page": page, "numbers": page.with_name("comparison.json")}
    rows = table_rows(comparison)
    texts = {"table": (_TABLES[format], _rendered(comparison, rows, format))}
    if format == "latex":
        texts["references"] = ("comparison.bib", bibtex(cited(rows)))
    folder = make_folder(folder)
    files = {what: folder / name for what, (name, _) in texts.items()} | {
        "numbers": folder / "comparison.json"
    }
    for what, (_, text) in texts.items():
        write_text(files[what], text)
    write_json(files["numbers"], comparison_document(comparison))
    return files


def _rendered(comparison: Comparison, rows: Sequence[TableRow], format: str) -> str:
    if format == "csv":
        return str(tidy_rows(comparison).to_csv(index=False, lineterminator="\n"))
    return comparison_markdown(comparison, rows) if format == "md" else comparison_latex(comparison, rows)


def comparison_markdown(comparison: Comparison, rows: Sequence[TableRow]) -> str:
    """The table with what to know about it and whom to cite."""
    models = [f"{name} ({letter})" for name, letter in letters(comparison).items()]
    lines = [
        [row.title, row.statistic, row.ideal]
        + [markdown_cell(row.cells.get(name)) for name in comparison.names]
        + [", ".join(row.closest)]
        for row in rows
    ]
    references = dict.fromkeys(reference for row in rows for reference in row.references if reference)
    return "\n".join(
        [
            f"# Gender bias of {escape_markdown(', '.join(comparison.names))}",
            "",
            *(f"**Note:** {escape_markdown(note)}.\n" for note in comparison.notes),
            markdown_table(["measure", "statistic", "ideal", *models, "closest to the ideal"], lines),
            "",
            f"{LEGEND} Counterpoise {__version__}.",
            "",
            "## References",
            "",
            *(f"- {escape_markdown(reference)}" for reference in references),
            "",
        ]
    )


def comparison_latex(comparison: Comparison, rows: Sequence[TableRow]) -> str:
    """A booktabs table, as wide as the text or both its columns at most; the first lines say what it needs."""
    caption = f"Gender bias of {', '.join(comparison.names)}. {LEGEND} {_BOLD}"
    heads = ["measure", "ideal"]
    heads += [_stacked(escape_latex(name), f"({letter})") for name, letter in letters(comparison).items()]
    lines = [
        [
            _measure(row),
            escape_latex(row.ideal),
            *(_latex_cell(row.cells.get(name)) for name in comparison.names),
        ]
        for row in rows
    ]
    aligned = f"{RAGGED % 45}{RAGGED % 14}{'r' * len(comparison.names)}"
    return "\n".join(
        [
            f"% Counterpoise {escape_latex(__version__)}; needs \\usepackage{{array,booktabs,graphicx}}",
            "% and, for the references, \\bibliography{comparison} with the file comparison.bib",
            *(f"% Note: {escape_latex(note)}." for note in comparison.notes),
            "\\begin{table*}",
            "\\centering",
            "\\footnotesize",
            "\\setlength{\\tabcolsep}{4pt}",
            f"\\caption{{{escape_latex(caption)}}}",
            "\\label{tab:comparison}",
            FITTING,
            f"\\begin{{tabular}}{{{aligned}}}",
            "\\toprule",
            f"{' & '.join(heads)} \\\\",
            "\\midrule",
            *(f"{' & '.join(line)} \\\\" for line in lines),
            "\\bottomrule",
            "\\end{tabular}}",
            "\\end{table*}",
            "",
        ]
    )


def markdown_cell(cell: TableCell | None) -> str:
    if cell is None:
        return ""
    return f"{cell.text} ({', '.join(cell.differs_from)})" if cell.differs_from else cell.text


def _measure(row: TableRow) -> str:
    cites = f"~\\cite{{{','.join(row.cites)}}}" if row.cites else ""
    return latex_cell(f"{row.title}: {row.statistic}") + cites


def _latex_cell(cell: TableCell | None) -> str:
    """The value above its interval, so that many models fit beside each other."""
    if cell is None:
        return ""
    value, _, interval = map(escape_latex, cell.text.partition(" "))
    value = f"\\textbf{{{value}}}" if cell.is_closest else value
    marks = f"\\textsuperscript{{{','.join(cell.differs_from)}}}" if cell.differs_from else ""
    return _stacked(value + marks, interval)


def _stacked(upper: str, lower: str) -> str:
    """Two lines in one cell; braces keep a bracket from being taken for an option of the line break."""
    return rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{upper} \\ {{{lower}}}\end{{tabular}}"

"""What audits and comparisons print in the terminal: tables, what was left out, and where the files are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from counterpoise.core.numbers import interval_text, number_text, p_text

if TYPE_CHECKING:
    from counterpoise.audit.auditing import Audit
    from counterpoise.audit.compare import Comparison
    from counterpoise.measures.base.result import Result

_WIDTH_OF_FILES = 140  # if the output is not a terminal, it has no width to fit


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    _console().print(table)


def print_audit(audit: Audit, folder: Path, report: Path) -> None:
    """The overall and group rows of each measure, what they mean, and what is missing."""
    console = _console()
    for result in audit.results.values():
        _print_result(console, result)
    console.print(
        Text(
            "\nintervals and tests count words or sentence pairs, not single sentences; 'could see' is the smallest "
            "bias that these items would show in 4 of 5 cases",
            style="dim",
        )
    )
    for reason in dict.fromkeys(audit.left_out.values()):
        names = ", ".join(name for name, why in audit.left_out.items() if why == reason)
        console.print(Text(f"left out: {names}: {reason}"))
    console.print(Text(f"\nrun     {folder}\nreport  {report}"))


def _print_result(console: Console, result: Result) -> None:
    rows = result.summary[result.summary.level != "word"]
    words = result.summary[result.summary.level == "word"].group.nunique()
    print_table(
        ["group", "statistic", "value", "95 % interval", "p (Holm)", "effect", "could see", "n", "ideal"],
        [
            [
                row["group"],
                row["statistic"],
                number_text(row["value"]),
                # Where there is no value, the note says why.
                row["note"] if isnan(row["value"]) else interval_text(row["ci_low"], row["ci_high"]),
                p_text(row["p_adjusted"]),
                number_text(row["effect_size"]),
                number_text(row["smallest_detectable"]),
                str(row["n"]),
                row["ideal_text"],
            ]
            for row in rows.to_dict("records")
        ],
        title=f"\n{result.measure} on {result.dataset}, {result.model} ({result.variant})",
    )
    console.print(Text(f"positive: {result.direction.positive}", style="dim"))
    console.print(Text(f"negative: {result.direction.negative}", style="dim"))
    notes = [f"{words} single words in the report"] if words else []
    notes += [f"{len(result.skipped)} items skipped, see skipped.parquet"] if len(result.skipped) else []
    if notes:
        console.print(Text("; ".join(notes), style="dim"))
    for warning in result.warnings:
        console.print(Text(f"warning: {warning}", style="yellow"))


def print_comparison(comparison: Comparison, files: Mapping[str, Path]) -> None:
    """A verdict for each measure and pair of models, what a reader must know, and the files by what they are."""
    from counterpoise.report.verdicts import verdicts

    console = _console()
    print_table(["measure", "verdict"], [[verdict.measure, verdict.text] for verdict in verdicts(comparison)])
    for note in comparison.notes:
        console.print(Text(f"note: {note}", style="yellow"))
    width = max(map(len, files))
    console.print(Text("\n" + "\n".join(f"{what:<{width}} {path}" for what, path in files.items())))


def _console() -> Console:
    console = Console(highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH_OF_FILES)

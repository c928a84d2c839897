"""What audits and comparisons print in the terminal: tables, what was left out, and where the files are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from counterpoise.core.numbers import p_text
from counterpoise.core.printable import printable
from counterpoise.report.page import KINDS
from counterpoise.report.rows import row_estimate
from counterpoise.report.terminal_table import make_console, print_table
from counterpoise.report.wording import claims, measure_title

if TYPE_CHECKING:
    import pandas as pd

    from counterpoise.audit.auditing import Audit
    from counterpoise.audit.compare import Comparison
    from counterpoise.measures.base.result import Result

_SHOWN = ("overall", "versions", "workforce")  # levels of rows; the others are in the report
_STYLES = {
    "large": "bold red",
    "moderate": "bold red",
    "small": "bold yellow",
    "clear": "bold yellow",
    "none": "bold green",
}


def print_audit(audit: Audit, folder: Path, report: Path) -> None:
    """What was found, the numbers behind it, what a reader must know, and where everything is."""
    console = make_console()
    results = list(audit.results.values())
    console.print(Text("\nWhat was found", style="bold"))
    for result in results:
        _print_verdicts(console, result)
    _print_rows(results)
    _print_notes(console, audit)
    console.print(Text(f"\nrun     {folder}\nreport  {report}"))


def _print_verdicts(console: Console, result: Result) -> None:
    asked = f", asked as {result.asked}" if result.asked else ""
    console.print(
        Text.assemble(
            "\n", (measure_title(result.measure), "bold"), (printable(f" on {result.dataset}{asked}"), "dim")
        )
    )
    for claim in claims(result):
        line = Text.assemble(
            (f"{KINDS[claim.kind]}. ", _STYLES.get(claim.kind, "dim")), printable(claim.text)
        )
        console.print(Padding.indent(line, 2))
    for warning in result.warnings:
        console.print(Padding.indent(Text(f"Warning: {printable(warning)}", style="yellow"), 2))


def _print_rows(results: Sequence[Result]) -> None:
    """The rows about the model as a whole; those of groups and words are in the report."""
    rows = []
    for result in results:
        for row in result.summary[_is_shown(result.summary)].to_dict("records"):
            value, interval = row_estimate(row)
            rows.append(
                [
                    result.measure,
                    row["statistic"] if row["group"] == "all" else f"{row['group']}: {row['statistic']}",
                    # Where there is no value, the note says why.
                    row["note"] if isnan(row["value"]) else f"{value} {interval}".strip(),
                    p_text(row["p_adjusted"]),
                    row["ideal_text"],
                ]
            )
    print_table(["measure", "statistic", "value [95 % CI]", "p (Holm)", "ideal"], rows, title="\nNumbers")


def _is_shown(summary: pd.DataFrame) -> pd.Series:
    """Rows about the model as a whole: of those on they, the ones that are not about a part of the items."""
    return summary.level.isin(_SHOWN) | (
        (summary.level == "neutral") & ~summary.key.str.contains(".", regex=False)
    )


def _print_notes(console: Console, audit: Audit) -> None:
    rows = sum((~_is_shown(result.summary)).sum() for result in audit.results.values())
    skipped = sum(len(result.skipped) for result in audit.results.values())
    notes = [f"{rows:,} more rows, of groups and single words, are in the report."] if rows else []
    items = "1 item was" if skipped == 1 else f"{skipped:,} items were"
    notes += [f"{items} skipped; skipped.parquet says why."] if skipped else []
    notes.append("Intervals and tests count words or sentence pairs, not single sentences.")
    console.print(Text("\n" + " ".join(notes), style="dim"))
    for reason in dict.fromkeys(audit.left_out.values()):
        names = ", ".join(name for name, why in audit.left_out.items() if why == reason)
        console.print(Text(printable(f"Not run: {names}: {reason}"), style="dim"))


def print_comparison(comparison: Comparison, files: Mapping[str, Path]) -> None:
    """A verdict for each measure and pair of models, what a reader must know, and the files by what they are."""
    from counterpoise.report.verdicts import verdicts

    console = make_console()
    print_table(["measure", "verdict"], [[verdict.measure, verdict.text] for verdict in verdicts(comparison)])
    for note in comparison.notes:
        console.print(Text(f"note: {printable(note)}", style="yellow"))
    width = max(map(len, files))
    console.print(Text("\n" + "\n".join(f"{what:<{width}} {path}" for what, path in files.items())))

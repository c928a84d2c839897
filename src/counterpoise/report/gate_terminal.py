"""What a gate prints: a line for each rule, why some cannot be told, and the verdict."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from counterpoise.audit.gate.gating import GateResult
from counterpoise.core.printable import printable
from counterpoise.report.gate_text import COLUMNS, check_cells, closing_line, notes

_WIDTH = 80  # also in the log of a build, which has no width of its own
_STYLES = {"passes": "green", "fails": "red", "cannot tell": "yellow"}


def print_gate(result: GateResult) -> None:
    """The table, within 80 columns, and a closing line."""
    console = Console(highlight=False, width=_WIDTH)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, most in zip(COLUMNS, (None, 26, 11, 17), strict=True):
        table.add_column(column, overflow="fold", max_width=most)
    for check in result.checks:
        rule, value, outcome, needed = map(printable, check_cells(check))
        table.add_row(Text(rule), Text(value), Text(outcome, style=_STYLES[outcome]), Text(needed))
    console.print(table)
    for note in notes(result):
        console.print(Text(f"note: {printable(note)}", style="dim"))
    console.print(Text(f"\n{closing_line(result)}", style="bold"))

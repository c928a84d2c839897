"""What audits of many models print: the sentences of a curve, or else a table; what is missing; the files."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from counterpoise.core.printable import printable
from counterpoise.report.curve_page import audits_table
from counterpoise.report.curve_wording import curve_claims
from counterpoise.report.page import KINDS
from counterpoise.report.terminal_table import make_console, print_table
from counterpoise.report.wording import measure_title
from counterpoise.studies.audits.results import BiasCurve, ModelAudits


def print_audits(audits: ModelAudits, page: Path) -> None:
    """What was found, what is missing and why, and where everything is."""
    console = make_console()
    if isinstance(audits, BiasCurve):
        console.print(Text(f"\n{audits.about}", style="bold"))
        _print_claims(console, audits)
    else:
        table = audits_table(audits).assign(measure=audits.rows.measure)  # titles are long
        print_table(list(table.columns), table.to_numpy().tolist())
    for note in audits.notes:
        console.print(Text(f"note: {printable(note)}", style="yellow"))
    if audits.skipped:
        console.print(
            Text(f"Skipped, since they are no models: {printable(', '.join(audits.skipped))}", style="dim")
        )
    for name, reason in audits.failed.items():
        console.print(Text(printable(f"failed: {name}: {reason}"), style="bold red"))
    folder = audits.folder
    lines = [
        f"page   {page}",
        f"table  {folder / f'{audits.page_name}.csv'}",
        f"runs   {folder}/NAME, such as",
    ]
    lines[-1] += f" {folder / next(iter(audits.runs))}"
    console.print(Text("\n" + "\n".join(lines)), soft_wrap=True)


def _print_claims(console: Console, curve: BiasCurve) -> None:
    for measure, claims in groupby(curve_claims(curve), key=lambda claim: claim.measure):
        console.print(Text(f"\n{measure_title(measure)}", style="bold"))
        for claim in claims:
            style = "bold" if claim.kind == "difference" else "dim"
            line = Text.assemble((f"{KINDS[claim.kind]}. ", style), printable(claim.text))
            console.print(Padding.indent(line, 2))

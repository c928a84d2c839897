"""`counterpoise report`: the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder.")]) -> None:
    """Write report.html of a run anew.

    \b
    Example:
      counterpoise report runs/builtin-quick
    """
    from counterpoise.report.html import write_report

    typer.echo(write_report(folder))

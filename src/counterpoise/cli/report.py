"""`counterpoise report`: the page of a run, in other formats, and its charts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder.")],
    format: Annotated[
        str,
        typer.Option(
            metavar="html|md|card|latex|lm-eval|every-eval-ever",
            help="html, md, card (a section for a Hugging Face model card), latex (booktabs tables), or for other "
            "tools: lm-eval (results as lm-evaluation-harness writes them), every-eval-ever (its schema).",
        ),
    ] = "html",
    charts: Annotated[
        str | None,
        typer.Option(
            metavar="svg|pdf|png", help="Write the charts as files into DIR/charts instead, for a paper."
        ),
    ] = None,
) -> None:
    """Write the report of a run anew, or in another format, and say where it lies.

    \b
    Examples:
      counterpoise report runs/builtin-quick
      counterpoise report runs/builtin-quick --format card
      counterpoise report runs/builtin-quick --format lm-eval
      counterpoise report runs/builtin-quick --charts pdf
    """
    from counterpoise.report.formats import write_format
    from counterpoise.report.html import write_charts

    folder = folder.expanduser()
    if charts is not None:
        for path in write_charts(folder, charts):
            typer.echo(path)
    else:
        typer.echo(write_format(folder, format))

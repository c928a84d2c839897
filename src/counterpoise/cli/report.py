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
    push: Annotated[
        str | None,
        typer.Option(
            metavar="REPO",
            help="With --format card: also merge the card into the README.md of this model on the hub.",
        ),
    ] = None,
    create_pr: Annotated[
        bool, typer.Option("--create-pr", help="With --push: open a pull request instead of a commit.")
    ] = False,
    benchmark: Annotated[
        str | None,
        typer.Option(
            metavar="DATASET",
            help="With --format card: a benchmark of the hub whose tasks are named as our measures, for "
            ".eval_results (docs/hub.md).",
        ),
    ] = None,
) -> None:
    """Write the report of a run anew, or in another format, and say where it lies.

    Nothing leaves this machine without --push.

    \b
    Examples:
      counterpoise report runs/builtin-quick
      counterpoise report runs/builtin-quick --format card
      counterpoise report runs/builtin-quick --format card --push someone/model --create-pr
      counterpoise report runs/builtin-quick --format lm-eval
      counterpoise report runs/builtin-quick --charts pdf
    """
    from counterpoise.report.card_files import write_card
    from counterpoise.report.formats import write_format
    from counterpoise.report.html import write_charts

    if (push is not None or benchmark is not None) and (format != "card" or charts is not None):
        raise typer.BadParameter("--push and --benchmark are for --format card")
    if create_pr and push is None:
        raise typer.BadParameter("--create-pr is for --push")
    folder = folder.expanduser()
    if charts is not None:
        written = write_charts(folder, charts)
    elif format == "card":
        written = write_card(folder, benchmark)
    else:
        written = [write_format(folder, format)]
    for path in written:
        typer.echo(path)
    if push is not None:
        _push(folder, push, create_pr, benchmark)


def _push(folder: Path, repo: str, create_pr: bool, benchmark: str | None) -> None:
    from counterpoise.integrations.hub import push_card

    pushed = push_card(folder, repo, create_pr=create_pr, benchmark=benchmark)
    typer.echo(f"{'pushed' if pushed.changed else 'nothing to push, it is there'}: {pushed.url}")

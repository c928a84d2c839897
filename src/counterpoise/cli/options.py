"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A hub name, a folder with a saved model, or 'builtin'.")
]
Offline = Annotated[bool, typer.Option("--offline", help="Never ask the model hub.")]
Data = Annotated[
    Path | None,
    typer.Option(
        help="A folder of data sets, looked in first; then the one that COUNTERPOISE_DATA names, then the cache folder."
    ),
]
TextFormat = Annotated[
    str | None,
    typer.Option("--format", help="text, csv, tsv, jsonl or parquet, where a file's name does not say."),
]
Paragraphs = Annotated[
    bool,
    typer.Option("--paragraphs", help="In plain text a document ends at an empty line, not at each line."),
]
Address = Annotated[
    str | None, typer.Option(help="Of a Ray cluster, host:port or auto; a local one if not given.")
]


def measure_names(measures: str | None) -> list[str] | None:
    """The names in a list such as lpbs,ppd; None if there is none."""
    if measures is None:
        return None
    names = [name.strip() for name in measures.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("--measures names no measure")
    return names

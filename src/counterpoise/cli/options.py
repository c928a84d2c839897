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
    Path | None, typer.Option(help="A folder of data sets; else the one that COUNTERPOISE_DATA names.")
]

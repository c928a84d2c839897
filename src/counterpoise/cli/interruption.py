"""What Ctrl-C does to a command that can resume."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer


@contextmanager
def resumable(folder: Path) -> Iterator[None]:
    """Turns Ctrl-C into one line, which says how to resume, and exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"counterpoise: stopped; the same command goes on where it was ({folder})", err=True)
        raise typer.Exit(130) from None

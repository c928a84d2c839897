"""Tables in the terminal. Imports nothing heavy, so that `counterpoise catalog` answers at once."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from counterpoise.core.printable import printable

_WIDTH_OF_FILES = 140  # if the output is not a terminal, it has no width to fit


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        longest = max(map(len, column.split()), default=1)
        table.add_column(column, overflow="fold", min_width=longest)  # no word of a head is broken
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    make_console().print(table)


def make_console() -> Console:
    console = Console(highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH_OF_FILES)

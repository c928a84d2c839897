"""Markdown from text that may hold anything: names of models, words of a dataset, settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from counterpoise.core.printable import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def escape_markdown(text: object) -> str:
    """Text that stays text: no markup, no HTML, no line break, no control characters.

    >>> print(escape_markdown("a|b <script>_x_"))
    a\\|b \\<script\\>\\_x\\_
    """
    return _SPECIAL.sub(r"\\\1", printable(" ".join(str(text).split())))


def markdown_table(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as GitHub and the model hub read it; column names and cells are escaped.

    Written here because `DataFrame.to_markdown` needs tabulate, which does not escape | in cells.

    >>> print(markdown_table(["word", "value"], [["nurse|carer", 0.5]]))
    | word | value |
    |---|---|
    | nurse\\|carer | 0.5 |
    """
    lines = [_line(columns), f"|{'---|' * len(columns)}", *map(_line, rows)]
    return "\n".join(lines)


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(escape_markdown, cells))} |"

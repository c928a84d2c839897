"""Edits of a text: what was changed and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """`text[start:end] == old` becomes `new`."""

    start: int
    end: int
    old: str
    new: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits, which are in order and do not overlap.

    >>> apply("her hat", [Edit(0, 3, "her", "his")])
    'his hat'
    """
    pieces: list[str] = []
    done = 0
    for edit in edits:
        pieces += (text[done : edit.start], edit.new)
        done = edit.end
    pieces.append(text[done:])
    return "".join(pieces)


def merge(first: list[Edit], second: list[Edit]) -> list[Edit]:
    """Both lists in order; where two edits overlap the one of the first list stays.

    >>> merge([Edit(5, 8, "her", "his")], [Edit(0, 4, "Anna", "Paul"), Edit(5, 8, "Her", "X")])
    [Edit(start=0, end=4, old='Anna', new='Paul'), Edit(start=5, end=8, old='her', new='his')]
    """
    if not second:
        return first
    taken = {place for edit in first for place in range(edit.start, edit.end)}
    free = [edit for edit in second if taken.isdisjoint(range(edit.start, edit.end))]
    return sorted(first + free)

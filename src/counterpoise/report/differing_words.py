"""Two texts side by side, with the words that differ marked."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_LONGEST = 400  # characters of a text that are shown
_BEFORE = 120  # of them, before the first difference


class Piece(NamedTuple):
    """A piece of a text that is the same in the other one, or not."""

    text: str
    is_changed: bool


def marked_pair(first: str, second: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces; of long ones, what is around the first difference.

    >>> he, she = marked_pair("He lost his hat.", "She lost her hat.")
    >>> he
    [Piece(text='He', is_changed=True), Piece(text=' lost ', is_changed=False), Piece(text='his', is_changed=True), \
Piece(text=' hat.', is_changed=False)]
    >>> [piece.text for piece in she if piece.is_changed]
    ['She', 'her']
    """
    same = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    words = _WORD.findall(_window(first, same)), _WORD.findall(_window(second, same))
    pieces: tuple[list[Piece], list[Piece]] = ([], [])
    for kind, *bounds in SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        for side, (start, end) in enumerate(((bounds[0], bounds[1]), (bounds[2], bounds[3]))):
            if start < end:
                pieces[side].append(Piece("".join(words[side][start:end]), kind != "equal"))
    return pieces


def _window(text: str, at: int) -> str:
    """The part of a long text around a place, from the beginning of a word on."""
    if len(text) <= _LONGEST:
        return text
    start = max(0, at - _BEFORE)
    if start:
        start = text.rfind(" ", 0, start) + 1
    end = text.find(" ", start + _LONGEST)
    return f"{'... ' if start else ''}{text[start:] if end < 0 else f'{text[start:end]} ...'}"

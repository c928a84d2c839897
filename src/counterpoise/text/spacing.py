"""What else goes when a word is removed: the space before or after it, its 's, its hyphen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from counterpoise.text.edits import Edit

_TAIL = re.compile(r"(?:-in-law)?(?:['’](?:s|ll|d|ve|re)(?![^\W_]))?", re.IGNORECASE)
_TITLES = ("mr", "mrs", "ms")
_WORD = re.compile(r"[^\W_]")
_SPACES = " \t"


def removals(text: str, edits: Iterable[Edit]) -> Iterator[Edit]:
    """The edits as removals that leave the spacing tidy; terms with only a space between them go as one.

    >>> edits = [Edit(5, 8, "her", ""), Edit(9, 15, "mother", "")]
    >>> [edit.old for edit in removals("with her mother's hat.", edits)]
    ["her mother's "]
    """
    runs: list[tuple[int, int]] = []
    for edit in edits:
        start, end = edit.start, _with_tail(text, edit)
        if runs and text[runs[-1][1] : start].strip(_SPACES) in ("", "-"):
            start, _ = runs.pop()
        runs.append((start, end))
    done = 0
    for start, end in runs:
        start, end = _tidy(text, start, end)
        yield Edit(max(start, done), end, text[max(start, done) : end], "")
        done = end


def _with_tail(text: str, edit: Edit) -> int:
    if edit.old.lower() in _TITLES and text[edit.end : edit.end + 1] == ".":
        return edit.end + 1
    match = _TAIL.match(text, edit.end)
    return match.end() if match else edit.end


def _tidy(text: str, start: int, end: int) -> tuple[int, int]:
    """Takes along a hyphen that would dangle, and spaces that would be doubled or stand before a comma."""
    if text[end : end + 1] == "-" and _WORD.match(text, end + 1):
        end += 1
    elif start >= 2 and text[start - 1] == "-" and _WORD.match(text, start - 2):
        start -= 1
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if after and after in _SPACES and not _WORD.match(before) and before not in tuple("\"',.”’"):
        while text[end : end + 1] and text[end] in _SPACES:
            end += 1
    elif before and before in _SPACES and not _WORD.match(after) and after not in tuple("([-<\"'“‘"):
        while start and text[start - 1] in _SPACES:
            start -= 1
    return start, end

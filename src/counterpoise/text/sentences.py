"""Sentences of a text, by punctuation: good enough for training, where a wrong cut costs little."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Punctuation with what closes after it, before a space and a capital letter or a number; or a break of the paragraph.
_END = re.compile(
    r"""(?<=[.!?…])(?P<closing>["'”’)\]*]*)\s+(?=["'“‘(\[*]*[^\W_a-z])|(?P<break>\n\s*\n|(?:<br\s*/?>\s*)+)"""
)

# Words after which a full stop does not end a sentence, where a capital letter or a number follows.
_LIST = """
mr mrs ms mx mme dr prof rev hon sr jr st mt ft sgt capt lt lieut col gen maj cmdr gov sen rep pres supt no nos vol pp
op vs cf ca fig al inc ltd co corp bros jan feb mar apr jun jul aug sept sep oct nov dec e.g i.e ph.d
"""
_ABBREVIATIONS = frozenset(_LIST.split())
_LAST_WORD = re.compile(r"([^\W\d_](?:[\w.]*\w)?)\.$")


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the space around them.

    >>> sentences("Dr. A. Smith left. She was tired!  He (her son) was not.")
    ['Dr. A. Smith left.', 'She was tired!', 'He (her son) was not.']
    """
    pieces = [text[start:end] for start, end in spans(text)]
    return [sentence.strip() for sentence in pieces if sentence.strip()]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence starts and ends."""
    start = 0
    for match in _END.finditer(text):
        if not match["closing"] and match["break"] is None and is_abbreviated(text[start : match.start()]):
            continue
        yield start, match.start() + len(match["closing"] or "")
        start = match.end()
    yield start, len(text)


def is_abbreviated(before: str) -> bool:
    """Whether the full stop belongs to the last word: a known abbreviation, or an initial."""
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    word = last[1]
    initials = word != "I" and all(len(letter) == 1 for letter in word.split("."))  # J, J.R.R, c
    return initials or word.lower() in _ABBREVIATIONS

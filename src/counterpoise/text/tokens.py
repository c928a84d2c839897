"""Words and punctuation of a sentence with their places, for rules that look at the words around one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_TOKEN = re.compile(r"<br\s*/?>|[^\W_]+(?:['’`-][^\W_]+)*|\.\.+|--+|[^\w\s*]")


class TextToken(NamedTuple):
    """`text[start:end]`; `word` is it in lower case with a straight apostrophe."""

    start: int
    end: int
    word: str
    text: str


def tokens(text: str, start: int, end: int) -> list[TextToken]:
    """The tokens of `text[start:end]`.

    >>> [token.word for token in tokens("She’s well-read (isn't she?)", 0, 28)]
    ["she's", 'well-read', '(', "isn't", 'she', '?', ')']
    """
    found = []
    for match in _TOKEN.finditer(text, start, end):
        word = match[0].lower().replace("’", "'").replace("`", "'")
        found.append(TextToken(match.start(), match.end(), word, match[0]))
    return found


def word_at(sentence: Sequence[TextToken], place: int) -> str:
    """The word at a place, or nothing beyond either end."""
    return sentence[place].word if 0 <= place < len(sentence) else ""

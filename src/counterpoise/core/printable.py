"""Text from elsewhere, made safe to print in a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with control characters, marks of direction and the like written as escapes.

    >>> print(printable("a \\x1b[31mred\\x1b[0m word, \\u202egnirts, café"))
    a \\x1b[31mred\\x1b[0m word, \\u202egnirts, café
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text
    )

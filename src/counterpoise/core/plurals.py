"""Counts of things in English: 1 document, 2,000 documents."""

from __future__ import annotations


def count_text(n: int, thing: str, plural: str | None = None) -> str:
    """A number of things, in the singular where there is one.

    >>> count_text(1, "document"), count_text(2000, "document"), count_text(0, "category", "categories")
    ('1 document', '2,000 documents', '0 categories')
    """
    return f"{n:,} {thing if n == 1 else plural or thing + 's'}"

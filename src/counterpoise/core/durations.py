"""Times as people read them."""

from __future__ import annotations


def duration_text(seconds: float | None) -> str:
    """A time.

    >>> duration_text(0.25), duration_text(45), duration_text(600), duration_text(9000), duration_text(None)
    ('0.2 s', '45 s', '10 min', '2.5 h', '')
    >>> duration_text(100 * 3600), duration_text(20_000 * 3600)
    ('4.2 days', '2.3 years')
    """
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    hours = seconds / 3600
    if hours < 72:
        return f"{hours:.1f} h"
    return f"{hours / 24:.1f} days" if hours < 24 * 365 else f"{hours / (24 * 365):.1f} years"

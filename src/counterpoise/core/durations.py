"""Times and rates as people read them."""

from __future__ import annotations

from counterpoise.core.numbers import bytes_text


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


def rate_text(per_second: float | None, unit: str) -> str:
    """How fast things get done; slow ones by how long each takes. The unit is a plural, such as "steps".

    >>> rate_text(1234.5, "questions"), rate_text(3.46, "steps"), rate_text(0.4, "steps"), rate_text(2e6, "bytes")
    ('1,234 questions/s', '3.5 steps/s', '2.5 s/step', '2.0 MB/s')
    >>> rate_text(0.001, "models"), rate_text(None, "steps")
    ('17 min/model', '')
    """
    if not per_second:
        return ""
    if unit == "bytes":
        return f"{bytes_text(per_second)}/s"
    if per_second < 1:
        return f"{duration_text(1 / per_second)}/{unit.removesuffix('s')}"
    return f"{per_second:,.1f} {unit}/s" if per_second < 10 else f"{per_second:,.0f} {unit}/s"

"""Numbers as people read them."""

from __future__ import annotations

import math


def number_text(value: float) -> str:
    """Three decimals, or nothing where there is no number.

    >>> number_text(0.44251), number_text(-1.2), number_text(float("nan"))
    ('0.443', '-1.200', '')
    """
    return "" if math.isnan(value) else f"{value:.3f}"


def interval_text(low: float, high: float) -> str:
    """
    >>> interval_text(0.313, 0.539)
    '[0.313, 0.539]'
    """
    return "" if math.isnan(low) or math.isnan(high) else f"[{low:.3f}, {high:.3f}]"


def p_equals(p: float) -> str:
    """
    >>> p_equals(0.0362), p_equals(0.00001)
    ('p = .036', 'p < .001')
    """
    return "p < .001" if p < 0.001 else f"p = {p_text(p)}"


def p_text(p: float) -> str:
    """
    >>> p_text(0.0362), p_text(0.00001), p_text(float("nan"))
    ('.036', '< .001', '')
    """
    if math.isnan(p):
        return ""
    return "< .001" if p < 0.001 else "1" if p > 0.9995 else f"{p:.3f}".lstrip("0")

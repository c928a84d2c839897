"""Numbers as people read them."""

from __future__ import annotations

import math

_SMALLEST_WRITTEN_OUT = 1e-6  # smaller numbers are written with an exponent
_ROUNDING_ERROR = 1e-12  # what two equal numbers may differ by after a calculation


def number_text(value: float) -> str:
    """Three significant digits, or nothing where there is no number.

    >>> number_text(0.44251), number_text(-1.2), number_text(0.00031), number_text(8710.0), number_text(float("nan"))
    ('0.443', '-1.20', '0.00031', '8,710', '')
    """
    if math.isnan(value) or abs(value) < _ROUNDING_ERROR:
        return decimal_text(value)
    if abs(value) >= 1000 or math.isinf(value):
        return f"{value:,.0f}"
    return decimal_text(value, min(3, _decimals_for(abs(value), 3)))


def integer_text(value: float) -> str:
    """A whole number, or nothing where there is no number.

    >>> integer_text(8710.0), integer_text(0), integer_text(float("nan"))
    ('8,710', '0', '')
    """
    return "" if math.isnan(value) else f"{value:,.0f}"


def p_equals(p: float) -> str:
    """
    >>> p_equals(0.0362), p_equals(0.00001), p_equals(float("nan"))
    ('p = .036', 'p < .001', 'no p')
    """
    if math.isnan(p):
        return "no p"
    return "p < .001" if p < 0.001 else f"p = {p_text(p)}"


def p_text(p: float) -> str:
    """
    >>> p_text(0.0362), p_text(0.00001), p_text(float("nan"))
    ('.036', '< .001', '')
    """
    if math.isnan(p):
        return ""
    return "< .001" if p < 0.001 else "1" if p > 0.9995 else f"{p:.3f}".lstrip("0")


def decimal_text(value: float, decimals: int = 3, *, sign: bool = False) -> str:
    """A fixed number of decimals, or two significant digits where those decimals would show a nonzero number as zero.

    >>> decimal_text(0.4425), decimal_text(0.00031), decimal_text(-0.0000412, 2), decimal_text(-0.0, 2)
    ('0.443', '0.00031', '-0.000041', '0')
    >>> decimal_text(3e-9), decimal_text(0.3 - 0.1 - 0.2), decimal_text(0.5, 1, sign=True), decimal_text(float("nan"))
    ('3e-09', '0', '+0.5', '')
    """
    if math.isnan(value):
        return ""
    if abs(value) < _ROUNDING_ERROR:
        return "0"
    plus = "+" if sign else ""
    text = f"{value:{plus}.{decimals}f}"
    if any(digit in text for digit in "123456789"):
        return text
    if abs(value) < _SMALLEST_WRITTEN_OUT:
        return f"{value:{plus}.2g}"
    return f"{value:{plus}.{_decimals_for(abs(value))}f}"


def estimate_text(
    value: float, low: float, high: float, decimals: int = 2, *, sign: bool = False, unit: str = ""
) -> str:
    """A value and its interval with the same number of decimals: these, or more where they would hide something.

    >>> estimate_text(2.26, 2.05, 2.47), estimate_text(2.3, 2.0, 2.5, 1, sign=True, unit=" points")
    ('2.26 [2.05, 2.47]', '+2.3 points [2.0, 2.5]')
    >>> estimate_text(0.00031, 0.00021, 0.00041), estimate_text(0.25, 0.002, 0.5), estimate_text(-1e-5, -0.3, 0.4)
    ('0.00031 [0.00021, 0.00041]', '0.250 [0.002, 0.500]', '-0.000010 [-0.30, 0.40]')
    >>> nan = float("nan")
    >>> estimate_text(0.2, nan, nan), estimate_text(nan, nan, nan)
    ('0.20', '')
    """
    told, interval = _parts(value, low, high, decimals, sign)
    return f"{told}{unit if told else ''} {interval}".strip()


def estimate_parts(value: float, low: float, high: float) -> tuple[str, str]:
    """A value and its interval for two columns of a table, with as many decimals as the interval's width asks for.

    >>> estimate_parts(0.4425, 0.3281, 0.5569), estimate_parts(57.267, 51.988, 62.386)
    (('0.44', '[0.33, 0.56]'), ('57', '[52, 62]'))
    >>> estimate_parts(2.322, 1.799, 2.846), estimate_parts(1.0, -0.5, 2.5)
    (('2.3', '[1.8, 2.8]'), ('1.0', '[-0.5, 2.5]'))
    >>> estimate_parts(0.4425, float("nan"), float("nan"))
    ('0.443', '')
    """
    if math.isnan(low) or math.isnan(high):
        return number_text(value), ""
    return _parts(value, low, high, 0, False)


def _parts(value: float, low: float, high: float, decimals: int, sign: bool) -> tuple[str, str]:
    if math.isnan(low) or math.isnan(high):
        return decimal_text(value, decimals, sign=sign), ""
    decimals = estimate_decimals(value, low, high, decimals)
    interval = f"[{decimal_text(low, decimals)}, {decimal_text(high, decimals)}]"
    return decimal_text(value, decimals, sign=sign), interval


def estimate_decimals(value: float, low: float, high: float, decimals: int) -> int:
    """The decimals with which a value and its interval are told: these, or more where they would hide something.

    >>> estimate_decimals(2.26, 2.05, 2.47, 2), estimate_decimals(0.1249, 0.1241, 0.1257, 2)
    (2, 4)
    """
    if not all(map(math.isfinite, (value, low, high))):
        return decimals
    if high <= low:
        return max(decimals, 2)
    is_wide = _decimals_for((high - low) / 2, 1) <= decimals
    of_width = decimals if is_wide else _decimals_for(high - low, 2)
    to_see = max((_decimals_for(abs(end), 1) for end in (value, low, high) if end), default=0)
    return to_see if of_width < to_see <= of_width + 2 else of_width


def bytes_text(size: float | None) -> str:
    """Bytes in the unit that fits; nothing where they are not known.

    >>> bytes_text(788_000_000), bytes_text(36.2e9), bytes_text(940), bytes_text(None)
    ('788 MB', '36 GB', '940 B', '')
    >>> bytes_text(1_530_000), bytes_text(999_700)
    ('1.5 MB', '1.0 MB')
    """
    if size is None:
        return ""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.1f} {unit}" if size < 9.95 and unit != "B" else f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def _decimals_for(size: float, digits: int = 2) -> int:
    """The decimals with which a number of this size shows so many significant digits."""
    return max(0, digits - 1 - math.floor(math.log10(size)))

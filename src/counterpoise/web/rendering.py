"""Pages of the explorer from their templates: the look and the parts of the report, with escaping on."""

from __future__ import annotations

import math
import re
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse
from jinja2 import Environment

from counterpoise.core.numbers import decimal_text
from counterpoise.measures.base.units import PLAIN, RATING
from counterpoise.report.differing_words import marked_pair
from counterpoise.report.page import page_environment
from counterpoise.text.edits import Edit
from counterpoise.web.alignment import AlignedTokens
from counterpoise.web.guard import SANDBOX_HEADERS
from counterpoise.web.kinds.registry import KINDS
from counterpoise.web.probing import Probe

_STEPS = (0.1, 0.5, 1.0, 2.0)  # differences of log-probabilities from which on the shade is deeper
_LONGEST = 400  # characters shown of a table cell
_BODY = re.compile(r"<body[^<>]*>", re.IGNORECASE)


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of the explorer. Text from users, models and data is escaped."""
    return HTMLResponse(_environment().get_template(template).render(**values), status)


def sandboxed(html: str) -> HTMLResponse:
    """A page that may come from someone else: it is shown, and can do nothing."""
    return HTMLResponse(html, headers=SANDBOX_HEADERS)


def with_bar(html: str, **values: Any) -> HTMLResponse:
    """The same with the explorer's navigation above it, so that the page scrolls as one."""
    bar = _environment().get_template("report_bar.html").render(**values)
    body = _BODY.search(html)
    at = body.end() if body else 0
    return sandboxed(f"{html[:at]}\n{bar}{html[at:]}")


@cache
def style() -> str:
    """The style sheet: that of the report, and what only the explorer has."""
    return _environment().get_template("explorer.css").render()


@cache
def script() -> str:
    return resources.files("counterpoise.web").joinpath("static/explorer.js").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = page_environment("counterpoise.web")
    environment.filters.update(decimal=decimal_text, signed=signed, shade=shade, cell=cell_text, zip=zip)
    environment.globals.update(
        link=link,
        marked=marked,
        marked_pair=marked_pair,
        verdict=verdict,
        kind_labels={kind.name: kind.label for kind in KINDS.values()},
    )
    return environment


def signed(value: float) -> str:
    """
    >>> signed(0.5), signed(-0.25), signed(0.0001)
    ('+0.50', '-0.25', '0.00')
    """
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}"


def shade(tokens: AlignedTokens) -> str:
    """The CSS class of tokens in the strip: which version they favour, in five steps.

    >>> shade(AlignedTokens("he", "she", -1.0, -1.7, True))
    'm2'
    """
    step = sum(abs(tokens.difference) >= limit for limit in _STEPS)
    return "none" if not step else f"{'m' if tokens.difference > 0 else 'f'}{step}"


def cell_text(value: Any) -> str:
    """A cell of a table of items."""
    if value is None:
        return ""
    text = f"{value:.4f}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def link(path: str, **query: Any) -> str:
    """An address with a query, empty values left out.

    >>> link("/probe", text="He & she", second="")
    '/probe?text=He+%26+she'
    """
    encoded = urlencode([(name, value) for name, value in query.items() if value not in ("", None, False)])
    return f"{path}?{encoded}" if encoded else path


def marked(text: str, edits: list[Edit]) -> list[tuple[str, Edit | None]]:
    """A text in pieces: what stays, and the edits.

    >>> [(stays, edit and edit.new) for stays, edit in marked("He left.", [Edit(0, 2, "He", "She")])]
    [('', 'She'), (' left.', None)]
    """
    pieces: list[tuple[str, Edit | None]] = []
    done = 0
    for edit in edits:
        pieces.append((text[done : edit.start], edit))
        done = edit.end
    return [*pieces, (text[done:], None)]


def verdict(probe: Probe) -> str:
    """What the difference of the two versions says, in words.

    >>> verdict(Probe("m", "classifier", 0.75, 0.71, neutral=0.72, is_probability=True))
    'The male version is rated higher than the female one, by 4.0 points on a scale of 0 to 100.'
    """
    side, other = ("male", "female") if probe.difference > 0 else ("female", "male")
    if probe.kind == "classifier":
        if abs(probe.difference) < 1e-6:
            return "Both versions are rated alike."
        unit = RATING if probe.is_probability else PLAIN
        amount = unit.distance(abs(probe.difference))
        return f"The {side} version is rated higher than the {other} one, by {amount}."
    if abs(probe.difference) < 0.005:
        return "Both versions are equally likely."
    times = math.exp(min(abs(probe.difference), 50.0))
    how = f"{times:,.1f} times" if times < 1000 else f"{times:.0e} times"
    return f"The {side} version is {how} as likely as the other (a difference of {abs(probe.difference):.2f} in logs)."

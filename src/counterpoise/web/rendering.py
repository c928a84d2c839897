"""Pages of the explorer from their templates: the look and the parts of the report, with escaping on."""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from counterpoise.core.numbers import decimal_text, estimate_parts, integer_text, number_text, p_text
from counterpoise.core.version import __version__
from counterpoise.report.page import KINDS, anchor
from counterpoise.report.wording import measure_title
from counterpoise.text.edits import Edit
from counterpoise.web.alignment import AlignedTokens
from counterpoise.web.probing import Probe

_STEPS = (0.1, 0.5, 1.0, 2.0)  # differences of log-probabilities from which on the shade is deeper
_LONGEST = 400  # characters shown of a table cell


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of the explorer. Text from users, models and data is escaped."""
    return HTMLResponse(_environment().get_template(template).render(**values), status)


@cache
def style() -> str:
    """The style sheet: that of the report, and what only the explorer has."""
    return _environment().get_template("explorer.css").render()


@cache
def script() -> str:
    return resources.files("counterpoise.web").joinpath("static/explorer.js").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("counterpoise.web"), PackageLoader("counterpoise.report")]),
        autoescape=lambda name: not (name or "").endswith(".css"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=number_text,
        count=integer_text,
        p=p_text,
        decimal=decimal_text,
        title=measure_title,
        signed=signed,
        shade=shade,
        cell=cell_text,
    )
    environment.globals.update(
        estimate=estimate_parts,
        anchor=anchor,
        kinds=KINDS,
        version=__version__,
        link=link,
        marked=marked,
        verdict=verdict,
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
    """What the difference of the two likelihoods says, in words."""
    if not any(tokens.is_gendered for tokens in probe.tokens):
        return "There is no gendered word in it, so the two versions are the same."
    if abs(probe.difference) < 0.005:
        return "Both versions are equally likely."
    side = "male" if probe.difference > 0 else "female"
    times = math.exp(min(abs(probe.difference), 50.0))
    how = f"{times:,.1f} times" if times < 1000 else f"{times:.0e} times"
    return f"The {side} version is {how} as likely as the other (a difference of {abs(probe.difference):.2f} in logs)."

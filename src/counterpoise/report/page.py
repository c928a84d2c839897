"""What the pages share: the templates, with escaping on, and the filters for numbers."""

from __future__ import annotations

from typing import Any

from counterpoise.core.files import slug
from counterpoise.core.numbers import estimate_parts, integer_text, number_text, p_text
from counterpoise.core.version import __version__
from counterpoise.report.wording import Kind, measure_title

KINDS: dict[Kind, str] = {
    "large": "Large bias",
    "moderate": "Moderate bias",
    "small": "Small bias",
    "clear": "Bias",
    "negligible": "Negligible",
    "none": "No bias found",
    "unclear": "Not enough data to tell",
    "unsure": "No verdict",
    "words": "Words",
    "difference": "Differs",
    "same": "No difference found",
}


def render_page(template: str, **values: Any) -> str:
    """A page from its template. Text from users, models and data is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("counterpoise.report"),
        autoescape=lambda name: name != "style.css",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number_text, count=integer_text, p=p_text, title=measure_title)
    environment.globals.update(
        estimate=estimate_parts,
        anchor=anchor,
        kinds=KINDS,
        version=__version__,
    )
    return environment.get_template(template).render(**values)


def anchor(name: str) -> str:
    """A name as an id in a page.

    >>> anchor("my measure <1>")
    'm-my-measure-1'
    """
    return f"m-{slug(name)}"

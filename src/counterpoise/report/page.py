"""What the pages share: the templates, with escaping on, and the filters for numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterpoise.core.files import slug
from counterpoise.core.numbers import estimate_parts, integer_text, number_text, p_text
from counterpoise.core.version import __version__
from counterpoise.report.wording import Kind, measure_title

if TYPE_CHECKING:
    from jinja2 import Environment

KINDS: dict[Kind, str] = {
    "large": "Large bias",
    "moderate": "Moderate bias",
    "small": "Small bias",
    "clear": "Bias",
    "negligible": "Negligible",
    "none": "No bias found",
    "unclear": "Not enough data to tell",
    "unsure": "No verdict",
    "words": "One by one",
    "difference": "Differs",
    "same": "No difference found",
}


def render_page(template: str, **values: Any) -> str:
    """A page from its template. Text from users, models and data is escaped."""
    return page_environment().get_template(template).render(**values)


def page_environment(*packages: str) -> Environment:
    """The templates of the report, and before them those of other packages, with the filters that they share."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "counterpoise.report")]),
        autoescape=lambda name: not (name or "").endswith(".css"),
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
    return environment


def anchor(name: str) -> str:
    """A name as an id in a page.

    >>> anchor("my measure <1>")
    'm-my-measure-1'
    """
    return f"m-{slug(name)}"

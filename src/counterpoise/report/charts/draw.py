"""A chart as SVG, PDF or PNG, made by vl-convert: no browser, no network, and in a process of its own."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from altair.utils.schemapi import debug_mode

from counterpoise.core.errors import unknown
from counterpoise.core.files import make_inner_folder, write_aside
from counterpoise.report.charts.converter import ChartError, convert, without_control_characters
from counterpoise.report.charts.layout import NARROW, WIDE, Layout

Format = Literal["svg", "pdf", "png"]

_SVG = "http://www.w3.org/2000/svg"
_PNG_SCALE = 3  # 300 dots to the inch at the size of the page


class Draw(Protocol):
    """Draws a chart in a layout: a function of this package with its table filled in (`functools.partial`)."""

    def __call__(self, *, layout: Layout) -> Any: ...


@dataclass(frozen=True)
class Figure:
    """A chart with its name (of the file), its title and what to know when reading it."""

    name: str  # of the file, and of ids in the page
    title: str
    draw: Draw
    caption: str = ""

    def __post_init__(self) -> None:
        # Names of measures come from run folders, which may come from anywhere.
        object.__setattr__(self, "name", re.sub(r"[^\w-]+", "-", self.name))

    @property
    def chart(self) -> Any:
        """The chart as wide as the text of a page."""
        return self._in_layout(WIDE)

    @property
    def alt(self) -> str:
        """The words that stand for the picture."""
        return str(self.chart.description)

    def svg(self) -> str:
        """The pictures for a page, for wide and for narrow windows, of which its style shows one.

        Their ids are their own, and screen readers get `alt` instead of their parts. A chart that cannot be drawn is a
        sentence that says so: its numbers are in the tables of the page.
        """
        try:
            narrow = inline_svg(self._in_layout(NARROW), f"{self.name}-narrow", "narrow")
            return inline_svg(self.chart, self.name, "wide") + narrow
        except ChartError:
            return "<p>This chart could not be drawn.</p>"

    def _in_layout(self, layout: Layout) -> Any:
        # Altair would check each step against its schema, which takes longer than everything else; tests have it do so.
        with debug_mode(False):
            return self.draw(layout=layout)


def to_svg(chart: Any) -> str:
    return convert(chart.to_dict(validate=False), "svg").decode()


def inline_svg(chart: Any, name: str, style: str | None = None) -> str:
    """SVG that can stand in a page beside others; `style` is its class there."""
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(to_svg(chart))
    prefix = f"{name}-"
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if key == "id":
                element.set(key, prefix + value)
            elif value.startswith("url(#"):
                element.set(key, f"url(#{prefix}{value[5:]}")
            elif key in ("class", "pointer-events") or key.startswith("aria-") or key == "role":
                del element.attrib[key]
    if style is not None:
        root.set("class", style)
    root.set("role", "img")
    root.set("aria-label", without_control_characters(str(chart.description)))
    return ElementTree.tostring(root, encoding="unicode")


def check_format(format: str) -> None:
    if format not in get_args(Format):
        raise unknown("format of charts", format, get_args(Format))


def write_figures(figures: Sequence[Figure], folder: str | Path, format: str) -> list[Path]:
    """Writes each figure into a folder; returns the files."""
    check_format(format)
    folder = make_inner_folder(Path(folder))
    paths = []
    for figure in figures:
        path = folder / f"{figure.name}.{format}"
        with write_aside(path) as aside:
            aside.write_bytes(_drawn(figure, format))
        paths.append(path)
    return paths


def _drawn(figure: Figure, format: str) -> bytes:
    if format == "svg":
        return inline_svg(figure.chart, figure.name).encode()
    # Print is white: a picture without a background is black on black in dark viewers.
    spec = figure.chart.to_dict(validate=False) | {"background": "white"}
    options = {"scale": _PNG_SCALE} if format == "png" else {}
    return convert(spec, format, **options)

"""A chart as SVG, PDF or PNG, made by vl-convert: no browser, no network."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from counterpoise.core.errors import unknown
from counterpoise.core.files import write_aside

Format = Literal["svg", "pdf", "png"]

_SVG = "http://www.w3.org/2000/svg"
_PNG_SCALE = 3  # 300 dots to the inch at the size of the page


@dataclass(frozen=True)
class Figure:
    """A chart with its name (of the file), its title and what to know when reading it."""

    name: str  # of the file, and of ids in the page
    title: str
    chart: Any
    caption: str = ""

    def __post_init__(self) -> None:
        # Names of measures come from run folders, which may come from anywhere.
        object.__setattr__(self, "name", re.sub(r"[^\w-]+", "-", self.name))

    @property
    def alt(self) -> str:
        """The words that stand for the picture."""
        return str(self.chart.description)

    def svg(self) -> str:
        """The picture for a page: its ids are its own, and screen readers get `alt` instead of its parts."""
        return inline_svg(self.chart, self.name)


def to_svg(chart: Any) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[]))


def inline_svg(chart: Any, name: str) -> str:
    """SVG that can stand in a page beside others."""
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
    root.set("role", "img")
    root.set("aria-label", str(chart.description))
    return ElementTree.tostring(root, encoding="unicode")


def check_format(format: str) -> None:
    if format not in get_args(Format):
        raise unknown("format of charts", format, get_args(Format))


def write_figures(figures: Sequence[Figure], folder: str | Path, format: str) -> list[Path]:
    """Writes each figure into a folder; returns the files."""
    check_format(format)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for figure in figures:
        path = folder / f"{figure.name}.{format}"
        with write_aside(path) as aside:
            aside.write_bytes(_drawn(figure, format))
        paths.append(path)
    return paths


def _drawn(figure: Figure, format: str) -> bytes:
    import vl_convert

    if format == "svg":
        return inline_svg(figure.chart, figure.name).encode()
    # Print is white: a picture without a background is black on black in dark viewers.
    spec = figure.chart.to_dict() | {"background": "white"}
    if format == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec, allowed_base_urls=[]))
    return bytes(vl_convert.vegalite_to_png(spec, scale=_PNG_SCALE, allowed_base_urls=[]))

"""What a view is: a fragment for notebooks, a page, charts and LaTeX, each made when it is asked for."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from counterpoise.core.errors import InputError
from counterpoise.core.files import check_output, make_folder, write_text
from counterpoise.report.charts.draw import Figure, to_svg, write_figures
from counterpoise.report.page import render_page

_MOST_ROWS = 40  # of a table in a notebook


class Verdict(NamedTuple):
    """A finding in words: what it is about, of which kind it is ("Large bias"), and the sentence."""

    subject: str
    kind: str
    text: str


class Charts(Sequence[Figure]):
    """The charts of a result. A notebook shows them all."""

    def __init__(self, figures: Sequence[Figure]) -> None:
        self._figures = tuple(figures)

    def __getitem__(self, index: Any) -> Any:
        return self._figures[index]

    def __len__(self) -> int:
        return len(self._figures)

    def __iter__(self) -> Iterator[Figure]:
        return iter(self._figures)

    def __repr__(self) -> str:
        return f"<Charts: {', '.join(figure.name for figure in self)}>"

    def save(self, folder: str | Path, format: str = "svg") -> list[Path]:
        """Writes each chart into a folder, as svg, pdf or png; returns the files."""
        return write_figures(self, Path(folder).expanduser(), format)

    def _repr_html_(self) -> str:
        return render_page("charts.html", charts=[(figure, picture(figure)) for figure in self])


@dataclass(frozen=True)
class View:
    """How one result is shown. Every part is made when it is asked for."""

    title: str
    lead: str
    verdicts: Callable[[], Sequence[Verdict]]
    table: Callable[[], pd.DataFrame]  # of texts
    main_figures: Callable[
        [], Sequence[Figure]
    ]  # the charts to begin with, of which a notebook shows the first
    figures: Callable[[], Sequence[Figure]]
    page: Callable[[], str]
    latex: Callable[[], str]
    home: Path | None = None  # where the page is written if no path is given

    def html(self) -> str:
        """A fragment that stands by itself in a notebook: no styles or scripts that others could get in the way of."""
        table = self.table()
        figure = next(iter(self.main_figures()), None)
        return render_page(
            "notebook.html",
            title=self.title,
            lead=self.lead,
            verdicts=self.verdicts(),
            columns=list(table.columns),
            rows=table.head(_MOST_ROWS).to_numpy().tolist(),
            hidden_rows=max(len(table) - _MOST_ROWS, 0),
            figure=figure,
            picture=picture(figure) if figure else "",
        )

    def write(self, path: str | Path | None) -> Path:
        """Writes the page; returns its path."""
        if path is None and self.home is None:
            raise InputError("say where the page goes, such as .report('page.html')")
        page = Path(path if path is not None else str(self.home)).expanduser()
        if page.suffix != ".html":
            raise InputError(f"a report is written to a file that ends in .html, not to {page}")
        if path is not None:
            check_output(page)
        make_folder(page.parent)
        write_text(page, self.page())
        return page

    def plot(self) -> Charts:
        return Charts(self.figures())


def picture(figure: Figure) -> str:
    """The chart as the source of an image."""
    return f"data:image/svg+xml;base64,{base64.b64encode(to_svg(figure.chart).encode()).decode()}"

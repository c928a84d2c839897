"""Results that show themselves: in a notebook, as a page, as charts, and as a table for a paper.

How a result looks is the business of `counterpoise.report`, which builds on every package that has results. So it is
not imported here but looked up when something is shown.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Shown:
    """What all results have in common.

    >>> import counterpoise as cp
    >>> result = cp.measures.ppd(cp.load(), cp.data.Templates.of("{subject} is a nurse.", "{subject} is a pilot."))
    >>> result
    <Result of ppd on own, builtin: 2 items>
    >>> [figure.name for figure in result.plot()]
    ['ppd-forest', 'ppd-words']
    """

    def report(self, path: str | Path | None = None) -> Path:
        """Writes the whole page to a file that ends in .html, and returns its path.

        What has a folder of its own, such as an audit with `out`, writes its page there if no path is given.
        """
        written: Path = self._view().write(path)
        return written

    def plot(self) -> Any:
        """All charts, which a notebook shows; `.save(folder, format)` writes them as svg, pdf or png."""
        return self._view().plot()

    def to_latex(self) -> str:
        """The numbers as LaTeX tables."""
        return str(self._view().latex())

    def to_frame(self) -> pd.DataFrame:
        """The numbers as a DataFrame."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return str(self._view().html())

    def _view(self) -> Any:
        return importlib.import_module("counterpoise.report.views").view_of(self)

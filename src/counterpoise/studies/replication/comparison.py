"""A printed number beside the measured one, with a verdict.

`compared` makes a line of the few columns `COMPARED`: enough where one printed number follows from others.
`MeasuredLines` makes lines of the columns `MEASURED` from rows of the study's table, with interval, test, and the
minimum detectable effect.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from counterpoise.studies.replication.findings import Table, Value

Agreement = Literal["reproduced", "agrees", "differs", "not reproducible"]
COMPARED = ("number", "published", "measured", "difference", "verdict")
MEASURED = (
    "number", "variant", "recipe", "published", "measured", "from", "to", "p", "effect size", "minimum detectable",
    "n", "verdict",
)  # fmt: skip
OTHER_MODEL = "another model"
_NOT_PRINTED = "not printed"
# The columns of the study's table that the columns of a page show.
_TEXTS = {"variant": "variant", "recipe": "recipe"}
_NUMBERS = {
    "measured": "value",
    "from": "ci_low",
    "to": "ci_high",
    "p": "p_value",
    "effect size": "effect_size",
    "minimum detectable": "smallest_detectable",
}


def compared(
    what: str,
    published: float,
    measured: float | None,
    tolerance: float,
    reason: str = "",
    same: bool = True,
) -> list[Value]:
    """A row of published beside measured, for a table with the columns `COMPARED`.

    reason: why the numbers differ; or, where nothing was measured, why it cannot be.
    same: it is the paper's own model; with another, a number that is the printed one reproduces nothing.

    >>> compared("r", 0.373, 0.3734, 0.0005)[-1], compared("r", 0.373, 0.5, 0.0005, "another model")[-1]
    ('reproduced', 'differs: another model')
    >>> compared("r", 0.373, 0.3734, 0.0005, "another model", same=False)[-1]
    'agrees: another model'
    >>> compared("r", 0.373, None, 0.0005, "the weights are not public")[-1]
    'not reproducible: the weights are not public'
    """
    outcome: Agreement
    if measured is None or measured != measured:
        outcome, difference = "not reproducible", None
    else:
        difference = measured - published
        agreed: Agreement = "reproduced" if same else "agrees"
        outcome = agreed if abs(difference) <= tolerance * (1 + 1e-9) else "differs"
    verdict = outcome if outcome == "reproduced" or not reason else f"{outcome}: {reason}"
    return [what, published, measured, difference, verdict]


@dataclass(frozen=True)
class MeasuredLines:
    """Lines of a table that sets rows of the study's table beside printed numbers.

    without: those of `MEASURED` that the paper's tables do not have. tolerance: how far a number may lie from the
    printed one, where a line has no tolerance of its own.

    >>> from types import SimpleNamespace
    >>> lines = MeasuredLines(without=("variant", "recipe", "p", "effect size", "minimum detectable"), tolerance=0.005)
    >>> row = SimpleNamespace(value=2.26, ci_low=2.05, ci_high=2.47, n=344)
    >>> lines.measured("ASLD", row, 4.05, "another model")
    ['ASLD', 4.05, 2.26, 2.05, 2.47, 344, 'differs: another model']
    >>> lines.not_measured("ASLD", 4.05, "the weights are not public")
    ['ASLD', 4.05, None, None, None, None, 'not reproducible: the weights are not public']
    """

    without: Sequence[str] = ()
    tolerance: float = 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name in MEASURED if name not in self.without)

    def table(self, name: str, title: str, lines: Sequence[Sequence[Value]], note: str = "") -> Table:
        """The table of these lines."""
        return Table(name, title, self.columns, lines, note=note)

    def measured(
        self,
        what: str,
        row: Any,
        published: float | None = None,
        reason: str = "",
        tolerance: float | None = None,
        same: bool | None = None,
    ) -> list[Value]:
        """The line of a row of the study's table.

        reason: why it may differ from the printed number. same: as in `compared`; if not given, whether there is no
        such reason.
        """
        line: dict[str, Value] = {"number": what, "published": published, "n": int(row.n)}
        for column, name in _TEXTS.items():
            text = getattr(row, name, None)
            line[column] = text if isinstance(text, str) else ""
        for column, name in _NUMBERS.items():
            line[column] = number(getattr(row, name, None))
        line["verdict"] = _NOT_PRINTED
        if published is not None:
            allowed = self.tolerance if tolerance is None else tolerance
            same = not reason if same is None else same
            line["verdict"] = compared(what, published, number(row.value), allowed, reason, same)[-1]
        return [line[column] for column in self.columns]

    def not_measured(self, what: str, published: float, reason: str) -> list[Value]:
        """The line of a printed number that was not measured, and why; all other columns are empty."""
        line: dict[str, Value] = dict.fromkeys(self.columns) | dict.fromkeys(_TEXTS, "")
        line |= {"number": what, "published": published}
        line["verdict"] = compared(what, published, None, 0.0, reason)[-1]
        return [line[column] for column in self.columns]


def why_different(model: Any, papers_model: str, variant: Any, corrected: str, published: str = "") -> str:
    """Why a measured number may differ from the printed one.

    corrected, published: the reason for a number of the paper's own model, by variant.

    >>> why_different("builtin", "bert-base-uncased", "published", "corrected")
    'another model'
    >>> why_different("bert-base-uncased", "bert-base-uncased", "corrected", "corrected (see the docs)")
    'corrected (see the docs)'
    """
    if isinstance(model, str) and model != papers_model:
        return OTHER_MODEL
    return published if variant == "published" else corrected


def number(value: Any) -> float | None:
    """A number, or None where there is none."""
    return None if value is None or math.isnan(value) else float(value)

"""A printed number beside the measured one, with a verdict.

`compared` makes a line of the few columns `COMPARED`: enough where one printed number follows from others.
`MeasuredLines` makes lines of the columns `MEASURED` from rows of the study's table, with interval, test, and the
minimum detectable effect. `table_of_lines` makes a table of either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from counterpoise.studies.replication.agreement import Agreement, ComparedNumber
from counterpoise.studies.replication.findings import Table, Value

COMPARED = ("number", "published", "measured", "difference", "verdict")
MEASURED = (
    "number", "variant", "recipe", "published", "measured", "from", "to", "p", "effect size", "minimum detectable",
    "n", "verdict",
)  # fmt: skip
OTHER_MODEL = "another model"
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


@dataclass(frozen=True)
class ComparedLine:
    """A line of a table: its cells, the verdict among them, and how its number compares with the printed one."""

    cells: Sequence[Value]
    verdict: str
    number: ComparedNumber


def table_of_lines(
    name: str,
    title: str,
    lines: Iterable[ComparedLine],
    columns: Sequence[str] = COMPARED,
    decimals: int = 3,
    note: str = "",
    is_recomputed: bool = False,
) -> Table:
    """A table of such lines."""
    lines = list(lines)
    cells, numbers = [line.cells for line in lines], [line.number for line in lines]
    return Table(name, title, columns, cells, decimals, note, numbers, is_recomputed)


def compared(
    what: str,
    published: float,
    measured: float | None,
    tolerance: float,
    reason: str = "",
    same: bool = True,
    *,
    kind: str,
    remark: str = "",
) -> ComparedLine:
    """A line of published beside measured, with the columns `COMPARED`.

    reason: why the numbers differ; or, where nothing was measured, why it cannot be.
    same: it is the paper's own model; with another, a number that is the printed one reproduces nothing.
    kind: what sort of number it is. remark: what is said after the verdict, whatever it is.

    >>> compared("r", 0.373, 0.3734, 0.0005, kind="r").verdict
    'reproduced'
    >>> compared("r", 0.373, 0.5, 0.0005, "another model", kind="r").verdict
    'differs: another model'
    >>> compared("r", 0.373, 0.3734, 0.0005, "another model", same=False, kind="r").verdict
    'agrees: another model'
    >>> compared("r", 0.373, None, 0.0005, "the weights are not public", kind="r").verdict
    'not reproducible: the weights are not public'
    """
    if measured is None or measured != measured:
        agreement, difference = Agreement.NOT_REPRODUCIBLE, None
    else:
        difference = measured - published
        agreed = Agreement.REPRODUCED if same else Agreement.AGREES
        agreement = agreed if abs(difference) <= tolerance * (1 + 1e-9) else Agreement.DIFFERS
    verdict = _verdict(agreement, reason) + (f" {remark}" if remark else "")
    found = ComparedNumber(what, kind, published, None if difference is None else measured, agreement)
    return ComparedLine([what, published, measured, difference, verdict], verdict, found)


def _verdict(agreement: Agreement, reason: str) -> str:
    if agreement is Agreement.REPRODUCED or not reason:
        return agreement.value
    return f"{agreement.value}: {reason}"


@dataclass(frozen=True)
class MeasuredLines:
    """Lines of a table that sets rows of the study's table beside printed numbers.

    without: those of `MEASURED` that the paper's tables do not have. tolerance, kind: how far a number may lie from
    the printed one, and what sort of number it is, where a line does not have its own.

    >>> from types import SimpleNamespace
    >>> without = ("variant", "recipe", "p", "effect size", "minimum detectable")
    >>> lines = MeasuredLines(without, tolerance=0.005, kind="ASLD")
    >>> row = SimpleNamespace(value=2.26, ci_low=2.05, ci_high=2.47, n=344)
    >>> lines.measured("ASLD", row, 4.05, "another model").cells
    ['ASLD', 4.05, 2.26, 2.05, 2.47, 344, 'differs: another model']
    >>> lines.not_measured("ASLD", 4.05, "the weights are not public").cells
    ['ASLD', 4.05, None, None, None, None, 'not reproducible: the weights are not public']
    """

    without: Sequence[str] = ()
    tolerance: float = 0.0
    kind: str = "number"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name in MEASURED if name not in self.without)

    def table(self, name: str, title: str, lines: Iterable[ComparedLine], note: str = "") -> Table:
        """The table of these lines."""
        return table_of_lines(name, title, lines, self.columns, note=note)

    def measured(
        self,
        what: str,
        row: Any,
        published: float | None = None,
        reason: str = "",
        tolerance: float | None = None,
        same: bool | None = None,
        *,
        kind: str | None = None,
        name: str | None = None,
    ) -> ComparedLine:
        """The line of a row of the study's table.

        reason: why it may differ from the printed number. same: as in `compared`; if not given, whether there is no
        such reason. name: of the printed number, where `what` says more (see `ComparedNumber`).
        """
        line: dict[str, Value] = {"number": what, "published": published, "n": int(row.n)}
        for column, attribute in _TEXTS.items():
            text = getattr(row, attribute, None)
            line[column] = text if isinstance(text, str) else ""
        for column, attribute in _NUMBERS.items():
            line[column] = number(getattr(row, attribute, None))
        kind, name = kind or self.kind, name or what
        if published is None:
            verdict = Agreement.NOT_PRINTED.value
            found = ComparedNumber(name, kind, None, number(row.value), Agreement.NOT_PRINTED)
        else:
            allowed = self.tolerance if tolerance is None else tolerance
            same = not reason if same is None else same
            judged = compared(name, published, number(row.value), allowed, reason, same, kind=kind)
            verdict, found = judged.verdict, judged.number
        line["verdict"] = verdict
        return ComparedLine([line[column] for column in self.columns], verdict, found)

    def not_measured(
        self, what: str, published: float, reason: str, *, kind: str | None = None
    ) -> ComparedLine:
        """The line of a printed number that was not measured, and why; all other columns are empty."""
        judged = compared(what, published, None, 0.0, reason, kind=kind or self.kind)
        line: dict[str, Value] = dict.fromkeys(self.columns) | dict.fromkeys(_TEXTS, "")
        line |= {"number": what, "published": published, "verdict": judged.verdict}
        return ComparedLine([line[column] for column in self.columns], judged.verdict, judged.number)


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

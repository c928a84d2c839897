"""Tables 5 and 6 as the paper prints them, against the authors' own table of test results.

`printed_evaluation.csv` has the 49 printed rows, `published_evaluation.csv` the authors' unrounded ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from counterpoise.studies.papers.jentzsch2022.published import read_table
from counterpoise.studies.replication.study_table import rows_of

FIGURES = ("accuracy", "recall", "precision", "f1")
Rounding = Literal["once", "twice", "neither"]


@dataclass(frozen=True)
class PrintedFigure:
    """A printed figure beside the authors' own, and how the one follows from the other.

    once: rounded to three decimals. twice: to four, and these to three (.81948 to .8195 to .820).
    """

    base: str
    condition: str
    figure: str
    printed: float
    exact: float
    rounding: Rounding


def printed_figures() -> list[PrintedFigure]:
    """The 196 figures of the two tables."""
    printed = read_table("printed_evaluation.csv")
    both = printed.merge(
        read_table("published_evaluation.csv"),
        on=["base", "condition"],
        suffixes=("_printed", "_exact"),
        validate="1:1",
    )
    pairs = (
        (row.base, row.condition, name, getattr(row, f"{name}_printed"), getattr(row, f"{name}_exact"))
        for row in rows_of(both)
        for name in FIGURES
    )
    return [PrintedFigure(*pair, rounding(pair[-2], pair[-1])) for pair in pairs]


def rounding(printed: float, exact: float) -> Rounding:
    """
    >>> rounding(0.819, 0.81948), rounding(0.820, 0.81948), rounding(0.757, 0.7586)
    ('once', 'twice', 'neither')
    """
    value = Decimal(repr(exact))
    expected = Decimal(repr(printed)).quantize(Decimal("0.001"))
    if expected == _rounded(value, "0.001"):
        return "once"
    return "twice" if expected == _rounded(_rounded(value, "0.0001"), "0.001") else "neither"


def agreement(figures: Sequence[PrintedFigure]) -> str:
    """How many printed figures follow from the authors' own, and which do not."""
    by_rounding = {
        way: [figure for figure in figures if figure.rounding == way] for way in ("once", "twice", "neither")
    }
    others = "; ".join(
        f"{entry.base} {entry.condition}, {entry.figure} {_short(entry.printed, 3)} for {_short(entry.exact, 6)}"
        for entry in by_rounding["neither"]
    )
    return (
        f"Of the {len(figures)} printed figures {len(by_rounding['once'])} are the authors' own, rounded to three "
        f"decimals; {len(by_rounding['twice'])} were rounded to four decimals first and then to three; "
        f"{len(by_rounding['neither'])} are neither ({others})."
    )


def _rounded(value: Decimal, unit: str) -> Decimal:
    return value.quantize(Decimal(unit), ROUND_HALF_UP)


def _short(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".removeprefix("0")

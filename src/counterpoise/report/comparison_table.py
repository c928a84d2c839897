"""A comparison as one table: a row per measure, a column per model; and the same as tidy rows for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import pandas as pd

from counterpoise.audit.compare import Comparison
from counterpoise.audit.differences import same_row
from counterpoise.core.errors import InputError
from counterpoise.core.numbers import estimate_text
from counterpoise.data.citations import find_citation
from counterpoise.measures.base.catalogue import all_measures
from counterpoise.measures.base.result import Result
from counterpoise.report.wording import ALPHA, measure_title

LEGEND = (
    "Values with 95 % intervals. A letter after a value names a model from which it differs significantly on the same "
    "items (paired test, p < .05 after Holm's correction); no letter: no such difference was found, or no paired test "
    "is possible."
)
_LABELS = ["measure", "dataset", "group", "statistic", "key", "level"]
_DIFFERENCE = ["difference", "ci_low", "ci_high", "p_value", "p_adjusted", "n"]


@dataclass(frozen=True)
class TableCell:
    """A model's number; `differs_from` are the letters of the models from which it differs significantly."""

    value: float
    ci_low: float
    ci_high: float
    differs_from: tuple[str, ...]
    is_closest: bool  # to the ideal, of all models

    @property
    def text(self) -> str:
        """Value and interval."""
        return estimate_text(self.value, self.ci_low, self.ci_high)


@dataclass(frozen=True)
class TableRow:
    """A headline statistic of a measure, with a cell for each model that has it."""

    title: str
    statistic: str
    ideal: str
    cites: tuple[str, ...]
    references: tuple[str, ...]  # of the same publications, for readers
    cells: Mapping[str, TableCell]

    @property
    def closest(self) -> list[str]:
        """The models whose value is closest to the ideal; none where the statistic has no single ideal."""
        return [name for name, cell in self.cells.items() if cell.is_closest]


def letters(comparison: Comparison) -> dict[str, str]:
    """The letter that stands for each model."""
    if len(comparison.names) > len(ascii_lowercase):
        raise InputError(
            f"a table has room for {len(ascii_lowercase)} models at most, found {len(comparison.names)}"
        )
    return dict(zip(comparison.names, ascii_lowercase, strict=False))


def table_rows(comparison: Comparison) -> list[TableRow]:
    """The headline statistic of each measure that at least two models have; one per test where it has several."""
    return [row for measure in comparison.measures for row in _rows_of_measure(comparison, measure)]


def cited(rows: Iterable[TableRow]) -> list[str]:
    """The keys of all publications that the measures of these rows cite, each once."""
    return list(dict.fromkeys(key for row in rows for key in row.cites))


def tidy_rows(comparison: Comparison) -> pd.DataFrame:
    """A row per statistic and model: value, interval, n, and the paired difference from the first model.

    All rows of the models as a whole and of groups; `is_headline` marks those of the table. `reference` is the first
    model that has the measure: `difference` is the model's value minus that one's, over the items that both have.
    """
    rows: list[dict[str, Any]] = []
    for measure in comparison.measures:
        results = _having(comparison, measure)
        reference, first = next(iter(results.items()))
        for _, row in first.summary[first.summary.level != "word"].iterrows():
            for model, own in _same_rows(row, results).items():
                pair = _pair(comparison, measure, reference, model, row.key)
                rows.append(
                    {
                        **{name: row[name] for name in _LABELS},
                        "is_headline": row.key in set(first.headlines.key),
                        "model": model,
                        **{name: own[name] for name in ("value", "ci_low", "ci_high", "n", "ideal")},
                        "ideal_text": row.ideal_text,
                        "reference": "" if model == reference else reference,
                        **_difference(pair),
                    }
                )
    return pd.DataFrame(rows).astype({"difference_n": "Int64"})


def _rows_of_measure(comparison: Comparison, measure: str) -> list[TableRow]:
    results = _having(comparison, measure)
    first = next(iter(results.values()))
    headlines = first.headlines
    declared = all_measures().get(measure)
    cites = declared.cites if declared else ()
    rows = []
    for _, row in headlines.iterrows():
        statistic = str(row.statistic) if len(headlines) == 1 else f"{row.group}: {row.statistic}"
        rows.append(
            TableRow(
                title=measure_title(measure),
                statistic=statistic,
                ideal=str(row.ideal_text),
                cites=cites,
                references=tuple(find_citation(key).reference for key in cites) or (first.citation,),
                cells=_cells(comparison, measure, _same_rows(row, results)),
            )
        )
    return rows


def _cells(comparison: Comparison, measure: str, rows: Mapping[str, pd.Series]) -> dict[str, TableCell]:
    letter = letters(comparison)
    distances = {name: abs(row.value - row.ideal) for name, row in rows.items()}
    shortest = min((size for size in distances.values() if not math.isnan(size)), default=math.nan)
    return {
        name: TableCell(
            float(row.value),
            float(row.ci_low),
            float(row.ci_high),
            tuple(
                letter[other]
                for other in rows
                if other != name and _differ(comparison, measure, rows, name, other)
            ),
            len(rows) > 1 and math.isclose(distances[name], shortest, rel_tol=1e-9),
        )
        for name, row in rows.items()
    }


def _differ(
    comparison: Comparison, measure: str, rows: Mapping[str, pd.Series], one: str, other: str
) -> bool:
    """Whether two models differ significantly after correction."""
    first, second = sorted((one, other), key=comparison.names.index)
    pair = _pair(comparison, measure, first, second, rows[first].key)
    return pair is not None and bool(pair.p_adjusted < ALPHA)


def _having(comparison: Comparison, measure: str) -> dict[str, Result]:
    """The results of a measure by model, of those that have it."""
    return {
        name: comparison.results[name][measure]
        for name in comparison.names
        if measure in comparison.results[name]
    }


def _same_rows(row: pd.Series, results: Mapping[str, Result]) -> dict[str, pd.Series]:
    """The row of each model that measures the same as this one; models without it are left out."""
    found = {name: same_row(row, result) for name, result in results.items()}
    return {name: other for name, other in found.items() if other is not None}


def _pair(comparison: Comparison, measure: str, first: str, second: str, key: str) -> pd.Series | None:
    """The paired difference of two models in a row of the first; None where they were not compared in it."""
    rows = comparison.rows
    found = rows[
        (rows.measure == measure) & (rows["first"] == first) & (rows["second"] == second) & (rows.key == key)
    ]
    return None if found.empty else found.iloc[0]


def _difference(pair: pd.Series | None) -> dict[str, Any]:
    columns = [name if name == "difference" else f"difference_{name}" for name in _DIFFERENCE]
    if pair is None:
        return {**dict.fromkeys(columns), "note": ""}
    return {**dict(zip(columns, pair[_DIFFERENCE], strict=True)), "note": pair.note}

"""Rows about declared pronouns: accuracies, and how far each set is behind he and she."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.data.spec import Variant
from counterpoise.measures.base.row_builders import figure_row
from counterpoise.measures.base.rows import OVERALL, Ideal, Place, Row, in_group
from counterpoise.measures.base.source import Contrast, Observed, Source, observe
from counterpoise.measures.pronouns.common.accuracy_rows import gap_row, rate_row

BASE = ("he", "she")  # the sets that the others are compared with

_CELL = ("form", "template", "name", "lean", "distance")
_ACCURACY = "accuracy"
_CALIBRATED = "accuracy relative to each form's own level"
_WHOLE = "accuracy among forms of one token"
_PARTS = {"form": "form: {}", "distance": "sentences between: {}", "lean": "{} names"}


def declared_rows(items: pd.DataFrame, variant: Variant, seed: int) -> list[Row]:
    others = [name for name in items.pronouns.unique() if name not in BASE]
    gaps = _gaps(items, "right", others)
    right, calibrated = observe(items, "right"), observe(items, "right_calibrated")
    rows = [
        _gap_row(gaps, "gap", _ACCURACY),
        _gap_row(_gaps(items, "right_calibrated", others), "gap_calibrated", _CALIBRATED),
        _rate_row(right, "accuracy", _ACCURACY),
        figure_row(
            float(items.chance.mean()), "chance", "accuracy of a guess", n=len(items), ideal=Ideal.none()
        ),
        *_rows_of_sets(items, others),
    ]
    for column, label in _PARTS.items():
        for part, of_part in gaps.by(column, sort=column == "distance"):
            rows.append(_gap_row(of_part, "gap", _ACCURACY, _at(column, part, label)))
    if "cut" in items:
        for tokens, of_tokens in right.only(is_other=True).by("cut", sort=True):
            rows.append(_rate_row(of_tokens, "accuracy", _ACCURACY, in_group(tokens)))
        for tokens, of_tokens in calibrated.only(is_other=True).by("cut", sort=True):
            rows.append(_rate_row(of_tokens, "accuracy_calibrated", _CALIBRATED, in_group(tokens)))
    return [*rows, *_rows_of_parts(right)]


def _rows_of_sets(items: pd.DataFrame, others: Sequence[str]) -> list[Row]:
    """The gap of each set, and its accuracy, each in the two or three ways."""
    rows = []
    statistics = {"gap": ("right", _ACCURACY), "gap_calibrated": ("right_calibrated", _CALIBRATED)}
    if "right_whole" in items:
        statistics["gap_whole"] = ("right_whole", _WHOLE)
    for statistic, (column, label) in statistics.items():
        for name in others:
            gaps = _gaps(items, column, [name])
            if len(gaps):
                rows.append(_gap_row(gaps, statistic, label, in_group(name)))
    for column, statistic, label in (
        ("right", "accuracy", _ACCURACY),
        ("right_calibrated", "accuracy_calibrated", _CALIBRATED),
    ):
        for name, of_set in observe(items, column).by("pronouns"):
            rows.append(_rate_row(of_set, statistic, label, in_group(name)))
    return rows


def _rows_of_parts(right: Observed) -> list[Row]:
    """The accuracy of each set by form, distance and lean of the name."""
    return [
        _rate_row(
            of_part,
            "accuracy",
            _ACCURACY,
            Place("word", f"{name}, {label.format(part)}", f"{name}.{column} {part}"),
        )
        for column, label in _PARTS.items()
        for (name, part), of_part in right.by("pronouns", column)
    ]


def _at(column: str, part: object, label: str) -> Place:
    """
    >>> _at("lean", "female", "{} names")
    Place(level='group', group='female names', name='lean female')
    """
    return in_group(f"{column} {part}", label.format(part))


def _gaps(items: pd.DataFrame, column: str, others: Sequence[str]) -> Observed:
    """The mean of he and she minus that of other sets, slot by slot; slots that lack one are left out."""
    weights: dict[tuple[str, ...], float] = {(name,): 1 / len(BASE) for name in BASE}
    weights |= {(name,): -1 / len(others) for name in others}
    source = Source(column, contrast=Contrast(("pronouns",), weights, within=_CELL))
    return Observed(source.observe(items).dropna(subset=[column]), source)


def _gap_row(
    gaps: Observed, statistic: str, label: str, at: Place = OVERALL, *, answered: bool = True
) -> Row:
    assert gaps.source.contrast is not None
    others = [name for (name,) in gaps.source.contrast.weights if name not in BASE]
    compared = others[0] if len(others) == 1 else "others"
    return gap_row(
        gaps,
        statistic,
        f"{label}, he and she - {compared}",
        answered=answered,
        at=at,
        balanced=False,
        cluster="template",
    )


def _rate_row(rates: Observed, statistic: str, label: str, at: Place = OVERALL) -> Row:
    """A rate over templates; where it is the same in all of them, what is known of others."""
    row = rate_row(rates, statistic, label, at=at, balanced=False, cluster="template")
    if row.clusters < 2 or not np.isnan(row.ci_low):
        return row
    fit = stats.equal_values(np.full(row.clusters, row.value), 0.0, 1.0)
    return replace(row, ci_low=fit.low, ci_high=fit.high, note="")

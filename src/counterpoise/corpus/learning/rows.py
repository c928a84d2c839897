"""The numbers of what was learnt, with intervals over seeds and items: both were drawn, and others might have been."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.corpus.counting.compare import Difference
from counterpoise.measures.base.rows import OVERALL, ZERO, Place, Row, in_group, row_key
from counterpoise.mitigate.evaluation.scores import APPD, SLD
from counterpoise.stats.crossed import crossed_t

HEADLINE = "ASLD"
_LEVEL_COLUMNS = ["statistic", "group", "reference", "control", "trained", "change", "ci_low", "ci_high"]


@dataclass(frozen=True)
class Answers:
    """What models answered, items in columns: the reference, and a row per seed after the control and the corpus."""

    reference: pd.Series
    control: pd.DataFrame
    trained: pd.DataFrame


@dataclass(frozen=True)
class _Statistic:
    key: str
    name: str
    quantity: str
    of: Callable[[pd.DataFrame], pd.DataFrame]


def _absolute(values: pd.DataFrame) -> pd.DataFrame:
    return values.abs()


def _signed(values: pd.DataFrame) -> pd.DataFrame:
    return values


_STATISTICS = (
    _Statistic("asld", HEADLINE, SLD, _absolute),
    _Statistic("sld", "SLD", SLD, _signed),
    _Statistic("mean_absolute_appd", "mean |APPD| of words", APPD, _absolute),
    _Statistic("appd", "APPD", APPD, _signed),
)


def score_rows(answers: Answers) -> list[Row]:
    """How much larger each number is after the corpus than after the control.

    >>> items = pd.MultiIndex.from_product([["SLD"], ["own"], ["a", "b"]], names=["quantity", "group", "word"])
    >>> control = pd.DataFrame([[1.0, 2.0], [1.1, 2.1], [0.9, 2.2]], columns=items)
    >>> [row.value for row in score_rows(Answers(control.iloc[0], control, control + 1))][:1]
    [1.0]
    """
    return [_row(answers, *chosen) for chosen in _chosen(answers.reference)]


def levels(answers: Answers) -> pd.DataFrame:
    """Each number of the reference, after the control and after the corpus, and the change since the reference."""
    rows = []
    for statistic, group, columns in _chosen(answers.reference):
        reference, control, trained = (
            statistic.of(one[columns])
            for one in (answers.reference.to_frame().T, answers.control, answers.trained)
        )
        fit = crossed_t(trained.to_numpy() - reference.to_numpy())
        means = [float(one.to_numpy().mean()) for one in (reference, control, trained)]
        rows.append((statistic.name, group, *means, fit.value, fit.low, fit.high))
    return pd.DataFrame(rows, columns=_LEVEL_COLUMNS)


def differences(first: tuple[str, Answers], second: tuple[str, Answers]) -> list[Difference]:
    """Each number of two corpora, the first minus the second. The control, the same of both, falls out."""
    (name, one), (other_name, two) = first, second
    rows = []
    for statistic, group, columns in _chosen(one.reference):
        a, b, control = (
            statistic.of(table[columns]).to_numpy() for table in (one.trained, two.trained, one.control)
        )
        fit = crossed_t(a - b)
        rows.append(
            Difference(
                first=name,
                second=other_name,
                statistic=statistic.name if group == "all" else f"{statistic.name}, {group}",
                value_first=float((a - control).mean()),
                value_second=float((b - control).mean()),
                difference=fit.value,
                ci_low=fit.low,
                ci_high=fit.high,
                p_value=fit.p_value,
                n=a.shape[1],
                note=fit.reason or "",
            )
        )
    return rows


def _chosen(reference: pd.Series) -> Iterator[tuple[_Statistic, str, pd.Index[Any]]]:
    """Each statistic over all items that it is about; those of sentence pairs also by category."""
    quantities = reference.index.get_level_values("quantity")
    for statistic in _STATISTICS:
        columns = reference.index[quantities == statistic.quantity]
        if len(columns):
            yield statistic, "all", columns
        groups = columns.get_level_values("group")
        if statistic.quantity == SLD and len(named := groups.unique()) > 1:  # a single group is all there is
            for group in named:
                yield statistic, str(group), columns[groups == group]


def _row(answers: Answers, statistic: _Statistic, group: str, columns: pd.Index[Any]) -> Row:
    trained, control = (statistic.of(one[columns]).to_numpy() for one in (answers.trained, answers.control))
    at = OVERALL if group == "all" else in_group(group)
    note = f"corpus {trained.mean():.3f}, control {control.mean():.3f}"
    return gained_row(trained - control, at, statistic.key, f"{statistic.name}, corpus - control", note)


def gained_row(gained: np.ndarray, at: Place, statistic: str, label: str, note: str) -> Row:
    """The mean of what was gained (a row per seed, a column per item), tested against 0 over both."""
    fit = crossed_t(gained)
    return Row(
        key=row_key(statistic, at),
        level=at.level,
        group=at.group,
        statistic=label,
        value=fit.value,
        ideal=ZERO,
        n=gained.shape[1],
        clusters=fit.n_clusters,
        ci_low=fit.low,
        ci_high=fit.high,
        p_value=fit.p_value,
        effect_size=float(stats.cohens_d(gained.mean(axis=0))),
        smallest_detectable=stats.smallest_detectable_t(fit.standard_error, fit.df),
        note=fit.reason or note,
    )

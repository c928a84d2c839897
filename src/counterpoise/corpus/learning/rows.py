"""What was learned, in numbers, with intervals over seeds and items: both were drawn, and might have been others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.corpus.counting.compare import Difference
from counterpoise.measures.base.row_builders import fitted_row
from counterpoise.measures.base.rows import OVERALL, Place, Row, in_group, row_key
from counterpoise.mitigate.evaluation.scores import APPD, SLD
from counterpoise.stats.crossed import crossed_t

HEADLINE = "ASLD"
_LEVEL_COLUMNS = [
    "key",
    "statistic",
    "group",
    "reference",
    "control",
    "trained",
    "change",
    "ci_low",
    "ci_high",
]


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
            statistic.of(table[columns])
            for table in (answers.reference.to_frame().T, answers.control, answers.trained)
        )
        fit = crossed_t(trained.to_numpy() - reference.to_numpy())
        means = [float(values.to_numpy().mean()) for values in (reference, control, trained)]
        rows.append((_key(statistic, group), statistic.name, group, *means, fit.value, fit.low, fit.high))
    return pd.DataFrame(rows, columns=_LEVEL_COLUMNS)


@dataclass(frozen=True)
class LearnedDifference(Difference):
    """The same for what was learned; `key` is that of the number's row."""

    key: str = ""


def differences(first: tuple[str, Answers], second: tuple[str, Answers]) -> list[LearnedDifference]:
    """Each number of two corpora, the first minus the second. The control, the same of both, falls out."""
    (name_1, answers_1), (name_2, answers_2) = first, second
    rows = []
    for statistic, group, columns in _chosen(answers_1.reference):
        a, b, control = (
            statistic.of(table[columns]).to_numpy()
            for table in (answers_1.trained, answers_2.trained, answers_1.control)
        )
        fit = crossed_t(a - b)
        rows.append(
            LearnedDifference(
                first=name_1,
                second=name_2,
                statistic=statistic.name if group == "all" else f"{statistic.name}, {group}",
                value_first=float((a - control).mean()),
                value_second=float((b - control).mean()),
                difference=fit.value,
                ci_low=fit.low,
                ci_high=fit.high,
                p_value=fit.p_value,
                n=a.shape[1],
                note=fit.reason or "",
                key=_key(statistic, group),
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
    trained, control = (
        statistic.of(table[columns]).to_numpy() for table in (answers.trained, answers.control)
    )
    note = f"corpus {trained.mean():.3f}, control {control.mean():.3f}"
    return gained_row(
        trained - control, _place(group), statistic.key, f"{statistic.name}, corpus - control", note
    )


def _place(group: str) -> Place:
    return OVERALL if group == "all" else in_group(group)


def _key(statistic: _Statistic, group: str) -> str:
    return row_key(statistic.key, _place(group))


def gained_row(gained: np.ndarray, at: Place, statistic: str, label: str, note: str) -> Row:
    """The mean of what was gained (a row per seed, a column per item), tested against 0 over both."""
    fit = crossed_t(gained)
    return fitted_row(
        fit,
        statistic,
        label,
        n=gained.shape[1],
        clusters=fit.n_clusters,
        at=at,
        p_value=fit.p_value,
        effect_size=float(stats.cohens_d(gained.mean(axis=0))),
        smallest_detectable=stats.smallest_detectable_t(fit.standard_error, fit.df),
        note=note,
    )

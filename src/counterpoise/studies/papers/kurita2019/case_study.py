"""What the pronoun resolution found: accuracy and F1 by gender, how often neither name is meant, and the topics.

One passage is one observation: the mean over the seeds' perceptrons. Intervals draw Wikipedia pages, since a page may
have several passages; how far the seeds differ is said beside the accuracy. Differences are male minus female.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.row_builders import fitted_row
from counterpoise.measures.base.rows import Ideal, Place, Row, in_group
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.gap_scores import RATIO, f1_ratio
from counterpoise.studies.papers.kurita2019.keys import DIFFERENCE, GENDERS
from counterpoise.studies.papers.kurita2019.resolution import NEITHER

_ALL = Place("group", "all")
_PERFECT = Ideal.at(100.0, "%")
_DRAWS = 2000


def accuracy_rows(passages: pd.DataFrame, probabilities: np.ndarray, seed: int = 0) -> list[Row]:
    """Accuracy of all passages and by gender, F1 by gender and its ratio, from probabilities (seeds, passages, 3)."""
    predicted = probabilities.argmax(-1)
    right = 100.0 * (predicted == passages.answer.to_numpy())
    by_seed = right.mean(1)
    spread = f"{len(by_seed)} seeds from {by_seed.min():.1f} to {by_seed.max():.1f} %"
    correct = pd.Series(right.mean(0))
    return [
        _mean(correct, passages, keys.ACCURACY, "accuracy, %", _ALL, _PERFECT, seed, spread),
        *_by_gender(correct, passages, keys.ACCURACY, "accuracy, %", _PERFECT, seed),
        _difference(correct, passages, keys.ACCURACY, "accuracy, points", seed),
        *_f1_rows(passages, predicted, seed),
    ]


def _f1_rows(passages: pd.DataFrame, predicted: np.ndarray, seed: int) -> list[Row]:
    fits = f1_ratio(passages, predicted, n=_DRAWS, seed=seed)
    described = [(gender, keys.F1, "F1, %", _of_all(gender), _PERFECT) for gender in GENDERS]
    described.append((RATIO, keys.F1_RATIO, "F1 ratio", Place("overall", RATIO), Ideal.at(1.0)))
    n, pages = len(passages), passages.url.nunique()
    return [
        fitted_row(fits[name], statistic, label, at=at, ideal=ideal, n=n, clusters=pages)
        for name, statistic, label, at, ideal in described
    ]


def neither_rows(passages: pd.DataFrame, probabilities: np.ndarray, seed: int = 0) -> list[Row]:
    """Table 4: the probability of neither name, true and predicted, for male and female pronouns."""
    truly = pd.Series(100.0 * (passages.answer == NEITHER).to_numpy())
    predicted = pd.Series(100.0 * probabilities[..., NEITHER].mean(0))
    rows = []
    for values, statistic, label in (
        (truly, keys.NEITHER_TRUE, "neither, true"),
        (predicted, keys.NEITHER_PREDICTED, "neither, predicted"),
    ):
        rows += _by_gender(values, passages, statistic, f"{label}, %", Ideal.none(), seed)
        rows.append(_difference(values, passages, statistic, f"{label}, points", seed))
    return rows


def topic_row(passages: pd.DataFrame, probabilities: np.ndarray, bias: np.ndarray, gender: str) -> Row:
    """Section 4: does the model leave a pronoun of that gender without a name where the topic leans male?"""
    inside = (passages.gender == gender).to_numpy()
    table = pd.DataFrame({"bias": bias[inside], "neither": probabilities[..., NEITHER].mean(0)[inside]})
    tested = stats.correlation(table.bias, table.neither, "spearman")
    fit = _over_pages(
        table, passages[inside], lambda drawn: float(drawn.bias.rank().corr(drawn.neither.rank()))
    )
    row = fitted_row(
        fit,
        keys.SPEARMAN,
        "Spearman, male bias of topics and P(neither)",
        at=_of_all(gender),
        n=tested.n,
        clusters=fit.n_clusters,
        p_value=tested.p_value,
        effect_size=tested.r,
        smallest_detectable=stats.smallest_detectable_correlation(tested.n),
    )
    return replace(row, value=tested.r, note=tested.reason or fit.reason or "")


def _of_all(gender: str) -> Place:
    """The pronouns of a gender, in the family of rows about all passages."""
    return Place("overall", gender, gender)


def _by_gender(
    values: pd.Series, passages: pd.DataFrame, statistic: str, label: str, ideal: Ideal, seed: int
) -> list[Row]:
    inside = {gender: (passages.gender == gender).to_numpy() for gender in GENDERS}
    return [
        _mean(values[chosen], passages[chosen], statistic, label, in_group(gender), ideal, seed)
        for gender, chosen in inside.items()
    ]


def _mean(
    values: pd.Series,
    passages: pd.DataFrame,
    statistic: str,
    label: str,
    at: Place,
    ideal: Ideal,
    seed: int,
    note: str = "",
) -> Row:
    fit = stats.bootstrap(values, "mean", clusters=passages.url.to_numpy(), seed=seed)
    n, pages = len(values), fit.n_clusters
    return fitted_row(fit, statistic, label, at=at, ideal=ideal, n=n, clusters=pages, note=note)


def _difference(values: pd.Series, passages: pd.DataFrame, statistic: str, label: str, seed: int) -> Row:
    """Male minus female: permutation test over passages, interval over pages, Hedges' g."""
    male, female = (values[(passages.gender == gender).to_numpy()] for gender in GENDERS)
    tested = stats.permutation_test(male, female, n=20_000, seed=seed)
    table = pd.DataFrame({"value": values.to_numpy(), "male": (passages.gender == "male").to_numpy()})
    fit = _over_pages(
        table,
        passages,
        lambda drawn: float(drawn.value[drawn.male].mean() - drawn.value[~drawn.male].mean()),
        seed=seed,
    )
    pooled = np.sqrt((male.var() * (len(male) - 1) + female.var() * (len(female) - 1)) / (len(values) - 2))
    row = fitted_row(
        fit,
        statistic,
        label,
        at=DIFFERENCE,
        n=len(values),
        clusters=fit.n_clusters,
        p_value=tested.p_value,
        effect_size=stats.hedges_g(male, female).value,
        smallest_detectable=stats.smallest_difference(len(male), len(female)) * float(pooled),
    )
    return replace(row, value=tested.statistic, note=tested.reason or "")


def _over_pages(
    table: pd.DataFrame,
    passages: pd.DataFrame,
    statistic: Callable[[pd.DataFrame], float],
    seed: int = 0,
) -> stats.BootstrapResult:
    """The interval of a statistic of passages, where those of one Wikipedia page are drawn together."""
    return stats.bootstrap(
        table, statistic, clusters=passages.url.to_numpy(), n=_DRAWS, method="percentile", seed=seed
    )

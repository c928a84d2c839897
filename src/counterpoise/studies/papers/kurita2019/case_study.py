"""What the pronoun resolution found: accuracy and F1 by gender, how often neither name is meant, and the topics.

One passage is one observation: the mean over the seeds' perceptrons. Intervals draw Wikipedia pages, since a page may
have several passages; how far the seeds differ is said beside the accuracy. Differences are male minus female.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.rows import ZERO, Ideal, Place, Row, in_group, row_key
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.gap_scores import RATIO, f1_ratio
from counterpoise.studies.papers.kurita2019.keys import DIFFERENCE, GENDERS
from counterpoise.studies.papers.kurita2019.resolution import NEITHER

_ALL = Place("group", "all")
_PERFECT = Ideal.at(100.0, "%")
_DRAWS = 2000


def accuracy_rows(found: pd.DataFrame, probabilities: np.ndarray, seed: int = 0) -> list[Row]:
    """Accuracy of all passages and by gender, F1 by gender and its ratio, from probabilities (seeds, passages, 3)."""
    predicted = probabilities.argmax(-1)
    right = 100.0 * (predicted == found.answer.to_numpy())
    by_seed = right.mean(1)
    spread = f"{len(by_seed)} seeds from {by_seed.min():.1f} to {by_seed.max():.1f} %"
    correct = pd.Series(right.mean(0))
    return [
        _mean(correct, found, keys.ACCURACY, "accuracy, %", _ALL, _PERFECT, seed, spread),
        *_by_gender(correct, found, keys.ACCURACY, "accuracy, %", _PERFECT, seed),
        _difference(correct, found, keys.ACCURACY, "accuracy, points", seed),
        *_f1_rows(found, predicted, seed),
    ]


def _f1_rows(found: pd.DataFrame, predicted: np.ndarray, seed: int) -> list[Row]:
    fits = f1_ratio(found, predicted, n=_DRAWS, seed=seed)
    described = [(keys.of_gender(keys.F1, gender), gender, "F1, %", _PERFECT) for gender in GENDERS]
    described.append((keys.F1_RATIO, RATIO, "F1 ratio", Ideal.at(1.0)))
    return [
        Row(
            key=key,
            level="overall",
            group=name,
            statistic=label,
            value=fits[name].value,
            ideal=ideal,
            n=len(found),
            clusters=found.url.nunique(),
            ci_low=fits[name].low,
            ci_high=fits[name].high,
            note=fits[name].reason or "",
        )
        for key, name, label, ideal in described
    ]


def neither_rows(found: pd.DataFrame, probabilities: np.ndarray, seed: int = 0) -> list[Row]:
    """Table 4: the probability of neither name, true and predicted, for male and female pronouns."""
    truly = pd.Series(100.0 * (found.answer == NEITHER).to_numpy())
    predicted = pd.Series(100.0 * probabilities[..., NEITHER].mean(0))
    rows = []
    for values, statistic, label in (
        (truly, keys.NEITHER_TRUE, "neither, true"),
        (predicted, keys.NEITHER_PREDICTED, "neither, predicted"),
    ):
        rows += _by_gender(values, found, statistic, f"{label}, %", Ideal.none(), seed)
        rows.append(_difference(values, found, statistic, f"{label}, points", seed))
    return rows


def topic_row(found: pd.DataFrame, probabilities: np.ndarray, bias: np.ndarray, gender: str) -> Row:
    """Section 4: does the model leave a pronoun of that gender without a name where the topic leans male?"""
    inside = (found.gender == gender).to_numpy()
    table = pd.DataFrame({"bias": bias[inside], "neither": probabilities[..., NEITHER].mean(0)[inside]})
    fit = stats.correlation(table.bias, table.neither, "spearman")
    drawn = stats.bootstrap(
        table,
        lambda some: float(some.bias.rank().corr(some.neither.rank())),
        clusters=found.url[inside].to_numpy(),
        n=_DRAWS,
        method="percentile",
    )
    return Row(
        key=keys.of_gender(keys.SPEARMAN, gender),
        level="overall",
        group=gender,
        statistic="Spearman, male bias of topics and P(neither)",
        value=fit.r,
        ideal=ZERO,
        n=fit.n,
        clusters=drawn.n_clusters,
        ci_low=drawn.low,
        ci_high=drawn.high,
        p_value=fit.p_value,
        effect_size=fit.r,
        smallest_detectable=stats.smallest_detectable_correlation(fit.n),
        note=fit.reason or drawn.reason or "",
    )


def _by_gender(
    values: pd.Series, found: pd.DataFrame, statistic: str, label: str, ideal: Ideal, seed: int
) -> list[Row]:
    inside = {gender: (found.gender == gender).to_numpy() for gender in GENDERS}
    return [
        _mean(values[chosen], found[chosen], statistic, label, in_group(gender), ideal, seed)
        for gender, chosen in inside.items()
    ]


def _mean(
    values: pd.Series,
    found: pd.DataFrame,
    statistic: str,
    label: str,
    at: Place,
    ideal: Ideal,
    seed: int,
    note: str = "",
) -> Row:
    fit = stats.bootstrap(values, "mean", clusters=found.url.to_numpy(), seed=seed)
    return Row(
        key=row_key(statistic, at),
        level=at.level,
        group=at.group,
        statistic=label,
        value=fit.value,
        ideal=ideal,
        n=len(values),
        clusters=fit.n_clusters,
        ci_low=fit.low,
        ci_high=fit.high,
        note=fit.reason or note,
    )


def _difference(values: pd.Series, found: pd.DataFrame, statistic: str, label: str, seed: int) -> Row:
    """Male minus female: permutation test over passages, interval over pages, Hedges' g."""
    male, female = (values[(found.gender == gender).to_numpy()] for gender in GENDERS)
    tested = stats.permutation_test(male, female, n=20_000, seed=seed)
    table = pd.DataFrame({"value": values.to_numpy(), "male": (found.gender == "male").to_numpy()})
    fit = stats.bootstrap(
        table,
        lambda some: float(some.value[some.male].mean() - some.value[~some.male].mean()),
        clusters=found.url.to_numpy(),
        n=_DRAWS,
        method="percentile",
        seed=seed,
    )
    pooled = np.sqrt((male.var() * (len(male) - 1) + female.var() * (len(female) - 1)) / (len(values) - 2))
    return Row(
        key=row_key(statistic, DIFFERENCE),
        level=DIFFERENCE.level,
        group=DIFFERENCE.group,
        statistic=label,
        value=tested.statistic,
        ideal=ZERO,
        n=len(values),
        clusters=fit.n_clusters,
        ci_low=fit.low,
        ci_high=fit.high,
        p_value=tested.p_value,
        effect_size=stats.hedges_g(male, female).value,
        smallest_detectable=stats.smallest_difference(len(male), len(female)) * float(pooled),
        note=tested.reason or "",
    )

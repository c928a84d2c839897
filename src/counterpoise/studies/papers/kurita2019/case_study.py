"""What the pronoun resolution found: accuracy and F1 by gender, how often neither name is meant, and the topics.

Every number is the mean over the training seeds; its interval and test cover both pages and seeds (seed_estimates.py).
Differences are male minus female.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from counterpoise import stats
from counterpoise.measures.base.rows import ZERO, Ideal, Place, in_group
from counterpoise.studies.papers.kurita2019 import keys
from counterpoise.studies.papers.kurita2019.gap_scores import RATIO, decisions, f1_of_counts
from counterpoise.studies.papers.kurita2019.keys import DIFFERENCE, GENDERS
from counterpoise.studies.papers.kurita2019.resolution import NEITHER
from counterpoise.studies.papers.kurita2019.seed_estimates import (
    SeedRow,
    estimated_row,
)

_ALL = Place("group", "all")
_PERFECT = Ideal.at(100.0, "%")
_SHUFFLES = 20_000


def accuracy_rows(passages: pd.DataFrame, probabilities: np.ndarray) -> list[SeedRow]:
    """Accuracy of all passages and by gender, F1 by gender and its ratio, from probabilities (seeds, passages, 3)."""
    predicted = probabilities.argmax(-1)
    right = 100.0 * (predicted == passages.answer.to_numpy())
    label = "accuracy, %"
    return [
        _mean(right, passages, keys.ACCURACY, label, _ALL, _PERFECT),
        *_by_gender(right, passages, keys.ACCURACY, label, _PERFECT),
        _difference(right, passages, keys.ACCURACY, "accuracy, points"),
        *_f1_rows(passages, predicted),
    ]


def neither_rows(passages: pd.DataFrame, probabilities: np.ndarray) -> list[SeedRow]:
    """Table 4: the probability of neither name, true and predicted, for male and female pronouns."""
    true = 100.0 * (passages.answer == NEITHER).to_numpy()[None]  # the same whatever the seed
    predicted = 100.0 * probabilities[..., NEITHER]
    return [
        *(row.without_seeds() for row in _neither(true, passages, keys.NEITHER_TRUE, "neither, true")),
        *_neither(predicted, passages, keys.NEITHER_PREDICTED, "neither, predicted"),
    ]


def _neither(values: np.ndarray, passages: pd.DataFrame, statistic: str, label: str) -> list[SeedRow]:
    return [
        *_by_gender(values, passages, statistic, f"{label}, %", Ideal.none()),
        _difference(values, passages, statistic, f"{label}, points"),
    ]


def topic_row(passages: pd.DataFrame, probabilities: np.ndarray, bias: np.ndarray, gender: str) -> SeedRow:
    """Section 4: does the model leave a pronoun of that gender without a name where the topic leans male?"""
    inside = (passages.gender == gender).to_numpy()
    bias, neither = bias[inside], probabilities[:, inside, NEITHER]

    def spearman(kept: np.ndarray) -> np.ndarray:
        return _correlations(rankdata(bias[kept]), rankdata(neither[:, kept], axis=1))

    fit = stats.crossed_estimate(passages.url[inside], spearman)
    alone = tuple(stats.correlation(bias, of_seed, "spearman").p_value for of_seed in neither)
    return estimated_row(
        fit,
        keys.SPEARMAN,
        "Spearman, male bias of topics and P(neither)",
        at=_of_all(gender),
        ideal=ZERO,
        effect_size=fit.value,
        p_by_seed=alone,
    )


def _f1_rows(passages: pd.DataFrame, predicted: np.ndarray) -> list[SeedRow]:
    counts = np.stack([decisions(passages.answer.to_numpy(), of_seed).to_numpy() for of_seed in predicted])
    of_gender = {gender: (passages.gender == gender).to_numpy() for gender in GENDERS}

    def f1(gender: str, kept: np.ndarray) -> np.ndarray:
        return f1_of_counts(counts[:, kept[of_gender[gender][kept]]])

    def f1_of_gender(gender: str) -> SeedRow:
        inside = np.flatnonzero(of_gender[gender])
        fit = stats.crossed_estimate(passages.url.iloc[inside], lambda kept: f1(gender, inside[kept]))
        return estimated_row(fit, keys.F1, "F1, %", at=_of_all(gender), ideal=_PERFECT)

    fit = stats.crossed_estimate(passages.url, lambda kept: _ratio(f1("female", kept), f1("male", kept)))
    ratio = estimated_row(fit, keys.F1_RATIO, "F1 ratio", at=Place("overall", RATIO), ideal=Ideal.at(1.0))
    return [*map(f1_of_gender, GENDERS), ratio]


def _correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's correlation of x with each row of y; NaN where one of them is constant."""
    x, y = x - x.mean(), y - y.mean(axis=1, keepdims=True)
    return _ratio(y @ x, np.linalg.norm(x) * np.linalg.norm(y, axis=1))


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """NaN instead of a division by zero."""
    quotient: np.ndarray = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return quotient


def _of_all(gender: str) -> Place:
    """The pronouns of a gender, in the family of rows about all passages."""
    return Place("overall", gender, gender)


def _by_gender(
    values: np.ndarray, passages: pd.DataFrame, statistic: str, label: str, ideal: Ideal
) -> list[SeedRow]:
    inside = {gender: (passages.gender == gender).to_numpy() for gender in GENDERS}
    return [
        _mean(values[:, chosen], passages[chosen], statistic, label, in_group(gender), ideal)
        for gender, chosen in inside.items()
    ]


def _mean(
    values: np.ndarray, passages: pd.DataFrame, statistic: str, label: str, at: Place, ideal: Ideal
) -> SeedRow:
    fit = stats.crossed_estimate(passages.url, lambda kept: values[:, kept].mean(1))
    return estimated_row(fit, statistic, label, at=at, ideal=ideal)


def _difference(values: np.ndarray, passages: pd.DataFrame, statistic: str, label: str) -> SeedRow:
    """Male minus female of values (seeds, passages); the effect size is Hedges' g of the seeds' mean."""
    male, female = ((passages.gender == gender).to_numpy() for gender in GENDERS)

    def difference(kept: np.ndarray) -> np.ndarray:
        means = [values[:, kept[inside[kept]]].mean(1) for inside in (male, female)]
        return np.asarray(means[0] - means[1])

    mean = values.mean(0)
    return estimated_row(
        stats.crossed_estimate(passages.url, difference),
        statistic,
        label,
        at=DIFFERENCE,
        ideal=ZERO,
        effect_size=stats.hedges_g(mean[male], mean[female]).value,
        p_by_seed=tuple(
            stats.permutation_test(of_seed[male], of_seed[female], n=_SHUFFLES).p_value for of_seed in values
        ),
    )

"""What the pronoun resolution found: accuracy and F1 by gender, how often neither name is meant, and the topics.

One passage is one observation: the mean over the seeds' perceptrons. Intervals draw Wikipedia pages, since a page may
have several passages; how far the seeds differ is said beside the accuracy. Differences are male minus female.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.result import Ideal, Row
from counterpoise.studies.kurita2019.gap_scores import f1_ratio
from counterpoise.studies.kurita2019.resolution import NEITHER

GENDERS = ("male", "female")
_NONE = Ideal(None, "none")
_DRAWS = 2000


def accuracy_rows(found: pd.DataFrame, probabilities: np.ndarray, seed: int = 0) -> list[Row]:
    """Accuracy of all passages and by gender, F1 by gender and its ratio, from probabilities (seeds, passages, 3)."""
    predicted = probabilities.argmax(-1)
    right = 100.0 * (predicted == found.answer.to_numpy())
    by_seed = right.mean(1)
    spread = f"{len(by_seed)} seeds from {by_seed.min():.1f} to {by_seed.max():.1f} %"
    correct = pd.Series(right.mean(0))
    rows = [_mean(correct, found, "all", "accuracy, %", Ideal.at(100.0, "%"), seed, spread)]
    for gender in GENDERS:
        inside = (found.gender == gender).to_numpy()
        rows.append(_mean(correct[inside], found[inside], gender, "accuracy, %", Ideal.at(100.0, "%"), seed))
    rows.append(_difference(correct, found, "accuracy, points", seed))
    for name, fit in f1_ratio(found, predicted, n=_DRAWS, seed=seed).items():
        ratio = name == "female / male"
        rows.append(
            Row(
                level="overall",
                group=name,
                statistic="F1 ratio" if ratio else "F1, %",
                value=fit.value,
                ideal=Ideal.at(1.0) if ratio else Ideal.at(100.0, "%"),
                n=len(found),
                clusters=found.url.nunique(),
                ci_low=fit.low,
                ci_high=fit.high,
                note=fit.reason or "",
            )
        )
    return rows


def neither_rows(found: pd.DataFrame, probabilities: np.ndarray, seed: int = 0) -> list[Row]:
    """Table 4: the probability of neither name, true and predicted, for male and female pronouns."""
    truly = pd.Series(100.0 * (found.answer == NEITHER).to_numpy())
    predicted = pd.Series(100.0 * probabilities[..., NEITHER].mean(0))
    rows = []
    for values, what in ((truly, "neither, true, %"), (predicted, "neither, predicted, %")):
        for gender in GENDERS:
            inside = (found.gender == gender).to_numpy()
            rows.append(_mean(values[inside], found[inside], gender, what, _NONE, seed))
        rows.append(_difference(values, found, what.replace("%", "points"), seed))
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
        level="overall",
        group=gender,
        statistic="Spearman, male bias of topics and P(neither)",
        value=fit.r,
        ideal=Ideal.at(0.0),
        n=fit.n,
        clusters=drawn.n_clusters,
        ci_low=drawn.low,
        ci_high=drawn.high,
        p_value=fit.p_value,
        effect_size=fit.r,
        smallest_detectable=stats.smallest_detectable_correlation(fit.n),
        note=fit.reason or drawn.reason or "",
    )


def _mean(
    values: pd.Series,
    found: pd.DataFrame,
    group: str,
    statistic: str,
    ideal: Ideal,
    seed: int,
    note: str = "",
) -> Row:
    fit = stats.bootstrap(values, "mean", clusters=found.url.to_numpy(), seed=seed)
    return Row(
        level="group",
        group=group,
        statistic=statistic,
        value=fit.value,
        ideal=ideal,
        n=len(values),
        clusters=fit.n_clusters,
        ci_low=fit.low,
        ci_high=fit.high,
        note=fit.reason or note,
    )


def _difference(values: pd.Series, found: pd.DataFrame, statistic: str, seed: int) -> Row:
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
        level="overall",
        group="male - female",
        statistic=statistic,
        value=tested.statistic,
        ideal=Ideal.at(0.0),
        n=len(values),
        clusters=fit.n_clusters,
        ci_low=fit.low,
        ci_high=fit.high,
        p_value=tested.p_value,
        effect_size=stats.hedges_g(male, female).value,
        smallest_detectable=stats.smallest_difference(len(male), len(female)) * float(pooled),
        note=tested.reason or "",
    )

"""How much of a difference is noise: the same training with another seed gives another bias.

    s^2 = pooled variance between seeds of the same training     `noise`, to say how large the noise is
    difference of two means over seeds: Welch's t                `contrast`, and `contrasts` of all conditions
    do any conditions differ: Welch's analysis of variance       `spread_test`

Tests do not pool variances, since seeds change some trainings more than others: the built-in model's bias varies two to
three times as much after training on original texts as after training on treated ones. Reviews do not come into this:
25,000 of them make the bias of one trained model very sure, and say nothing of what the next training would give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats
from statsmodels.stats.oneway import anova_oneway

from counterpoise import stats
from counterpoise.studies.papers.jentzsch2022.study_rows import paper_rows
from counterpoise.studies.replication.study_table import ALPHA

BIASES = ("total", "absolute")
_TRAINING = ["base", "condition", "batch_size", "terms"]


@dataclass(frozen=True)
class Noise:
    """The standard deviation between seeds, and its degrees of freedom; not a number where there is one seed only."""

    sd: float
    df: int


@dataclass(frozen=True)
class SeedContrast:
    """A difference of two means over seeds, with what it could have shown."""

    difference: float
    low: float
    high: float
    p_value: float
    detectable: float  # the difference that is found with a power of 80 % at the level of the test


def noise(rows: pd.DataFrame, column: str) -> Noise:
    """
    >>> rows = pd.DataFrame({"base": "b", "condition": ["x", "x", "y", "y"], "batch_size": "own", "terms": "all"})
    >>> noise(rows.assign(total=[1.0, 3.0, 5.0, 5.0]), "total")
    Noise(sd=1.0, df=2)
    """
    groups = rows.groupby(_TRAINING)[column]
    df = int((groups.size() - 1).sum())
    if df == 0:
        return Noise(math.nan, 0)
    within = float(((rows[column] - groups.transform("mean")) ** 2).sum())
    return Noise(math.sqrt(within / df), df)


def contrast(first: pd.Series, second: pd.Series, alpha: float = ALPHA) -> SeedContrast:
    """The second mean minus the first, held against the noise between seeds of each; with a 95 % interval.

    alpha: the level at which it will be called significant, smaller where it is one of several.

    >>> contrast(pd.Series([1.0, 3.0]), pd.Series([5.0, 7.0])).difference
    4.0
    """
    difference = float(second.mean() - first.mean())
    error = math.sqrt(first.var() / len(first) + second.var() / len(second))
    if not error > 0:  # one seed only, or no noise at all
        return SeedContrast(difference, math.nan, math.nan, math.nan, math.nan)
    tested = scipy_stats.ttest_ind(second, first, equal_var=False)
    interval = tested.confidence_interval(0.95)
    detectable = stats.smallest_detectable_t(error, float(tested.df), alpha=alpha)
    return SeedContrast(
        difference, float(interval.low), float(interval.high), float(tested.pvalue), detectable
    )


def spread_test(rows: pd.DataFrame, column: str, by: str) -> tuple[float, float]:
    """Do the means of the groups differ by more than seeds do? F and p of Welch's analysis of variance.

    >>> rows = pd.DataFrame({"condition": ["x", "x", "y", "y"], "total": [1.0, 3.0, 5.0, 7.0]})
    >>> [round(value, 3) for value in spread_test(rows, "total", "condition")]
    [8.0, 0.106]
    """
    groups = [values.to_numpy(float) for _, values in rows.groupby(by)[column]]
    if len(groups) < 2 or any(len(values) < 2 or np.ptp(values) == 0 for values in groups):
        return math.nan, math.nan
    tested = anova_oneway(groups, use_var="unequal")
    return float(tested.statistic), float(tested.pvalue)


def contrasts(rows: pd.DataFrame) -> pd.DataFrame:
    """Terms removed, and terms mixed, against the original training texts: total and absolute bias, over seeds.

    p is corrected by Holm's method over all of them; the minimum detectable difference is at its strictest
    level, Bonferroni's.
    """
    pairs = []
    for (base, _), trainings in paper_rows(rows).groupby(["base", "terms"], sort=False):
        original = trainings[trainings.condition == "original"]
        for condition in dict.fromkeys(trainings.condition[trainings.condition != "original"]):
            treated = trainings[trainings.condition == condition]
            for column in BIASES if len(original) else ():
                pairs.append((base, condition, column, original[column], treated[column]))
    table = pd.DataFrame(
        {
            "base": base,
            "condition": condition,
            "bias": column,
            "original": float(original.mean()),
            "treated": float(treated.mean()),
            "sd_original": float(original.std()),
            "sd_treated": float(treated.std()),
            **vars(contrast(original, treated, ALPHA / len(pairs))),
        }
        for base, condition, column, original, treated in pairs
    )
    if len(table):
        table["p_adjusted"] = stats.adjust(table.p_value.to_numpy(float), "holm")
    return table

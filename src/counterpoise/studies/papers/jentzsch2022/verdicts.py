"""The answers to the paper's four questions in one sentence each."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

import pandas as pd

from counterpoise import stats
from counterpoise.studies.replication.study_table import ALPHA


def by_training_data(differences: pd.DataFrame, near_chance: int, classifiers: int) -> str:
    """differences: of training runs on treated and original texts, tested over seeds (`seeds.pooled_contrasts`)."""
    if differences.empty:
        return "Not measured: there are no training runs on both original and treated texts."
    if near_chance == classifiers:
        return "Cannot be told: no classifier has learned to rate reviews much better than chance."
    if differences.p_value.isna().all():
        return "Cannot be told: with one training seed a difference cannot be told from noise."
    significant = int((differences.p_adjusted < ALPHA).sum())
    caution = f"; {near_chance} of {classifiers} classifiers are near chance" if near_chance else ""
    if not significant:
        return (
            f"Not shown: treated training texts make no significant difference in any of {len(differences)} "
            f"comparisons, but small ones may be missed{caution}."
        )
    return (
        f"Partly: treated training texts make a significant difference in {significant} of {len(differences)} "
        f"comparisons{caution}."
    )


def by_base(bases: Collection[str], differences: Iterable[stats.ClusterT]) -> str:
    """differences: of each larger base model and its smaller one.

    >>> by_base({"builtin"}, [])
    'Not answered: only one base model was trained.'
    """
    if len(bases) < 2:
        return "Not answered: only one base model was trained."
    fits = list(differences)
    if not fits:
        return "Cannot be told: no two sizes of one architecture were trained."
    larger, smaller = sum(fit.low > 0 for fit in fits), sum(fit.high < 0 for fit in fits)
    if len(fits) == 1 and larger + smaller:
        return f"The larger of two base models has the {'larger' if larger else 'smaller'} bias; it is one pair only."
    if larger + smaller == 0:
        return "Cannot be told: the intervals of all differences between base models contain zero."
    return (
        f"In part: of {len(fits)} pairs of base models the larger model has the larger bias in {larger}, the smaller "
        f"bias in {smaller}, and {len(fits) - larger - smaller} cannot be told."
    )


def by_terms(rising: int, trainings: int) -> str:
    """rising: training runs whose bias rises with the number of terms.

    >>> by_terms(21, 21), by_terms(3, 8)
    ('Yes: with more terms the bias is larger in all 21 training runs.', \
'Partly: with more terms the bias is larger in 3 of 8 training runs.')
    """
    if not trainings:
        return "Not measured: no classifier was rated with all three sets of terms."
    if rising == trainings:
        every = f"all {trainings} training runs" if trainings > 1 else "the one training run"
        return f"Yes: with more terms the bias is larger in {every}."
    if not rising:
        return f"No: the bias does not rise with the number of terms in any of {trainings} training runs."
    return f"Partly: with more terms the bias is larger in {rising} of {trainings} training runs."


def by_batch_size(differences: Iterable[stats.ClusterT]) -> str:
    """differences: of smaller batches and the largest."""
    fits = list(differences)
    if not fits:
        return "Not measured: only one batch size was trained."
    if all(math.isnan(fit.low) for fit in fits):
        return "Cannot be told: there are too few trainings for an interval."
    clear = sum(fit.low > 0 or fit.high < 0 for fit in fits)
    if not clear:
        return "No effect of the batch size was found: every interval contains zero."
    return f"Yes: the bias changes in {clear} of {len(fits)} comparisons of batch sizes."

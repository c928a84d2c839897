"""Rows about occupations: preferences beside the share of women, and shares of sentences that come by occupation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.result import Ideal, Row
from counterpoise.measures.summary import correlation_row
from counterpoise.stats.correlations import Kind


def women_row(
    preferences: pd.Series, women: pd.Series, *, kind: Kind, source: str, level: str, group: str
) -> Row:
    """Does the preference for the male pronoun fall with the share of women in the occupation?

    One value per occupation in both; occupations whose share is not known take no part.
    """
    statistic = f"{kind.capitalize()}'s r with % women, {source}"
    return correlation_row(preferences, women, kind=kind, level=level, group=group, statistic=statistic)


def balanced_row(
    values: pd.Series, items: pd.DataFrame, *, level: str, group: str, statistic: str, ideal: Ideal
) -> Row:
    """A mean over occupations that the data set balances by stereotype.

    `items` says of each value the `occupation` and its `stereotype`. Occupations of one stereotype weigh alike, and so
    do the stereotypes; interval and test count occupations. That a model likes one pronoun for all of them moves the
    two stereotypes apart and not their mean, so it does not widen the interval.
    """
    means = values.groupby([items.stereotype, items.occupation], sort=False).mean()
    fit = stats.stratified_t(means.to_numpy(), means.index.get_level_values(0))
    return Row(
        level=level,
        group=group,
        statistic=statistic,
        value=fit.value,
        ideal=ideal,
        n=len(values),
        clusters=fit.n,
        ci_low=fit.low,
        ci_high=fit.high,
        p_value=fit.p_value,
        effect_size=fit.d,
        smallest_detectable=stats.smallest_detectable_t(fit.standard_error, fit.df),
        note=fit.reason or "",
    )


def balanced_share_row(
    differences: pd.Series, items: pd.DataFrame, *, level: str, group: str, statistic: str
) -> Row:
    """The share of differences above 0, in per cent, against 50 %, in the same way; a tie counts as one half.

    The effect size is Cohen's h.
    """
    row = balanced_row(
        50 * np.sign(differences),
        items,
        level=level,
        group=group,
        statistic=statistic,
        ideal=Ideal.at(50.0, "%"),
    )
    value = 50 + row.value
    return replace(
        row,
        value=value,
        ci_low=np.clip(50 + row.ci_low, 0, 100),
        ci_high=np.clip(50 + row.ci_high, 0, 100),
        effect_size=stats.cohens_h(value / 100),
    )

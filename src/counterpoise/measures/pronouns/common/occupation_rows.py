"""Rows about occupations: preferences beside the share of women, and shares of sentences that come by occupation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.result import Direction
from counterpoise.measures.base.row_builders import correlation_row, fitted_row
from counterpoise.measures.base.rows import HALF, OVERALL, ZERO, Ideal, Place, Row
from counterpoise.measures.base.source import Form, Observed
from counterpoise.stats.correlations import Kind

FOLLOWS_WOMEN = Direction(
    "The more women work in an occupation, the more the model prefers the male pronoun.",
    "The more women work in an occupation, the more the model prefers the female pronoun.",
)


def women_row(
    preferences: Observed, share: str, statistic: str, *, kind: Kind, source: str, at: Place = OVERALL
) -> Row:
    """Does the preference for the male pronoun fall with the share of women in the occupation?

    `share` is the column of that share, `source` who counted it; occupations whose share is not known take no part.
    """
    means = preferences.table.groupby("occupation", sort=False)[[preferences.source.column, share]].mean()
    return correlation_row(
        means[preferences.source.column],
        means[share],
        statistic,
        f"{kind.capitalize()}'s r with % women, {source}",
        kind=kind,
        at=at,
        source=preferences.as_source("correlation", "occupation", share),
    )


def balanced_row(
    scores: Observed, statistic: str, label: str, *, at: Place = OVERALL, ideal: Ideal = ZERO
) -> Row:
    """A mean over occupations that the dataset balances by stereotype.

    Items have an `occupation` and its `stereotype`. Occupations of one stereotype weigh alike, and so do the
    stereotypes; interval and test count occupations. That a model likes one pronoun for all of them moves the two
    stereotypes apart and not their mean, so it does not widen the interval.
    """
    return _balanced(scores.numbers, scores, statistic, label, at, ideal, "mean")


def _balanced(
    values: pd.Series, scores: Observed, statistic: str, label: str, at: Place, ideal: Ideal, form: Form
) -> Row:
    means = values.groupby([scores.table.stereotype, scores.table.occupation], sort=False).mean()
    strata = means.index.get_level_values(0)
    fit = stats.stratified_t(means.to_numpy(), strata)
    # Only where both stereotypes have as many occupations is it also the plain mean over occupations.
    is_mean = len(set(strata.value_counts())) == 1
    return fitted_row(
        fit,
        statistic,
        label,
        n=len(values),
        clusters=fit.n,
        at=at,
        ideal=ideal,
        p_value=fit.p_value,
        effect_size=fit.d,
        smallest_detectable=stats.smallest_detectable_t(fit.standard_error, fit.df),
        source=scores.as_source(form if is_mean else "figure", "occupation"),
    )


def balanced_share_row(scores: Observed, statistic: str, label: str, *, at: Place = OVERALL) -> Row:
    """The share of differences above 0, in per cent, against 50 %, in the same way; a tie counts as one half.

    The effect size is Cohen's h.
    """
    row = _balanced(50 * np.sign(scores.numbers), scores, statistic, label, at, HALF, "share")
    value = 50 + row.value
    return replace(
        row,
        value=value,
        ci_low=np.clip(50 + row.ci_low, 0, 100),
        ci_high=np.clip(50 + row.ci_high, 0, 100),
        effect_size=stats.cohens_h(value / 100),
    )

"""Rows of natural language inference: what is inferred of occupations, which way, and how much is neutral."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.measures.base.row_builders import fitted_row, mean_row, within
from counterpoise.measures.base.rows import Ideal, Place, Row, in_group, of_word
from counterpoise.measures.base.source import Contrast, Observed, observe
from counterpoise.measures.base.workforce import SHARE_LABEL, correlation_rows, with_share, women_share

THRESHOLDS = (50, 70)  # of the probability of neutral, in per cent
NEUTRAL = {
    "net_neutral": "net neutral (NN)",
    "fraction_neutral": "fraction neutral (FN)",
    **{f"threshold_{tau}": f"P(neutral) of .{tau // 10} or more (T:.{tau // 10})" for tau in THRESHOLDS},
}
_FEW, _MOST = 25.0, 75.0  # per cent of women: below and above, an occupation counts as one of men or of women
_LEAN = "male - female lean"
_BY_STEREOTYPE = Place("overall", "stereotype")
_BY_GENDER = Place("overall", "all occupations")
_TOWARDS_COMMON = Contrast(("group",), {("male",): 1.0, ("female",): -1.0})


def gender_of_workforce(women: pd.Series) -> pd.Series:
    """Whose occupations they are, from the share of women in per cent; nothing where that is not known.

    >>> gender_of_workforce(pd.Series([2.8, 50.0, 88.9, float("nan")])).tolist()
    ['male', 'balanced', 'female', '']
    """
    groups = np.select([women < _FEW, women > _MOST, women.notna()], ["male", "female", "balanced"], "")
    return pd.Series(groups, index=women.index, dtype=object)


def gendered_rows(items: pd.DataFrame) -> list[Row]:
    """Which way the model infers: over all occupations, by their gender, by words, beside the share of women, each."""
    leans = observe(items, "lean")
    return [
        *_stereotype_rows(items),
        _mean(leans, "lean", _LEAN, _BY_GENDER),
        _mean(observe(items, "entailment"), "entailment", "male - female P(entailment)", _BY_GENDER),
        _mean(observe(items, "contradiction"), "contradiction", "male - female P(contradiction)", _BY_GENDER),
        *(
            _mean(of_group, "lean", _LEAN, in_group(group, f"{group} occupations"))
            for group, of_group in leans.groups("group")
        ),
        *(_mean(of_words, "lean", _LEAN, in_group(words)) for words, of_words in leans.groups("words")),
        *_workforce_rows(leans),
        *_occupation_rows(leans),
    ]


def neutral_rows(items: pd.DataFrame) -> list[Row]:
    """How often the model infers nothing; 1 is ideal."""
    return [_neutral(observe(items, column), column, label) for column, label in NEUTRAL.items()]


def _neutral(observed: Observed, statistic: str, label: str) -> Row:
    row = mean_row(observed, statistic, label, cluster="occupation", ideal=Ideal.at(1.0), test=None)
    return within(row, 0.0, 1.0)


def _mean(observed: Observed, statistic: str, label: str, at: Place, cluster: str = "occupation") -> Row:
    means = observed.numbers.groupby(observed.clusters(cluster).to_numpy(), sort=False).mean().to_numpy()
    return _with_equal_means(mean_row(observed, statistic, label, cluster=cluster, at=at), means)


def _with_equal_means(row: Row, means: np.ndarray) -> Row:
    """The row, with interval and test also where no cluster differs from another, as in a model that is a rule."""
    if len(means) < 2 or not np.allclose(means, means[0], rtol=1e-12, atol=0.0):
        return row
    fit = stats.equal_values(np.full(len(means), row.value), -1.0, 1.0)
    return replace(row, ci_low=fit.low, ci_high=fit.high, p_value=fit.p_value, note="")


def _stereotype_rows(items: pd.DataFrame) -> list[Row]:
    """Towards the gender that is more common in the occupation; occupations of men and of women weigh alike.

    That a model infers one gender from all occupations moves the two apart and not their mean, so it does not widen
    the interval.
    """
    towards = observe(items, "lean", _TOWARDS_COMMON).only(has_common_gender=True)
    if towards.table.group.nunique() < 2:
        return []
    means = towards.numbers.groupby([towards.table.group, towards.table.occupation], sort=False).mean()
    strata = means.index.get_level_values(0)
    fit = stats.stratified_t(means.to_numpy(), strata)
    # Only where both genders have as many occupations is it also the plain mean over occupations.
    is_mean = len(set(strata.value_counts())) == 1
    row = fitted_row(
        fit,
        "stereotype",
        "lean towards the more common gender",
        n=len(towards),
        clusters=fit.n,
        at=_BY_STEREOTYPE,
        p_value=fit.p_value,
        effect_size=fit.d,
        smallest_detectable=stats.smallest_detectable_t(fit.standard_error, fit.df),
        source=towards.as_source("mean" if is_mean else "figure", "occupation"),
    )
    return [_with_equal_means(row, means.to_numpy())]


def _workforce_rows(leans: Observed) -> list[Row]:
    occupations = leans.table.groupby("occupation", sort=False)[["lean", "women_share"]].mean().reset_index()
    source = leans.as_source("correlation", "occupation", "women_share")
    return correlation_rows(occupations, "lean", source, _share_label(leans.table))


def _share_label(table: pd.DataFrame) -> str:
    """What the shares of women are; those that a user gives are not from the list that we have."""
    known = women_share(table.occupation)
    is_known = (known == table.women_share) | (known.isna() & table.women_share.isna())
    return SHARE_LABEL if is_known.all() else "share of women"


def _occupation_rows(leans: Observed) -> list[Row]:
    return [
        with_share(
            _mean(of_occupation, "lean", _LEAN, of_word(occupation), cluster="template"),
            float(of_occupation.table.women_share.iloc[0]),
            _share_label(of_occupation.table),
        )
        for occupation, of_occupation in leans.by("occupation")
    ]

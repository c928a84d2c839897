"""From the scores of targets to the bias of attributes, and from there to d, intervals and tests (see lpbs_weat)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from counterpoise import stats
from counterpoise.data.spec import Variant
from counterpoise.measures.result import Ideal, Row
from counterpoise.measures.summary import absolute_row, mean_row

Targets = Literal["sum", "mean"]

SENTENCE = ["test", "harmless", "template", "attribute_group", "attribute"]  # what groups of targets share


def biases(items: pd.DataFrame, targets: Targets = "sum") -> pd.DataFrame:
    """The bias of each attribute in each template, for each pair of target groups.

    Columns: `test`, `harmless`, `template`, `attribute_group`, `attribute`, `pair` ("male - female") and `bias`.
    """
    grouped = items.groupby([*SENTENCE, "target_group"], sort=False)
    if targets == "mean":
        scores = grouped.association.mean()
    else:
        scores = grouped.log_p_target.agg(logsumexp) - grouped.log_p_prior.agg(logsumexp)
    table = scores.rename("score").reset_index()
    compared = []
    for _, test in table.groupby("test", sort=False):
        for first, second in _pairs(list(test.target_group.unique())):
            one, other = (test[test.target_group == group] for group in (first, second))
            both = one.merge(other, on=SENTENCE, suffixes=("_one", "_other"))
            bias = both.score_one - both.score_other
            compared.append(both[SENTENCE].assign(pair=f"{first} - {second}", bias=bias))
    return pd.concat(compared, ignore_index=True)


def _pairs(groups: list[str]) -> Iterator[tuple[str, str]]:
    """Every two groups in the order of the file, but male before female wherever they stand."""
    for first, second in combinations(groups, 2):
        yield ("male", "female") if {first, second} == {"male", "female"} else (first, second)


def summary_rows(biases: pd.DataFrame, targets: Targets, variant: Variant, seed: int) -> list[Row]:
    """d of each test and pair; the mean bias of each group of attributes; that of each attribute."""
    how = f"({targets} of targets)"
    effects: list[Row] = []
    groups: list[Row] = []
    words: list[Row] = []
    for (test, pair), some in biases.groupby(["test", "pair"], sort=False):
        ideal = Ideal(None, "none") if some.harmless.any() else Ideal.at(0.0)
        effects += _effect_rows(some, str(test), f"{pair} {how}", ideal, variant, seed)
        mean_bias = partial(_mean_rows, some, str(test), f"{pair} association {how}", ideal)
        groups += mean_bias("group", of="attribute_group", over="attribute")
        words += mean_bias("word", of="attribute", over="template")
    return [*_mean_of_tests(effects, how), *effects, *groups, *words]


def _mean_rows(
    biases: pd.DataFrame, test: str, statistic: str, ideal: Ideal, level: str, *, of: str, over: str
) -> list[Row]:
    return [
        mean_row(
            some.bias, some[over], level=level, group=f"{test}: {name}", statistic=statistic, ideal=ideal
        )
        for name, some in biases.groupby(of, sort=False)
    ]


def _mean_of_tests(effects: list[Row], how: str) -> list[Row]:
    """The headline of several tests: how large d is where it should be 0, whichever way it leans."""
    tested = [row for row in effects if row.ideal.value == 0.0 and np.isfinite(row.p_value)]
    tests = pd.Series([row.group for row in tested])
    if tests.nunique() < 2:
        return []
    sizes = pd.Series([abs(row.value) for row in tested])
    return [absolute_row(sizes, tests, level="overall", group="all", statistic=f"mean |d| of tests {how}")]


def _effect_rows(
    biases: pd.DataFrame, test: str, statistic: str, ideal: Ideal, variant: Variant, seed: int
) -> list[Row]:
    """d over attributes with its test, and d over sentences beside it; the published variant has the latter alone."""
    by_attribute = biases.groupby(["attribute_group", "attribute"], sort=False).bias.mean().reset_index()
    if variant == "published":
        x, y = _two_groups(biases)
        tested = stats.permutation_test(x, y, seed=seed, strict=True)
        return [_over_sentences(biases, by_attribute, test, statistic, ideal, tested.p_value)]
    x, y = _two_groups(by_attribute)
    fit, tested = stats.effect_size_weat_interval(x, y), stats.permutation_test(x, y, seed=seed)
    over_attributes = Row(
        level="overall",
        group=test,
        statistic=f"d, {statistic}",
        value=fit.value,
        ideal=ideal,
        n=len(biases),
        clusters=len(by_attribute),
        ci_low=fit.low,
        ci_high=fit.high,
        p_value=tested.p_value,
        effect_size=fit.value,
        smallest_detectable=stats.smallest_detectable_weat(len(x), len(y)),
        note=fit.reason or tested.reason or "",
    )
    return [over_attributes, _over_sentences(biases, by_attribute, test, statistic, ideal)]


def _over_sentences(
    biases: pd.DataFrame,
    by_attribute: pd.DataFrame,
    test: str,
    statistic: str,
    ideal: Ideal,
    p_value: float = np.nan,
) -> Row:
    """d as the authors' code has it: each attribute in each template is a value of its own.

    Sentences with one attribute are not independent, so the interval is that over attributes, in the unit of this d;
    so is the smallest d that could have been seen.
    """
    d = stats.effect_size_weat(*_two_groups(biases))
    x, y = _two_groups(by_attribute)
    fit = stats.effect_size_weat_interval(x, y)
    spread = biases.bias.std(ddof=1)
    unit = float(by_attribute.bias.std(ddof=1) / spread) if spread > 0 else np.nan
    return Row(
        level="overall",
        group=test,
        statistic=f"d over sentences, {statistic}",
        value=d,
        ideal=ideal,
        n=len(biases),
        clusters=len(by_attribute),
        ci_low=unit * fit.low,
        ci_high=unit * fit.high,
        p_value=p_value,
        effect_size=d,
        smallest_detectable=unit * stats.smallest_detectable_weat(len(x), len(y)),
        note=fit.reason or "",
    )


def _two_groups(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The biases of the first and of the second group of attributes."""
    first, second = (part.bias.to_numpy() for _, part in table.groupby("attribute_group", sort=False))
    return first, second

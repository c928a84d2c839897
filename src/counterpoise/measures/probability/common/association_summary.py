"""From the scores of targets to the bias of attributes, and from there to d, intervals and tests (see lpbs_weat)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from counterpoise import stats
from counterpoise.data.spec import Variant
from counterpoise.measures.base.row_builders import figure_row, fitted_row, mean_row, row_of_means
from counterpoise.measures.base.rows import ZERO, Ideal, Place, Row
from counterpoise.measures.base.source import Contrast, Observed, Source

Targets = Literal["sum", "mean"]

SENTENCE = ["test", "harmless", "template", "attribute_group", "attribute"]  # what groups of targets share


def biases(items: pd.DataFrame, targets: Targets = "sum") -> pd.DataFrame:
    """The bias of each attribute in each template, for each pair of target groups.

    Columns: `test`, `harmless`, `template`, `attribute_group`, `attribute`, `pair` ("male - female"), its `first` and
    `second` group, and `bias`.
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
            scores_of_first, scores_of_second = (
                test[test.target_group == group] for group in (first, second)
            )
            both = scores_of_first.merge(scores_of_second, on=SENTENCE, suffixes=("_one", "_other"))
            bias = both.score_one - both.score_other
            compared.append(
                both[SENTENCE].assign(pair=f"{first} - {second}", first=first, second=second, bias=bias)
            )
    return pd.concat(compared, ignore_index=True)


def _pairs(groups: list[str]) -> Iterator[tuple[str, str]]:
    """Every two groups in the order of the file, but male before female wherever they stand."""
    for first, second in combinations(groups, 2):
        yield ("male", "female") if {first, second} == {"male", "female"} else (first, second)


def association_test_rows(items: pd.DataFrame, targets: Targets, variant: Variant, seed: int) -> list[Row]:
    """d of each test and pair; the mean bias of each group of attributes; that of each attribute."""
    how = f"({targets} of targets)"
    # With one word to a group of targets, its association is the group's, however words are joined.
    words_of_group = items.groupby([*SENTENCE, "target_group"], sort=False).size().max()
    is_difference = targets == "mean" or words_of_group == 1
    table = biases(items, targets)
    several = table.drop_duplicates(["test", "pair"]).test.value_counts() > 1
    effects: list[Row] = []
    groups: list[Row] = []
    words: list[Row] = []
    for (test, pair), compared in table.groupby(["test", "pair"], sort=False):
        ideal = Ideal.none() if compared.harmless.any() else ZERO
        name = f"{test}.{pair}" if several[str(test)] else str(test)
        source = Source("association", where={"test": str(test)}, form="figure")
        if is_difference:
            first, second = compared[["first", "second"]].iloc[0]
            weights: dict[tuple[str, ...], float] = {(str(first),): 1.0, (str(second),): -1.0}
            source = replace(source, contrast=Contrast(("target_group",), weights, tuple(SENTENCE)))
        observed = Observed(compared.rename(columns={"bias": "association"}), source)
        at = Place("overall", str(test), name)
        effects += _effect_rows(compared, at, f"{pair} {how}", ideal, variant, seed, source)
        label = f"{pair} association {how}"
        for group, of_group in observed.by("attribute_group"):
            at = Place("group", f"{test}: {group}", f"{name}.{group}")
            groups.append(_association_row(of_group, label, "attribute", at, ideal))
        for word, of_word in observed.by("attribute"):
            at = Place("word", f"{test}: {word}", f"{name}.word.{word}")
            words.append(_association_row(of_word, label, "template", at, ideal))
    return [*_mean_of_tests(effects, how), *effects, *groups, *words]


def _association_row(observed: Observed, label: str, cluster: str, at: Place, ideal: Ideal) -> Row:
    row = mean_row(observed, "association", label, cluster=cluster, at=at, ideal=ideal)
    if observed.source.contrast is None:  # the mean of a ratio of sums, which is no mean over items
        return replace(row, source=observed.as_source("figure", cluster))
    return row


def _mean_of_tests(effects: list[Row], how: str) -> list[Row]:
    """The headline of several tests: how large d is where it should be 0, whichever way it leans."""
    tested = [row for row in effects if row.ideal.value == 0.0 and np.isfinite(row.p_value)]
    tests = pd.Series([row.group for row in tested])
    if tests.nunique() < 2:
        return []
    sizes = pd.Series([abs(row.value) for row in tested])
    means = sizes.groupby(tests.to_numpy(), sort=False).mean().to_numpy()
    row = row_of_means(means, "mean_absolute_d", f"mean |d| of tests {how}", n=len(means), test=None)
    return [replace(row, ci_low=max(row.ci_low, 0.0))]


def _effect_rows(
    biases: pd.DataFrame, at: Place, label: str, ideal: Ideal, variant: Variant, seed: int, source: Source
) -> list[Row]:
    """d over attributes with its test, and d over sentences beside it; the published variant has the latter alone."""
    by_attribute = biases.groupby(["attribute_group", "attribute"], sort=False).bias.mean().reset_index()
    over_sentences = _over_sentences(
        biases, by_attribute, at, label, ideal, replace(source, form="effect_size")
    )
    if variant == "published":
        x, y = _two_groups(biases)
        tested = stats.permutation_test(x, y, seed=seed, strict=True)
        return [replace(over_sentences, p_value=tested.p_value)]
    x, y = _two_groups(by_attribute)
    fit, tested = stats.effect_size_weat_interval(x, y), stats.permutation_test(x, y, seed=seed)
    over_attributes = fitted_row(
        fit,
        "d",
        f"d, {label}",
        n=len(biases),
        clusters=len(by_attribute),
        at=at,
        ideal=ideal,
        p_value=tested.p_value,
        effect_size=fit.value,
        smallest_detectable=stats.smallest_detectable_weat(len(x), len(y)),
        note=tested.reason or "",
        source=replace(source, form="effect_size", cluster="attribute"),
    )
    return [over_attributes, over_sentences]


def _over_sentences(
    biases: pd.DataFrame, by_attribute: pd.DataFrame, at: Place, label: str, ideal: Ideal, source: Source
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
    clusters = len(by_attribute)
    row = figure_row(
        d, "d_sentences", f"d over sentences, {label}", n=len(biases), clusters=clusters, at=at, ideal=ideal
    )
    return replace(
        row,
        ci_low=unit * fit.low,
        ci_high=unit * fit.high,
        effect_size=d,
        smallest_detectable=unit * stats.smallest_detectable_weat(len(x), len(y)),
        note=fit.reason or "",
        source=source,
    )


def _two_groups(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The biases of the first and of the second group of attributes."""
    first, second = (part.bias.to_numpy() for _, part in table.groupby("attribute_group", sort=False))
    return first, second

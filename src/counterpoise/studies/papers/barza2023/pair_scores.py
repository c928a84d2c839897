"""Sentence pairs: their scores in a cell's folder, rows of one model, and paired comparisons of models.

A model that likes male words in general likes the stereotyped side of pairs about men and the counterpart of those
about women, and the pairs of two categories are mostly about women. The balanced SLD weighs both kinds of pairs alike:

    balanced SLD of a category = (mean SLD of pairs about women + mean SLD of pairs about men) / 2
    balanced SLD, combined     = mean of the categories' balanced SLD

so that such a preference cancels out and what is left is the stereotype.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.data.builtin.pairs import Pairs, stereotype_pairs
from counterpoise.measures.base.result import Result
from counterpoise.stats.inputs import FloatArray
from counterpoise.studies.papers.barza2023.estimates import estimate, records, with_adjusted
from counterpoise.studies.papers.barza2023.published import COMBINED
from counterpoise.studies.papers.barza2023.statistics import (
    ASLD,
    BALANCED_SLD,
    NET,
    OF_PAIRS,
    SINCE_FEWER,
    SINCE_UNTRAINED,
    SWAPPED,
    UNSWAPPED,
)

PAIR = ["category", "about", "stereotyped", "counterpart"]
KEPT = ["group", "statistic", "value", "ci_low", "ci_high", "p_value", "p_adjusted", "effect_size"]
KEPT += ["smallest_detectable", "n", "clusters", "note"]
_FILE = "pairs.csv"
_SEED = 0  # of the pairs that are asked about: the same for all models, so that they can be compared


def some_pairs(at_most: int | None) -> Pairs:
    """Our sentence pairs, at most so many of each category; half of them about women, where there are enough."""
    pairs = stereotype_pairs()
    if at_most is None:
        return pairs
    shuffled = pairs.table.sample(frac=1, random_state=_SEED)
    # The first of each kind come first, then the second of each kind, and so on.
    turn = shuffled.groupby(["category", "about"]).cumcount()
    drawn = shuffled.loc[turn.sort_values(kind="stable").index].groupby("category").head(at_most)
    return Pairs(pairs.name, drawn.sort_index())


def write_pairs(result: Result, folder: Path) -> None:
    """Keeps the SLD of each pair, for comparisons."""
    result.items[[*PAIR, "sld"]].to_csv(folder / _FILE, index=False)


def read_pairs(folder: Path) -> pd.Series:
    """SLD by pair."""
    return pd.read_csv(folder / _FILE, keep_default_na=False).set_index(PAIR).sld.astype(float)


def pair_rows(result: Result) -> list[dict[str, Any]]:
    """Balanced SLD, SLD, ASLD and the share of pairs, of all pairs and of each category."""
    summary = result.summary[result.summary.key.isin(OF_PAIRS)]
    kept = summary[KEPT].assign(statistic=summary.key.map(OF_PAIRS))
    rows = records(kept)
    balanced = [
        _balanced_row(group, scores)
        for group, scores in _groups(result.items.set_index(PAIR).sld)
        if scores.index.get_level_values("about").nunique() == 2
    ]
    return [{**row, "skipped": len(result.skipped)} for row in (*balanced, *rows)]


def gap_rows(
    untrained: pd.Series, swapped: Mapping[int, pd.Series], unswapped: Mapping[int, pd.Series]
) -> list[dict[str, Any]]:
    """ASLD after swapped GAP, and what GAP and the swap changed; scores by pair, of trained models by seed."""
    after = _runs(swapped)
    rows = [
        estimate(after[pairs.index].abs(), group=group, statistic=ASLD, text="gap")
        for group, pairs in _groups(after.iloc[0])
    ]
    rows += _changes(after, untrained, compared=SWAPPED)
    if unswapped:
        control = _runs(unswapped)
        rows += _changes(control, untrained, compared=UNSWAPPED)
        seeds = after.index.intersection(control.index)
        rows += _changes(after.loc[seeds], control.loc[seeds], compared=NET)
    return rows


def curve_rows(untrained: pd.Series, by_size: Mapping[int, Mapping[int, pd.Series]]) -> list[dict[str, Any]]:
    """Figure 13: ASLD by number of sentences, its change since the model as it was, and since the size before."""
    sizes = {size: _runs(samples) for size, samples in sorted(by_size.items())}
    whole = {0: untrained.to_frame().T, **sizes}
    rows = [
        estimate(runs[pairs.index].abs(), group=group, statistic=ASLD, sentences=size)
        for size, runs in whole.items()
        for group, pairs in _groups(runs.iloc[0])
    ]
    for size, runs in sizes.items():
        rows += _changes(runs, untrained, compared=SINCE_UNTRAINED, sentences=size)
    for (_, fewer), (size, runs) in pairwise(sizes.items()):
        samples = runs.index.intersection(fewer.index)
        if len(samples):
            rows += _changes(runs.loc[samples], fewer.loc[samples], compared=SINCE_FEWER, sentences=size)
    return rows


def model_differences(by_model: Mapping[str, pd.Series]) -> list[dict[str, Any]]:
    """Each two models on the pairs that both have, second minus first; p adjusted over pairs of models."""
    rows: dict[str, list[dict[str, Any]]] = {ASLD: [], BALANCED_SLD: []}
    for first, second in combinations(by_model, 2):
        labels = {"compared": f"{second} - {first}", "models": first, "other": second}
        for row in _changes(by_model[second].to_frame().T, by_model[first], **labels):
            if row["group"] == COMBINED:
                rows[row["statistic"]].append(row)
    return [row for of_statistic in rows.values() for row in with_adjusted(of_statistic)]


def balanced(values: pd.DataFrame) -> FloatArray:
    """Values whose mean is the balanced mean, and whose spread is that within kinds of pairs (category and `about`).

    w (value - mean of its kind) + balanced mean, with a weight w that makes all kinds weigh alike: that kinds differ is
    by design and no uncertainty about their common mean. Since each kind has a mean of its own, w also makes up for the
    degrees of freedom that these take, so that the standard error is that of `stats.stratified_t`.
    """
    table = values.to_numpy(dtype=float)
    codes, names = pd.factorize(pd.Index(_kinds(values.columns)))
    means = np.array([table[:, codes == code].mean() for code in range(len(names))])
    sizes, items = np.bincount(codes), table.shape[1]
    freedom = (items - 1) / items * sizes / np.maximum(sizes - 1, 1)
    weights = items / (len(names) * sizes) * np.sqrt(freedom)
    return np.asarray(weights[codes] * (table - means[codes]) + means.mean())


def _changes(after: pd.DataFrame, before: pd.Series | pd.DataFrame, **labels: Any) -> list[dict[str, Any]]:
    """ASLD and balanced SLD, after minus before, pair by pair; of all pairs and of each category."""
    start = before.to_frame().T if isinstance(before, pd.Series) else before
    shared = after.columns.intersection(start.columns, sort=False)
    rows = []
    for group, pairs in _groups(after[shared].iloc[0]):
        new, old = after[pairs.index], start[pairs.index]
        absolute = new.abs().to_numpy() - old.abs().to_numpy()
        difference = new - old.to_numpy()
        compared = [(ASLD, absolute, (old.abs().to_numpy().mean(), new.abs().to_numpy().mean()))]
        if pairs.index.get_level_values("about").nunique() == 2:
            ends = (balanced(old).mean(), balanced(new).mean())
            compared.append((BALANCED_SLD, balanced(difference), ends))
        for statistic, values, ends in compared:
            between = dict(zip(("first", "second"), map(float, ends), strict=True))
            rows.append(estimate(values, group=group, statistic=statistic, **between, **labels))
    return rows


def _groups(scores: pd.Series) -> Iterator[tuple[str, pd.Series]]:
    """All pairs, then those of each category."""
    yield COMBINED, scores
    for category, of_category in scores.groupby(level="category", sort=False):
        yield str(category), of_category


def _runs(by_seed: Mapping[int, pd.Series]) -> pd.DataFrame:
    """A row per seed, a column per pair that all have."""
    return pd.DataFrame(dict(sorted(by_seed.items()))).T.dropna(axis=1)


def _kinds(pairs: pd.Index[Any]) -> list[str]:
    """The kind of each pair: its category, and whom its stereotype is about."""
    columns = (pairs.get_level_values(name) for name in ("category", "about"))
    return [f"{category}, about {about}" for category, about in zip(*columns, strict=True)]


def _balanced_row(group: str, scores: pd.Series) -> dict[str, Any]:
    fit = stats.stratified_t(scores.to_numpy(), _kinds(scores.index))
    return {
        "group": group,
        "statistic": BALANCED_SLD,
        "value": fit.value,
        "ci_low": fit.low,
        "ci_high": fit.high,
        "p_value": fit.p_value,
        "effect_size": fit.d,
        "smallest_detectable": stats.smallest_detectable_t(fit.standard_error, fit.df),
        "n": fit.n,
        "note": fit.reason or "",
    }

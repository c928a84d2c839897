"""Paired differences of two results of the same measure.

    d_c = mean over the items of cluster c of second model - first model

for each cluster (profession, word, sentence pair) that both have, and the t interval and test over the d_c, as in the
summary of a single run. Two models asked the same questions differ by less than their intervals suggest, since what
makes a question hard is the same for both; hence the pairing.

The source of a row says what it is computed from. A row whose source does not reproduce the number in the summary, as
in a folder that was edited by hand, is not compared.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.audit.pairing import shared_items
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.source import TEXT, Source

_LABELS = ["level", "group", "statistic"]
_ROW = ["key", *_LABELS]
_SHOWN = 10  # items that changed most
_TOLERANCE = 1e-6


def paired_differences(first: Result, second: Result) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows that two results share, each with its paired difference, and the items that changed most."""
    summary, shared = first.summary, shared_items(first, second)
    rows: list[dict[str, Any]] = []
    changes = pd.DataFrame(columns=["item", "value_first", "value_second", "change"])
    for _, row in summary[summary.level != "word"].iterrows():
        other = same_row(row, second)
        if other is None:
            continue
        labels = {
            **{name: row[name] for name in (*_ROW, "ideal", "ideal_text")},
            "value_first": row.value,
            "value_second": other.value,
        }
        source = first.sources.get(row.key) or second.sources.get(other.key)
        problem = _problem(source, (first, row), (second, other))
        if source is None or problem:
            rows.append(labels | _unpaired(problem))
            continue
        rows.append(labels | _difference(source, first, second, *shared))
        if row.level == "overall" and source.form == "mean" and changes.empty:
            text = next(name for name in first.identity if all(name in table for table in shared))
            changes = _changes(source, text, *shared)
    return pd.DataFrame(rows or [_nothing_in_common(first, second)]), changes


def same_row(row: pd.Series, result: Result) -> pd.Series | None:
    """The row of another result that measures the same: with the same key, or else with the same labels."""
    table = result.summary
    matches = table[table.key == row.key]
    if matches.empty:
        matches = table[(table[_LABELS] == row[_LABELS]).all(axis=1)]
    return None if matches.empty else matches.iloc[0]


def _problem(source: Source | None, *results: tuple[Result, pd.Series]) -> str:
    """Why a row cannot be compared item by item; empty if it can."""
    if source is None or not source.is_paired:
        return "not a mean over items: look at the two intervals"
    for result, row in results:
        if not source.has_columns(result.items):
            return f"the items of {result.model} lack what it is computed of"
        value = source.of_clusters(source.observe(result.items)).mean()
        if not (math.isclose(value, row.value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)):
            return f"the items of {result.model} do not give the number of its summary"
    return ""


def _difference(
    source: Source, first: Result, second: Result, items_first: pd.DataFrame, items_second: pd.DataFrame
) -> dict[str, Any]:
    """The paired difference of a row over the items that both results have."""
    observed = source.observe(items_first), source.observe(items_second)
    values = pd.concat(
        [source.of_clusters(table) for table in observed], axis=1, join="inner", keys=["first", "second"]
    ).dropna()
    if not len(values):
        return _unpaired("the two share no items")
    differences = (values["second"] - values["first"]).to_numpy()
    fit = stats.cluster_t(differences)
    n = len(values) if source.cluster is None else len(observed[0])
    most = max(len(source.observe(result.items)) for result in (first, second))
    notes = [f"{n} of {most} items are in both"] if n < most else []
    same = not differences.any()
    return {
        "value_first": values["first"].mean(),  # of the items that both have
        "value_second": values["second"].mean(),
        "difference": fit.value,
        "ci_low": fit.low,
        "ci_high": fit.high,
        "p_value": fit.p_value,
        "smallest_detectable": stats.smallest_detectable(differences),
        "n": n,
        "clusters": len(differences),
        "form": source.form,
        "is_same": same,
        "note": "; ".join([*notes, *filter(None, ["the same on every item" if same else fit.reason])]),
    }


def _unpaired(note: str) -> dict[str, Any]:
    numbers = ["difference", "ci_low", "ci_high", "p_value", "smallest_detectable"]
    return dict.fromkeys(numbers, np.nan) | {
        "n": 0,
        "clusters": 0,
        "form": "",
        "is_same": False,
        "note": note,
    }


def _nothing_in_common(first: Result, second: Result) -> dict[str, Any]:
    row, other = first.headline, second.headline
    return {
        **{name: row[name] for name in (*_ROW, "ideal", "ideal_text")},
        "value_first": row.value,
        "value_second": np.nan,
        **_unpaired(f"they have no statistic in common: {row.statistic} and {other.statistic}"),
    }


def _changes(
    source: Source, text: str, items_first: pd.DataFrame, items_second: pd.DataFrame
) -> pd.DataFrame:
    """The items that differ most, the largest change first; among all items, not only those of the row."""
    everywhere = replace(source, where={})
    before, after = everywhere.observe(items_first, text), everywhere.observe(items_second, text)
    change = (after[source.column] - before[source.column]).dropna()
    largest = change.abs().sort_values(ascending=False, kind="stable").index[:_SHOWN]
    shown = before[TEXT if TEXT in before else text]
    return pd.DataFrame(
        {
            "item": shown[largest].astype(str),
            "value_first": before.loc[largest, source.column],
            "value_second": after.loc[largest, source.column],
            "change": change[largest],
        }
    ).reset_index(drop=True)

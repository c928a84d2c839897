"""Paired differences of two results of the same measure.

    d_c = mean over the items of cluster c of second model - first model

for each cluster (profession, word, sentence pair) that both have, and the t interval and test over the d_c, as in the
summary of a single run. Two models asked the same questions differ by less than their intervals suggest, since what
makes a question hard is the same for both; therefore pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.audit.observations import Observations, Recipe, headline_row, shared_observations

_ROW = ["level", "group", "statistic"]
_SHOWN = 10  # items that changed most


def paired_differences(first: Observations, second: Observations) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows that two results share, each with its paired difference, and the items that changed most."""
    ours = first.result.summary
    theirs = second.result.summary.set_index(_ROW)
    theirs = theirs[~theirs.index.duplicated()]
    rows: list[dict[str, Any]] = []
    changes = pd.DataFrame(columns=["item", "value_first", "value_second", "change"])
    for _, row in ours[ours.level != "word"].drop_duplicates(_ROW).iterrows():
        key = tuple(row[_ROW])
        if key not in theirs.index:
            continue
        other = theirs.loc[key]
        recipe = next((one for one in first.recipes(row) if second.explains(one, other)), None)
        about = {
            **{name: row[name] for name in (*_ROW, "ideal", "ideal_text")},
            "value_first": row.value,
            "value_second": other.value,
        }
        if recipe is None:
            rows.append(about | _unpaired("not a mean over items: look at the two intervals"))
            continue
        tables = shared_observations(first, second, recipe)
        found = _difference(recipe, *tables)
        most = max(len(recipe.chosen(one.tables[recipe.table])) for one in (first, second))
        if 0 < found["n"] < most:
            found["note"] = f"{found['n']} of {most} items are in both; {found['note']}".removesuffix("; ")
        rows.append(about | found)
        if row.level == "overall" and recipe.form == "mean" and changes.empty:
            changes = _changes(recipe, *tables)
    return pd.DataFrame(rows or [_nothing_in_common(first, second)]), changes


def _nothing_in_common(first: Observations, second: Observations) -> dict[str, Any]:
    ours, theirs = headline_row(first.result), headline_row(second.result)
    return {
        **{name: ours[name] for name in (*_ROW, "ideal", "ideal_text")},
        "value_first": ours.value,
        "value_second": np.nan,
        **_unpaired(f"they have no statistic in common: {ours.statistic} and {theirs.statistic}"),
    }


def _difference(recipe: Recipe, one: pd.DataFrame, other: pd.DataFrame) -> dict[str, Any]:
    if not len(recipe.chosen(one)):
        return _unpaired("the two share no items")
    # Paired by the name of the cluster, or by the place of the item: both tables hold the same items in one order.
    values = pd.concat(
        [recipe.of_clusters(one), recipe.of_clusters(other)], axis=1, join="inner", keys=["one", "other"]
    )
    differences = (values.other - values.one).to_numpy()
    fit = stats.cluster_t(differences)
    return {
        "value_first": values.one.mean(),  # of the items that both have
        "value_second": values.other.mean(),
        "difference": fit.value,
        "ci_low": fit.low,
        "ci_high": fit.high,
        "p_value": fit.p_value,
        "smallest_detectable": stats.smallest_detectable(differences),
        "n": len(recipe.chosen(one)),
        "clusters": len(differences),
        "form": recipe.form,
        "note": "the same on every item" if not differences.any() else fit.reason or "",
    }


def _unpaired(note: str) -> dict[str, Any]:
    numbers = ["difference", "ci_low", "ci_high", "p_value", "smallest_detectable"]
    return dict.fromkeys(numbers, np.nan) | {"n": 0, "clusters": 0, "form": "", "note": note}


def _changes(recipe: Recipe, one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """The items that differ most, the largest change first."""
    change = other[recipe.column] - one[recipe.column]
    largest = change.abs().sort_values(ascending=False, kind="stable").index[:_SHOWN]
    return pd.DataFrame(
        {
            "item": recipe.texts(one)[largest],
            "value_first": one.loc[largest, recipe.column],
            "value_second": other.loc[largest, recipe.column],
            "change": change[largest],
        }
    ).reset_index(drop=True)

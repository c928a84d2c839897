"""Changes from a baseline, computed on the items that both runs have, and what can be a baseline at all.

The change of a mean is the paired difference of `counterpoise.audit.differences`, with its t interval over clusters.
That of a correlation is the difference of two correlations with the same numbers, with a bootstrap interval over
clusters, which are drawn for both runs alike.

The change of a distance, |a| - |b| with a and b the means of run and baseline, has no sign that is known for certain.
Since |a| is the larger of a and -a, the upper end is the higher one of a - s b and -a - s b, where s is the sign of b;
the lower end likewise. Where neither mean is near its center this is the interval of the paired difference itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from counterpoise import stats
from counterpoise.audit.differences import paired_differences
from counterpoise.audit.gate.estimates import IntervalEstimate
from counterpoise.audit.gate.rules import Rule
from counterpoise.audit.pairing import shared_items
from counterpoise.audit.run import Run
from counterpoise.audit.run_options import options_of
from counterpoise.core.errors import RunError
from counterpoise.measures.base.result import Result
from counterpoise.measures.base.source import Source
from counterpoise.stats.inputs import FloatArray

# Options in which a run may differ from its baseline; all others decide what is measured, or how.
_MAY_DIFFER = {"model", "fingerprint", "precision", "quantization", "measures", "data"}
_NAMES = {"counterpoise": "version of Counterpoise"}
_DRAWS = 2000
_TOLERANCE = 1e-6

# An estimate of `run * run's mean - baseline * baseline's mean`, both measured from the center of a rule.
Combined = Callable[[float, float], IntervalEstimate]


def refuse_other_setup(run: Run, baseline: Run, measures: list[str]) -> None:
    """Raises an error that names the differences unless a run was measured as its baseline was."""
    if run.folder.resolve() == baseline.folder.resolve():
        raise RunError(f"{run.folder} cannot be its own baseline")
    differences = _differences(run.manifest, baseline.manifest, measures)
    if differences:
        listed = "; ".join(f"{name}: {mine} and {other}" for name, (mine, other) in differences.items())
        raise RunError(f"{baseline.folder} cannot be the baseline of {run.folder}; they differ in {listed}")


def _differences(
    run: dict[str, Any], baseline: dict[str, Any], measures: list[str]
) -> dict[str, tuple[str, str]]:
    mine, other = options_of(run), options_of(baseline)
    pairs = {"kind of model": (run.get("kind"), baseline.get("kind"))}
    if None in pairs["kind of model"]:  # a folder that was written before runs said it
        pairs.clear()
    for name in dict.fromkeys([*mine, *other]):
        if name not in _MAY_DIFFER:
            pairs[_NAMES.get(name, name)] = (mine.get(name), other.get(name))
    for measure in measures:
        if measure in run["measures"] and measure in baseline["measures"]:
            datasets = (run["measures"][measure]["dataset"], baseline["measures"][measure]["dataset"])
            pairs[f"data of {measure}"] = datasets
    return {name: (_shown(a), _shown(b)) for name, (a, b) in pairs.items() if a != b}


def _shown(value: Any) -> str:
    """A value of an option in a message; a hash is long, and its beginning tells it apart."""
    text = "none" if value in (None, "", {}) else str(value)
    return f"{text[:12]}..." if len(text) > 60 else text


class Baseline:
    """The results that a run is compared with; what several rules need of a measure is computed once."""

    def __init__(self, results: Mapping[str, Result]) -> None:
        self.results = results
        self._differences: dict[str, pd.DataFrame] = {}

    def change(self, rule: Rule, run: Result) -> IntervalEstimate:
        """The change of what a rule limits, from the baseline to the run."""
        if rule.measure not in self.results:
            return _unknown(f"the baseline has not been measured with {rule.measure}")
        baseline = self.results[rule.measure]
        if problem := _no_interval(rule, run) or _no_interval(rule, baseline):
            return _unknown(problem)
        source = run.sources.get(rule.key) or baseline.sources.get(rule.key)
        if source is not None and source.form == "correlation":
            return _of_correlations(rule, source, run, baseline)
        rows = self._paired(run, baseline)
        rows = rows[rows.key == rule.key]
        if rows.empty or source is None:
            return _unknown("rows of single words are not compared item by item")
        [row] = rows.to_dict("records")
        return _of_means(rule, source, row, run, baseline)

    def _paired(self, run: Result, baseline: Result) -> pd.DataFrame:
        if run.measure not in self._differences:
            self._differences[run.measure], _ = paired_differences(baseline, run)
        return self._differences[run.measure]


def all_alike(result: Result) -> str:
    """Why a measure says nothing about a model that gives one answer to everything; empty if it does not.

    A share of such items still has an interval, as if ties were evidence of balance.
    """
    headline = result.headline
    source = result.sources.get(headline.key)
    if source is None or pd.isna(headline.value) or not pd.isna(headline.ci_low):
        return ""
    values = source.observe(result.items)[source.column].dropna()
    if len(values) < 2 or (values != values.iloc[0]).any():
        return ""
    return f"{result.model} gives the same answer to all {len(values)} items of {result.measure}"


def _no_interval(rule: Rule, result: Result) -> str:
    """Why there is nothing to compare; empty if there is."""
    rows = result.summary[result.summary.key == rule.key]
    if rows.empty:
        return f"the run of {result.model} has no row {rule.row}"
    if rows[["value", "ci_low", "ci_high"]].isna().any(axis=None) or all_alike(result):
        return all_alike(result) or f"{result.model} has no interval of it: {rows.note.iloc[0]}".rstrip(": ")
    return ""


def _of_means(
    rule: Rule, source: Source, row: dict[Any, Any], run: Result, baseline: Result
) -> IntervalEstimate:
    """The change of a mean over clusters, or of its distance, given the row of its paired difference."""
    if row["is_same"]:
        return IntervalEstimate(0.0, 0.0, 0.0, row["clusters"], "the same on every item")
    if not rule.absolute or math.isnan(row["ci_low"]):
        return IntervalEstimate(
            row["difference"], row["ci_low"], row["ci_high"], row["clusters"], row["note"]
        )
    mine, other = _cluster_values(source, run, baseline)
    centered = mine - rule.center, other - rule.center
    means = (float(values.mean()) for values in centered)
    return _of_distances(lambda a, b: _paired_mean(a * centered[0] - b * centered[1]), row["note"], *means)


def _unknown(note: str) -> IntervalEstimate:
    return IntervalEstimate(math.nan, math.nan, math.nan, 0, note)


def _cluster_values(source: Source, run: Result, baseline: Result) -> tuple[pd.Series, pd.Series]:
    """The numbers of each cluster that both runs have."""
    shared = shared_items(run, baseline)
    values = pd.concat(
        [source.of_clusters(source.observe(items)) for items in shared],
        axis=1,
        join="inner",
        keys=["run", "baseline"],
    ).dropna()
    return values["run"], values["baseline"]


def _paired_mean(values: pd.Series) -> IntervalEstimate:
    fit = stats.cluster_t(values.to_numpy())
    return IntervalEstimate(fit.value, fit.low, fit.high, fit.n_clusters, fit.reason or "")


def _of_distances(combined: Combined, note: str, *means: float) -> IntervalEstimate:
    """|a| - |b|, from estimates of s a - t b for the four combinations of signs."""
    mine, other = (1.0 if mean >= 0 else -1.0 for mean in means)
    value = combined(mine, other)
    high = np.max([combined(sign, other).high for sign in (1.0, -1.0)])
    low = np.min([combined(mine, sign).low for sign in (1.0, -1.0)])
    return IntervalEstimate(value.value, float(low), float(high), value.items, note)


def _of_correlations(rule: Rule, source: Source, run: Result, baseline: Result) -> IntervalEstimate:
    """The change of a correlation of clusters' means with another column of the items."""
    if source.against is None or source.cluster is None or not source.has_columns(run.items):
        return _unknown("the items lack what it is correlated with")
    chosen = source.choose(shared_items(run, baseline)[0])
    against = chosen.groupby(source.cluster, sort=False)[source.against].mean()
    mine, other = _cluster_values(source, run, baseline)
    table = pd.DataFrame({"run": mine, "baseline": other, "against": against.reindex(mine.index)}).dropna()
    method = _method(rule, run, table)
    if method is None:
        return _unknown(f"the items of {run.model} do not give the number of its summary")
    if table["run"].equals(table["baseline"]):
        return IntervalEstimate(0.0, 0.0, 0.0, len(table), "the same on every item")

    @cache
    def combined(a: float, b: float) -> IntervalEstimate:
        def statistic(drawn: pd.DataFrame) -> float:
            mine, other = _correlations(drawn.to_numpy(), method)
            return a * (mine - rule.center) - b * (other - rule.center)

        fit = stats.bootstrap(table, statistic, n=_DRAWS)
        return IntervalEstimate(fit.value, fit.low, fit.high, len(table), fit.reason or "")

    if not rule.absolute:
        return combined(1.0, 1.0)
    return _of_distances(
        combined, "", *(found - rule.center for found in _correlations(table.to_numpy(), method))
    )


def _method(rule: Rule, run: Result, table: pd.DataFrame) -> str | None:
    """Which kind of correlation gives the number in the summary; both runs must have all of its clusters for that."""
    value = float(run.summary.loc[run.summary.key == rule.key, "value"].iloc[0])
    for method in ("pearson", "spearman"):
        if math.isclose(_correlations(table.to_numpy(), method)[0], value, abs_tol=_TOLERANCE):
            return method
    return None


def _correlations(table: FloatArray, method: str) -> tuple[float, float]:
    """The correlations of the first two columns with the third; NaN where a column has no spread."""
    columns = table.T if method == "pearson" else rankdata(table.T, axis=1)
    centered = columns - columns.mean(axis=1, keepdims=True)
    *firsts, against = centered
    sizes = [math.sqrt((x @ x) * (against @ against)) for x in firsts]
    mine, other = (
        float(x @ against / size) if size else math.nan for x, size in zip(firsts, sizes, strict=True)
    )
    return mine, other

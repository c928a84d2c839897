"""Compares models on the items that they share: paired differences, which of them are sure, and a ranking.

    d_c = mean over the items of cluster c of second model - first model

for each cluster (profession, word, sentence pair) that both runs have, and the t interval and test over the d_c, as in
the summary of a single run. p-values are adjusted (Holm) within a measure, apart for overall and group rows. Two models
asked the same questions differ by less than their intervals suggest, since what makes a question hard is the same for
both; therefore pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoise import stats
from counterpoise.audit.auditing import audit
from counterpoise.audit.observations import Observations, Recipe, shared_observations
from counterpoise.audit.pairing import TEXT
from counterpoise.audit.ranking import rank
from counterpoise.audit.reading import finished_results, read_results
from counterpoise.audit.run import Run
from counterpoise.core.errors import InputError, RunError
from counterpoise.data.spec import Variant
from counterpoise.measures.result import Result

_ROW = ["level", "group", "statistic"]
_SHOWN = 10  # items that changed most, each way and in all
_MUST_AGREE = ("variant", "data", "pairs", "counterpoise")  # else numbers differ for reasons other than the model


@dataclass(frozen=True)
class Comparison:
    """What a comparison of runs found.

    `rows` has a line per measure, row of its summary and pair of models: `first`, `second`, their values, `difference`
    (second minus first), interval, p, adjusted p, `smallest_detectable`, `n` shared items, `clusters`, the `form` of the
    number (mean, absolute, share, own gender), and a `note` where nothing can be said. `changes` has the items that differ most, `ranking` the models per measure, nearest to
    the ideal first. `notes` says what a reader must know before believing any of it.
    """

    names: tuple[str, ...]
    runs: dict[str, Run]
    results: dict[str, dict[str, Result]]  # by name of the run, then by measure
    rows: pd.DataFrame
    changes: pd.DataFrame
    ranking: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def measures(self) -> list[str]:
        """The measures that at least two of the runs have."""
        return list(dict.fromkeys(self.rows.measure))


def compare(
    *models: Any,
    measures: Sequence[str] | None = None,
    suite: str = "quick",
    out: str | Path | None = None,
    data: str | Path | None = None,
    seed: int = 0,
    variant: Variant = "corrected",
    cache: bool = True,
) -> Comparison:
    """Which of these models is more biased, and is that more than chance?

    Parameters
    ----------
    models
        Two or more: folders of runs, `Run` objects, models, or what `counterpoise.load` takes. What is no run is
        audited first, with the options that follow, into a folder of its own under `out`; one that was stopped is
        continued.
    out
        Where the runs of models go; not needed where all are runs already.

    >>> import tempfile
    >>> import counterpoise as cp
    >>> folder = tempfile.mkdtemp()
    >>> found = cp.compare("builtin", cp.load(), measures=["sld"], out=folder, cache=False)
    >>> found.rows.difference.abs().max()
    0.0
    """
    if len(models) < 2:
        raise InputError(f"a comparison needs two models or runs, found {len(models)}")
    opened: list[tuple[Run, list[Result]]] = []
    for number, model in enumerate(models, start=1):
        if isinstance(model, Run):
            opened.append((model, finished_results(model)))
        elif isinstance(model, str | Path) and is_run(model):
            opened.append(read_results(model))
        elif out is None:
            raise InputError(f"{model} is no run folder: to audit it first, say with `out` where its run may go")
        else:
            folder = Path(out).expanduser() / f"{number}-{_slug(model)}"
            run = audit(model, measures, suite, folder, data, seed, variant=variant, cache=cache).run
            assert run is not None
            opened.append((run, finished_results(run)))
    return compare_runs(opened)


def is_run(folder: str | Path) -> bool:
    """Is there a run in this folder?"""
    return (Path(folder).expanduser() / "manifest.json").is_file()


def compare_runs(opened: Sequence[tuple[Run, list[Result]]]) -> Comparison:
    """Compares runs that are read already."""
    names = _names([run for run, _ in opened])
    runs = {name: run for name, (run, _) in zip(names, opened, strict=True)}
    results = {
        name: {result.measure: result for result in found}
        for name, (_, found) in zip(names, opened, strict=True)
    }
    by_measure = {
        measure: [name for name in names if measure in results[name]]
        for measure in dict.fromkeys(measure for found in results.values() for measure in found)
    }
    shared = {measure: having for measure, having in by_measure.items() if len(having) > 1}
    if not shared:
        raise RunError(
            "these runs have no measure in common: "
            + "; ".join(f"{name} has {', '.join(found)}" for name, found in results.items())
        )
    rows, changes = [], []
    for measure, having in shared.items():
        behind = {name: Observations(results[name][measure]) for name in having}
        for first, second in combinations(having, 2):
            found, changed = _compare_pair(behind[first], behind[second])
            rows.append(found.assign(measure=measure, first=first, second=second))
            changes.append(changed.assign(measure=measure, first=first, second=second))
    table = pd.concat(rows, ignore_index=True)
    table["p_adjusted"] = table.groupby(["measure", "level"]).p_value.transform(
        lambda p: stats.adjust(p.to_numpy())
    )
    front = ["measure", "first", "second"]
    return Comparison(
        names=tuple(names),
        runs=runs,
        results=results,
        rows=table[[*front, *(name for name in table if name not in front)]],
        changes=pd.concat(changes, ignore_index=True),
        ranking=rank({name: list(results[name].values()) for name in names}, list(shared)),
        notes=tuple(_notes(runs, by_measure)),
    )


def _compare_pair(first: Observations, second: Observations) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows that two results share, each with its paired difference, and the items that changed most."""
    ours = first.result.summary
    theirs = second.result.summary.set_index(_ROW)
    theirs = theirs[~theirs.index.duplicated()]
    rows = []
    changes = pd.DataFrame(columns=["item", "value_first", "value_second", "change"])
    for _, row in ours[ours.level != "word"].drop_duplicates(_ROW).iterrows():
        key = tuple(row[_ROW])
        if key not in theirs.index:
            continue
        other = theirs.loc[key]
        recipe = next((one for one in first.recipes(row) if second.explains(one, other)), None)
        about = {
            **row[_ROW].to_dict(),
            "ideal": row.ideal,
            "ideal_text": row.ideal_text,
            "value_first": row.value,
            "value_second": other.value,
        }
        if recipe is None:
            rows.append(about | _unpaired("made of more than the items' own numbers: compare the intervals"))
            continue
        tables = shared_observations(first, second, recipe)
        rows.append(about | _difference(recipe, *tables))
        if row.level == "overall" and recipe.form == "mean" and changes.empty:
            changes = _changes(recipe, *tables)
    return pd.DataFrame(rows), changes


def _difference(recipe: Recipe, one: pd.DataFrame, other: pd.DataFrame) -> dict[str, Any]:
    if not len(recipe.chosen(one)):
        return _unpaired("the two share no items")
    values = recipe.of_clusters(one), recipe.of_clusters(other)
    # Clusters stand in the same order on both sides: the tables hold the same items in the same order.
    differences = values[1].to_numpy() - values[0].to_numpy()
    fit = stats.cluster_t(differences)
    return {
        "value_first": values[0].mean(),  # of the items that both have
        "value_second": values[1].mean(),
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
    chosen = [name for name in (TEXT, "word") if name in one] or [_first_text(one)]
    return pd.DataFrame(
        {
            "item": one.loc[largest, chosen[0]].astype(str),
            "value_first": one.loc[largest, recipe.column],
            "value_second": other.loc[largest, recipe.column],
            "change": change[largest],
        }
    ).reset_index(drop=True)


def _first_text(table: pd.DataFrame) -> str:
    return str(table.select_dtypes(exclude=["number"]).columns[0])


def _names(runs: Sequence[Run]) -> list[str]:
    """Models by name; runs of the same model by folder; the same folder twice is a mistake."""
    folders = [run.folder.resolve() for run in runs]
    if len(set(folders)) < len(folders):
        raise InputError(f"{runs[0].folder if len(runs) == 2 else 'a run'} is compared with itself")
    for names in (
        [_short(str(run.manifest["options"]["model"])) for run in runs],
        [folder.name for folder in folders],
    ):
        if len(set(names)) == len(names):
            return names
    return [str(run.folder) for run in runs]


def _short(model: str) -> str:
    """A folder's last part; a name of the hub as it is."""
    return Path(model).name if Path(model).is_absolute() or Path(model).exists() else model


def _slug(model: Any) -> str:
    name = model if isinstance(model, str | Path) else getattr(model, "name", "model")
    return re.sub(r"\W+", "-", str(name)).strip("-")[-60:] or "model"


def _notes(runs: dict[str, Run], by_measure: dict[str, list[str]]) -> list[str]:
    notes = [
        f"the run of {name} is not finished: measures may be missing"
        for name, run in runs.items()
        if not run.is_complete
    ]
    for measure, having in by_measure.items():
        missing = [name for name in runs if name not in having]
        if missing:
            notes.append(f"{measure} is not compared with {', '.join(missing)}, which has not been measured with it")
    options = {name: run.manifest["options"] for name, run in runs.items()}
    for option in _MUST_AGREE:
        found = {name: chosen.get(option) for name, chosen in options.items()}
        if len({str(value) for value in found.values()}) > 1:
            told = ", ".join(f"{value or 'none'} ({name})" for name, value in found.items())
            notes.append(f"the runs differ in {option}, which may be why numbers differ: {told}")
    fingerprints = [chosen.get("fingerprint") for chosen in options.values()]
    if len(set(fingerprints)) < len(fingerprints):
        notes.append("at least two of these are the same model, weight by weight")
    return notes

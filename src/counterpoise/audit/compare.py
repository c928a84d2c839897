"""Compares models on the items that they share: paired differences, which of them are sure, and a ranking.

p-values are adjusted (Holm) within a measure, over all pairs of models, apart for overall and group rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise import stats
from counterpoise.audit.auditing import run_audit
from counterpoise.audit.differences import paired_differences
from counterpoise.audit.ranking import rank
from counterpoise.audit.reading import finished_results, read_results
from counterpoise.audit.request import AuditRequest, LoadOptions
from counterpoise.audit.run import Run
from counterpoise.core.errors import InputError, RunError
from counterpoise.data.spec import Variant
from counterpoise.measures.base.result import Result

_MAY_DIFFER = {"model", "fingerprint", "measures"}  # another difference in options may be why numbers differ


@dataclass(frozen=True)
class Comparison:
    """What a comparison of runs found.

    `rows` has a line per measure, row of its summary and pair of models: `first`, `second`, their values, `difference`
    (second minus first), interval, p, adjusted p, `smallest_detectable`, `n` shared items, `clusters`, the `form` of
    the number (see `Source`), `is_same` where no item differs, and a `note` where there is something to know.
    `changes` has the items that differ most, `ranking` the models per measure, nearest to the ideal first. `notes` says
    what a reader must know before believing any of it.
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
    offline: bool = False,
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
    >>> found = cp.compare("builtin", cp.load(), measures=["ppd"], out=folder)
    >>> float(found.rows.difference.abs().max())
    0.0
    """
    if len(models) < 2:
        raise InputError(f"a comparison needs two models or runs, found {len(models)}")
    opened: list[tuple[Run, list[Result]]] = []
    for number, model in enumerate(models, start=1):
        if isinstance(model, Run):
            opened.append((model, finished_results(model)))
        elif isinstance(model, str | Path) and is_run(model):
            opened.append(read_results(Path(model).expanduser()))
        elif out is None:
            raise InputError(
                f"{model} is no run folder: to audit it first, say with `out` where its run may go"
            )
        else:
            folder = Path(out).expanduser() / f"{number}-{_slug(model)}"
            request = AuditRequest.of(
                model=model,
                load=LoadOptions(offline=offline),
                measures=measures,
                suite=suite,
                out=folder,
                data=data,
                seed=seed,
                variant=variant,
                cache=cache,
            )
            run = run_audit(request).run  # one model at a time: it is loaded there and let go before the next
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
        for first, second in combinations(having, 2):
            found, changed = paired_differences(results[first][measure], results[second][measure])
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
        changes=pd.concat([some for some in changes if len(some)] or changes[:1], ignore_index=True),
        ranking=rank({name: list(results[name].values()) for name in names}, list(shared)),
        notes=tuple(_notes(runs, by_measure)),
    )


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
    return re.sub(r"\W+", "-", _short(str(name))).strip("-") or "model"


def _notes(runs: dict[str, Run], by_measure: dict[str, list[str]]) -> list[str]:
    notes = [
        f"the run of {name} is not finished: measures may be missing"
        for name, run in runs.items()
        if not run.is_complete
    ]
    for measure, having in by_measure.items():
        missing = [name for name in runs if name not in having]
        if missing:
            notes.append(
                f"{measure} is not compared with {', '.join(missing)}, which has not been measured with it"
            )
    options = {name: run.manifest["options"] for name, run in runs.items()}
    for option in dict.fromkeys(
        name for chosen in options.values() for name in chosen if name not in _MAY_DIFFER
    ):
        found = {name: chosen.get(option) for name, chosen in options.items()}
        if len({str(value) for value in found.values()}) > 1:
            told = ", ".join(f"{value or 'none'} ({name})" for name, value in found.items())
            notes.append(f"the runs differ in {option}, which may be why numbers differ: {told}")
    fingerprints = [chosen.get("fingerprint") for chosen in options.values()]
    if len(set(fingerprints)) < len(fingerprints):
        notes.append("at least two of these are the same model, weight by weight")
    return notes

"""Compares models on the items that they share: paired differences with their tests, and a ranking.

p-values are adjusted (Holm) within a measure, over all pairs of models, separately for overall and group rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoise import stats
from counterpoise.audit.auditing import run_audit
from counterpoise.audit.checksums import in_words
from counterpoise.audit.comparable import comparable_pairs
from counterpoise.audit.differences import paired_differences
from counterpoise.audit.ranking import rank
from counterpoise.audit.reading import finished_results, read_results
from counterpoise.audit.request import AuditRequest, LoadOptions
from counterpoise.audit.run import Run
from counterpoise.audit.run_options import options_of
from counterpoise.core.errors import InputError, RunError
from counterpoise.core.files import slug
from counterpoise.core.shown import Shown
from counterpoise.data.spec import Variant
from counterpoise.measures.base.result import Result

_MAY_DIFFER = {"model", "fingerprint", "measures"}  # another difference in options may be why numbers differ


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """Runs compared, pair by pair.

    `rows` has a line per measure, summary row and pair of models: `first`, `second`, their values, `difference`
    (second minus first), interval, p, adjusted p, `smallest_detectable`, `n` shared items, `clusters`, the `form` of
    the number (see `Source`), `is_same` where no item differs, and a `note` where there is something to know.
    `changes` has the items that differ most, `ranking` the models per measure, closest to the ideal first. `notes` are
    the caveats that a reader must know first.
    """

    names: tuple[str, ...]
    runs: dict[str, Run]
    results: dict[str, dict[str, Result]]  # by name of the run, then by measure
    rows: pd.DataFrame
    changes: pd.DataFrame
    ranking: pd.DataFrame
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.names)}: {', '.join(self.measures)}>"

    def to_frame(self) -> pd.DataFrame:
        """The paired differences."""
        return self.rows

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
    load: LoadOptions | Mapping[str, Any] | None = None,
) -> Comparison:
    """Which of these models is more biased, and is the difference more than chance?

    Parameters
    ----------
    models
        Two or more: folders of runs, `Run` objects, models, or what `counterpoise.load` takes. What is not a run is
        audited first, with the options that follow, into a folder of its own under `out`; an interrupted audit resumes.
    out
        Where the runs of models go; not needed if all are runs already.
    load
        How models that are audited first are loaded: options of `counterpoise.load`, such as `{"dtype": "bf16"}`.

    >>> import tempfile
    >>> import counterpoise as cp
    >>> folder = tempfile.mkdtemp()
    >>> comparison = cp.compare("builtin", cp.load(), measures=["ppd"], out=folder)
    >>> float(comparison.rows.difference.abs().max())
    0.0
    """
    if len(models) < 2:
        raise InputError(f"a comparison needs two models or runs, found {len(models)}")
    options: dict[str, Any] = {
        "measures": measures,
        "suite": suite,
        "data": data,
        "seed": seed,
        "variant": variant,
    }
    options["load"] = {**dict(load or {}), **({"offline": True} if offline else {})}
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
            folder = Path(out).expanduser() / f"{number}-{_folder_name(model)}"
            run = _audit(AuditRequest.of(model=model, out=folder, cache=cache, **options))
            opened.append((run, finished_results(run)))
    return compare_runs(opened)


def _audit(request: AuditRequest) -> Run:
    """The run of one model, which is loaded here and released before the next."""
    run = run_audit(request).run
    assert run is not None  # the request has a folder
    return run


def is_run(folder: str | Path) -> bool:
    """Is there a run in this folder?"""
    return (Path(folder).expanduser() / "manifest.json").is_file()


def compare_runs(opened: Sequence[tuple[Run, list[Result]]]) -> Comparison:
    """Compares runs whose results have been read."""
    names = _names([run for run, _ in opened])
    runs = {name: run for name, (run, _) in zip(names, opened, strict=True)}
    results = {
        name: {result.measure: result for result in run_results}
        for name, (_, run_results) in zip(names, opened, strict=True)
    }
    measured_in = {
        measure: [name for name in names if measure in results[name]]
        for measure in dict.fromkeys(measure for by_measure in results.values() for measure in by_measure)
    }
    shared = {measure: having for measure, having in measured_in.items() if len(having) > 1}
    if not shared:
        raise RunError(
            "these runs have no measure in common: "
            + "; ".join(f"{name} has {', '.join(by_measure)}" for name, by_measure in results.items())
        )
    comparable = comparable_pairs(results, shared)
    if not any(comparable.pairs.values()):
        raise RunError("; ".join(comparable.kept_apart.values()))
    rows, changes = _all_pairs(results, comparable.pairs)
    return Comparison(
        names=tuple(names),
        runs=runs,
        results=results,
        rows=rows,
        changes=changes,
        ranking=rank({name: list(results[name].values()) for name in names}, comparable.rankable),
        notes=(
            *_notes(runs, measured_in),
            *comparable.kept_apart.values(),
            *comparable.caveats,
            *_asked_differently(results, comparable.pairs),
        ),
    )


def _all_pairs(
    results: Mapping[str, Mapping[str, Result]], pairs: Mapping[str, Sequence[tuple[str, str]]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The paired differences and the largest changes of each measure, for these pairs of runs."""
    rows, changes = [], []
    for measure, of_measure in pairs.items():
        for first, second in of_measure:
            pair = {"measure": measure, "first": first, "second": second}
            differences, largest = paired_differences(results[first][measure], results[second][measure])
            rows.append(differences.assign(**pair))
            changes.append(largest.assign(**pair))
    table = pd.concat(rows, ignore_index=True)
    table["p_adjusted"] = table.groupby(["measure", "level"]).p_value.transform(
        lambda p: stats.adjust(p.to_numpy())
    )
    front = ["measure", "first", "second"]
    return (
        table[[*front, *(name for name in table if name not in front)]],
        pd.concat([part for part in changes if len(part)] or changes[:1], ignore_index=True),
    )


def _names(runs: Sequence[Run]) -> list[str]:
    """Runs are named by model, or by folder if two have the same model; the same folder twice is a mistake."""
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
    """The last part of a folder; a hub name as it is."""
    return Path(model).name if Path(model).is_absolute() or Path(model).exists() else model


def _folder_name(model: Any) -> str:
    name = model if isinstance(model, str | Path) else getattr(model, "name", "model")
    return slug(_short(str(name))) or "model"


def _notes(runs: Mapping[str, Run], measured_in: Mapping[str, Sequence[str]]) -> list[str]:
    """What a reader must know before believing any of it."""
    notes = [
        f"the run of {name} is not finished: measures may be missing"
        for name, run in runs.items()
        if not run.is_complete
    ]
    notes += [f"of the run of {name}, {in_words(run.altered)}" for name, run in runs.items() if run.altered]
    for measure, having in measured_in.items():
        missing = [name for name in runs if name not in having]
        if missing:
            notes.append(
                f"{measure} is not compared with {', '.join(missing)}, which has not been measured with it"
            )
    options = {name: options_of(run.manifest) for name, run in runs.items()}
    for option in dict.fromkeys(
        name for chosen in options.values() for name in chosen if name not in _MAY_DIFFER
    ):
        values = {name: chosen.get(option) for name, chosen in options.items()}
        if len({str(value) for value in values.values()}) > 1:
            listed = ", ".join(
                f"{'none' if value in (None, '') else value} ({name})" for name, value in values.items()
            )
            notes.append(f"the runs differ in {option}, which may be why numbers differ: {listed}")
    fingerprints = [chosen.get("fingerprint") for chosen in options.values()]
    if len(set(fingerprints)) < len(fingerprints):
        notes.append("at least two of these are the same model, weight by weight")
    return notes


def _asked_differently(
    results: Mapping[str, Mapping[str, Result]], pairs: Mapping[str, Sequence[tuple[str, str]]]
) -> list[str]:
    """Measures that asked one model as something else than another, such as with another pooling."""
    notes = []
    for measure, of_measure in pairs.items():
        compared = dict.fromkeys(name for pair in of_measure for name in pair)
        asked = {name: results[name][measure].asked for name in compared if results[name][measure].asked}
        if len(set(asked.values())) > 1:
            listed = ", ".join(f"{text} ({name})" for name, text in asked.items())
            notes.append(f"{measure} asked the models differently, which may be why numbers differ: {listed}")
    return notes

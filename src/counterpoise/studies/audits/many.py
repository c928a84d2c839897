"""`audit_many`: models or checkpoints in one go, each in a process of its own."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, overload

from counterpoise.audit.reading import finished_results
from counterpoise.audit.request import AuditRequest, LoadOptions
from counterpoise.audit.run import Run
from counterpoise.core.errors import RunError
from counterpoise.core.files import write_aside, write_json
from counterpoise.data.spec import Variant
from counterpoise.studies.audits.curve import trace
from counterpoise.studies.audits.grid import FACTOR, check_folder, forget_lost, needs_gpu, study_of
from counterpoise.studies.audits.models import ModelName, NamedModel, NamedModels, find_models
from counterpoise.studies.audits.results import MARKER, BiasCurve, ModelAudits, headline_table
from counterpoise.studies.engine.choosing import find_engine
from counterpoise.studies.engine.execution import Engine
from counterpoise.studies.engine.local_engine import LocalEngine, available_gpus
from counterpoise.studies.engine.runner import StudyRun, run_study


@overload
def audit_many(
    models: Sequence[ModelName] | Mapping[int, ModelName], *, curve: Literal[True], **options: Any
) -> BiasCurve: ...


@overload
def audit_many(
    models: Sequence[ModelName] | Mapping[int, ModelName], *, curve: bool = False, **options: Any
) -> ModelAudits: ...


def audit_many(
    models: Sequence[ModelName] | Mapping[int, ModelName],
    *,
    measures: Sequence[str] | None = None,
    suite: str = "quick",
    out: str | Path | None = None,
    curve: bool = False,
    engine: str = "local",
    workers: int | None = None,
    address: str | None = None,
    data: str | Path | None = None,
    seed: int = 0,
    variant: Variant = "corrected",
    load: LoadOptions | Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    cache: bool = True,
    limit: int | None = None,
    **files: Any,
) -> ModelAudits:
    """Audits many models or checkpoints, each in a process of its own; a model that fails leaves the others.

    Parameters
    ----------
    models
        Hub names, folders and files of models. What is no model, as among `checkpoints/*`, is skipped and named.
        For a curve a mapping from steps to models says the steps.
    out
        The folder of all runs, in which each model has a run folder of its own; the same call resumes, and measures
        only the models that are not there yet. If not given, a temporary folder that goes when the result does.
    curve
        The models are checkpoints of one training: the result is a `BiasCurve`. Steps are read from names such as
        `checkpoint-500` and `step_1000`, or from the Trainer's `trainer_state.json`.
    engine
        "local": processes on this machine; "ray": a Ray cluster, at `address` if it is there already.
    workers
        Models at once. If not given one, which then has all cores, or as many as there are GPUs. Each takes the memory
        of its model.
    load
        How models are loaded: options of `counterpoise.load`, such as `{"dtype": "bf16"}`.
    measures, suite, data, seed, variant, columns, settings, cache, limit, files
        As in `counterpoise.audit`; files are given by their paths.

    Returns
    -------
    ModelAudits or BiasCurve
        `.rows` is a DataFrame with the headline rows of each model; those of a curve also have the paired difference
        from the first step, with its interval and test. `.runs` has the runs, `.failed` says why models are missing.

    >>> import counterpoise as cp
    >>> cp.audit_many({0: "builtin"}, measures=["ppd"], curve=True)
    Traceback (most recent call last):
    counterpoise.core.errors.InputError: a curve needs two checkpoints or more, found builtin alone
    """
    request = AuditRequest.of(
        measures=measures,
        suite=suite,
        data=data,
        seed=seed,
        variant=variant,
        load=load or {},
        files={name: path for name, path in files.items() if path is not None},
        columns=columns or {},
        settings=settings or {},
        cache=cache,
        limit=limit,
    )
    found = find_models(models, curve)
    where = audits_engine(request, engine, workers, address)
    folder = Path(tempfile.mkdtemp(prefix="counterpoise-")) if out is None else Path(out).expanduser()
    try:
        audits = run_audits(found, request, folder, where, curve)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(audits, shutil.rmtree, folder, ignore_errors=True)
    else:
        audits.report()
    return audits


def audits_engine(request: AuditRequest, name: str, workers: int | None, address: str | None) -> Engine:
    """The engine by its name; on this machine with one model at a time, or one on each GPU."""
    if name == "local" and address is None:
        gpus = available_gpus() if needs_gpu(request) else []
        return LocalEngine(workers or max(1, len(gpus)), gpus)
    return find_engine(name, workers, address, with_gpus=False)


def run_audits(
    found: NamedModels,
    request: AuditRequest,
    folder: Path,
    engine: Engine,
    curve: bool,
) -> ModelAudits:
    """Audits the models that are not done yet, and reads what is there of all that were named."""
    _ = request.contents  # a file that cannot be read is reported before a process is started
    study = study_of(found.models, request)
    check_folder(folder, study)
    forget_lost(folder, study)
    # Models that are no longer named, such as checkpoints that the Trainer has deleted, keep their runs.
    study_run = run_study(study, folder, engine, retry_failed=True, accept_changes=True)
    failed = _failed(study_run)
    done = {model: Run.read(folder / model.name) for model in found.models if model.name not in failed}
    if not done:
        first = next(iter(failed))
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise RunError(f"no model could be audited: {first}: {failed[first]}{more}")
    audits = _read(folder, done, failed, found.skipped, study_run.computed, curve)
    with write_aside(folder / f"{audits.page_name}.csv") as aside:
        audits.rows.to_csv(aside, index=False)
    write_json(folder / MARKER, audits.document())
    return audits


def _read(
    folder: Path,
    done: Mapping[NamedModel, Run],
    failed: Mapping[str, str],
    skipped: tuple[str, ...],
    computed: int,
    curve: bool,
) -> ModelAudits:
    runs = {model.name: run for model, run in done.items()}
    if not curve:
        results = {name: finished_results(run, with_items=False) for name, run in runs.items()}
        rows, firsts = headline_table(results)
        return ModelAudits(folder, runs, rows, firsts, failed, skipped, (), computed)
    traced = trace((model.step or 0, model.name, run) for model, run in done.items())
    steps = {model.name: model.step or 0 for model in done}
    return BiasCurve(folder, runs, traced.rows, traced.firsts, failed, skipped, traced.notes, computed, steps)


def _failed(study_run: StudyRun) -> dict[str, str]:
    """Why models have no run, by their names."""
    progress = study_run.progress
    return {
        NamedModel.of_cell(str(progress.cells[key].factors[FACTOR])).name: reason
        for key, reason in progress.reasons.items()
    }

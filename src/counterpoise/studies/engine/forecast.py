"""What a run would cost, before it begins: `counterpoise study NAME --dry-run`.

The study's `estimate` says what each cell costs. Where cells of a step are done in the folder, the estimated times of
its other cells are scaled by what those really took; a step of equal cells then gets their mean.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from counterpoise.core.errors import CounterpoiseError, InputError, in_one_line
from counterpoise.studies.engine.costs import Cost
from counterpoise.studies.engine.execution import find_function
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.progress import StudyProgress
from counterpoise.studies.engine.runner import check_run, resolve_settings
from counterpoise.studies.engine.schedule import ScheduledCell, play
from counterpoise.studies.engine.speed import Speed, measure_speed
from counterpoise.studies.engine.store import Store
from counterpoise.studies.engine.study import Study
from counterpoise.studies.engine.weights import Weights, folder_bytes

Basis = Literal["estimated", "measured", "unknown"]


@dataclass(frozen=True)
class StepForecast:
    """A step: its cells, the time of those to do one after another, what its cells leave on disk, the memory of one.

    None stands for what is not known.
    """

    step: str
    to_do: int
    done: int
    seconds: float | None
    disk: float | None
    memory: float | None
    basis: Basis


@dataclass(frozen=True)
class Forecast:
    """A run: its steps, and the totals with so many workers, without the cells of which nothing is known."""

    steps: Sequence[StepForecast]
    workers: int
    speed: Speed
    seconds: float
    disk: float  # at the end
    peak: float  # at the most, while cells run
    dropped_disk: float  # at the end, with --drop-models
    dropped_peak: float  # at the most, with --drop-models
    memory: float
    free: float  # on the disk of the folder
    unknown: int  # cells to do without an estimate
    again: Sequence[str] = field(default_factory=list)  # done cells whose dropped weights are needed
    failed: int = 0  # cells that --retry-failed would run again


def forecast_study(
    study: Study,
    folder: str | Path,
    workers: int,
    *,
    threads: int = 1,
    gpus: int = 0,
    modules: Path | None = None,
    only: Sequence[str] = (),
    retry_failed: bool = False,
    accept_changes: bool = False,
) -> Forecast:
    """What `run_study` would cost with these arguments; refuses what it refuses, computes and writes nothing.

    threads: of a worker. gpus: how many there are.
    """
    selection = check_run(study, modules, only)
    study = resolve_settings(study, modules)
    store = Store.preview(folder, study, accept_changes)
    plan = store.plan()
    weights = Weights(store, plan)
    progress = StudyProgress.read(store, selection.cells(plan))
    progress.try_again(failed=retry_failed)
    again = list(weights.to_restore(progress.waiting()))
    for key in again:
        progress.repeat(key)
    device = (
        "auto" if modules else study.settings.get("device", "auto")
    )  # a study of one's own may mean another thing
    speed = measure_speed(str(device), threads)
    estimates = {key: _estimate(study, cell, modules, speed) for key, cell in progress.cells.items()}
    costs = _scaled(progress, estimates, _measured(store, progress))
    others = {key for key, cell in plan.items() if key not in progress.cells and store.record(cell)}
    dropped = {cell.key for cell in weights.droppable({*others, *progress.done(), *progress.waiting()})}
    jobs = _jobs(study, progress, costs, dropped, workers, threads)
    schedule = play(jobs, workers, gpus)
    keeping = play({key: replace(job, models=0.0) for key, job in jobs.items()}, workers, gpus)
    there = float(folder_bytes(store.folder)) if store.folder.is_dir() else 0.0
    at_end = there + sum(job.disk for job in jobs.values())
    to_drop = weights.kept(dropped) + sum(job.models for job in jobs.values())
    return Forecast(
        steps=[_of_step(step, progress, estimates, costs, store) for step in progress.by_step()],
        workers=workers,
        speed=speed,
        seconds=schedule.seconds,
        disk=at_end,
        peak=there + keeping.disk,
        dropped_disk=at_end - to_drop,
        dropped_peak=there + schedule.disk,
        memory=schedule.memory,
        free=float(shutil.disk_usage(_nearest(store.folder)).free),
        unknown=sum(costs[key] is None for key in progress.waiting()),
        again=[str(plan[key]) for key in again],
        failed=sum(state == "failed" for state in progress.states.values()),
    )


def _estimate(study: Study, cell: PlannedCell, modules: Path | None, speed: Speed) -> Cost | None:
    """What the study says that a cell costs, with the time of its operations on this machine in its seconds."""
    if study.estimate is None:
        return None
    try:
        cost = find_function(study.estimate, modules)(cell, study)
    except CounterpoiseError:
        raise
    except Exception as error:  # of a user's own function, which may raise anything
        raise InputError(f"{study.estimate} cannot estimate {cell}: {in_one_line(error)}") from error
    if cost is not None and not isinstance(cost, Cost):
        raise InputError(f"{study.estimate} returned {type(cost).__name__} for {cell}, not a Cost or None")
    return None if cost is None else replace(cost, flops=0.0, seconds=cost.time(speed.models))


@dataclass(frozen=True)
class _Measured:
    """What a cell that is done took."""

    seconds: float
    disk: float


def _measured(store: Store, progress: StudyProgress) -> dict[str, _Measured]:
    done = {}
    for key, cell in progress.cells.items():
        if record := store.record(cell):
            done[key] = _Measured(float(record["seconds"]), float(folder_bytes(store.place(cell))))
    return done


def _scaled(
    progress: StudyProgress, estimates: Mapping[str, Cost | None], measured: Mapping[str, _Measured]
) -> dict[str, Cost | None]:
    """The estimates, with times scaled to those of the finished cells of a step; without an estimate their mean."""
    costs: dict[str, Cost | None] = {}
    for key, cell in progress.cells.items():
        of_step = {done: took for done, took in measured.items() if progress.cells[done].step == cell.step}
        estimate, others = estimates[key], [estimates[done] for done in of_step]
        if not of_step:
            costs[key] = estimate
            continue
        taken = sum(took.seconds for took in of_step.values())
        expected = sum(other.seconds for other in others if other is not None)
        if estimate is not None and None not in others and expected > 0:
            costs[key] = replace(estimate, seconds=estimate.seconds * taken / expected)
        else:
            disk = sum(took.disk for took in of_step.values())
            base = estimate or Cost(disk=disk / len(of_step))
            costs[key] = replace(base, seconds=taken / len(of_step))
    return costs


def _jobs(
    study: Study,
    progress: StudyProgress,
    costs: Mapping[str, Cost | None],
    dropped: Set[str],
    workers: int,
    threads: int,
) -> dict[str, ScheduledCell]:
    """The cells to do; one of which nothing is known takes no time."""
    waiting = dict.fromkeys(progress.waiting())
    jobs = {}
    for key in waiting:
        cell, cost = progress.cells[key], costs[key] or Cost()
        step = study.steps[cell.step]
        jobs[key] = ScheduledCell(
            seconds=cost.seconds,
            memory=cost.memory,
            disk=cost.disk,
            models=cost.models if key in dropped else 0.0,
            scratch=cost.scratch,
            needs=[need for need in cell.needed_keys if need in waiting],
            slots=min(workers, math.ceil(step.cpus / threads)),
            gpus=min(1.0, step.gpus),
        )
    return jobs


def _of_step(
    step: str,
    progress: StudyProgress,
    estimates: Mapping[str, Cost | None],
    costs: Mapping[str, Cost | None],
    store: Store,
) -> StepForecast:
    cells = {key: cell for key, cell in progress.cells.items() if cell.step == step}
    to_do = [key for key in cells if progress.states[key] == "waiting"]
    done = [key for key in cells if progress.states[key] == "done"]
    known = [cost for key in to_do if (cost := costs[key]) is not None]
    estimated = [cost for key in to_do if (cost := estimates[key]) is not None]
    all_known = len(known) == len(to_do)
    there = sum(float(folder_bytes(store.place(cells[key]))) for key in done)
    basis: Basis = "measured" if progress.seconds[step] else "estimated" if estimated else "unknown"
    return StepForecast(
        step,
        len(to_do),
        len(done),
        sum(cost.seconds for cost in known) if all_known else None,
        there + sum(cost.disk for cost in known) if all_known else None,
        max(cost.memory for cost in estimated) if estimated else None,
        basis,
    )


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(path for path in (folder.resolve(), *folder.resolve().parents) if path.is_dir())

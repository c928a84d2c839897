"""Runs a study: every cell once its needs are done, unless its folder has it already; then gathers the table.

A cell that fails stops only the cells that need it. After an interruption at any moment, the same call resumes the
study, and the table ends up the same.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from counterpoise.core.errors import CounterpoiseError, InputError, RunError, in_one_line
from counterpoise.core.files import write_text
from counterpoise.studies.engine.cells import FinishedStudy, MissingCell
from counterpoise.studies.engine.execution import Engine, Outcome, Task, find_function, is_disk_full
from counterpoise.studies.engine.grid import PlannedCell
from counterpoise.studies.engine.grid import plan as plan_study
from counterpoise.studies.engine.progress import StudyProgress, live_table
from counterpoise.studies.engine.result_table import gather_rows, write_table
from counterpoise.studies.engine.selection import Selection
from counterpoise.studies.engine.store import Store
from counterpoise.studies.engine.study import Study
from counterpoise.studies.engine.weights import Weights

_LOOK_EVERY = 0.5  # seconds between two looks at the engine, for the live table


@dataclass(frozen=True)
class StudyRun:
    """What a run of a study left: its progress, and what its `gather` was given."""

    progress: StudyProgress
    finished: FinishedStudy
    computed: int  # cells that were carried out in this run
    dropped: int = 0  # bytes of weights that were deleted in this run


def run_study(
    study: Study,
    folder: str | Path,
    engine: Engine,
    *,
    modules: Path | None = None,
    only: Sequence[str] = (),
    retry_failed: bool = False,
    accept_changes: bool = False,
    drop_models: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> StudyRun:
    """Runs the cells of a study that are not done yet, in a folder, and gathers its table.

    only: names of steps and parts, and values of factors such as seed=0 (selection.py). drop_models: delete the weights
    that steps declare as soon as every cell that needs them is done. say: is given a line for each cell that is
    computed again because its weights were dropped.
    """
    selection = check_run(study, modules, only)
    study = resolve_settings(study, modules)
    gather = find_function(study.gather, modules) if study.gather else None
    with Store.open(folder, study, accept_changes) as store:
        plan = store.plan()
        weights = Weights(store, plan)
        weights.delete_marked()
        progress = StudyProgress.read(store, selection.cells(plan))
        progress.try_again(failed=retry_failed)
        for restored, needing in weights.to_restore(progress.waiting()).items():
            progress.repeat(restored)
            say(f"{plan[restored]} is computed again: {plan[needing]} needs its weights, which were dropped")
        run = _Run(store, progress, modules, weights if drop_models else None)
        computed = run.through(engine)
        with _one_line_when_full(store.folder):
            finished = _finish(store, progress, selection.shown(study))
            if gather is not None and len(finished.table):
                _gather(gather, finished)
    return StudyRun(progress, finished, computed, run.dropped)


def check_run(study: Study, modules: Path | None, only: Sequence[str]) -> Selection:
    """Everything that can be known to be wrong before a cell runs and the folder is touched: one line."""
    selection = Selection.of(study, only)
    selection.cells(plan_study(study))
    named = [step.run for step in study.steps.values()]
    for function in filter(None, [*named, study.gather, study.estimate, study.resolve]):
        find_function(function, modules)
    if study.check:
        check = find_function(study.check, modules)
        with _of_the_user(f"{study.check} cannot check the study"):
            check(study)
    return selection


def resolve_settings(study: Study, modules: Path | None) -> Study:
    """The study with what its `resolve` fills in; like all settings, that then decides which cells there are."""
    if not study.resolve:
        return study
    with _of_the_user(f"{study.resolve} cannot resolve the settings"):
        filled_in = find_function(study.resolve, modules)(study.settings)
        return study.at(None, filled_in)


@contextmanager
def _of_the_user(complaint: str) -> Iterator[None]:
    """One line for what a user's own function raises, which may be anything."""
    try:
        yield
    except CounterpoiseError:
        raise
    except Exception as error:
        raise InputError(f"{complaint}: {in_one_line(error)}") from error


class _Run:
    """The cells that are still to do, each started as soon as everything that it needs is done."""

    def __init__(
        self, store: Store, progress: StudyProgress, modules: Path | None, weights: Weights | None
    ) -> None:
        self.store = store
        self.progress = progress
        self.modules = modules
        self.weights = weights  # to be dropped
        self.dropped = 0
        others = [
            key for key, cell in store.plan().items() if key not in progress.cells and store.record(cell)
        ]
        self.done_elsewhere = set(others)
        self.unmet = {
            key: sum(progress.states[need] != "done" for need in cell.needed_keys)
            for key, cell in progress.cells.items()
        }

    def through(self, engine: Engine) -> int:
        """Runs all cells that can run; returns how many were done."""
        under_way = computed = 0
        self._drop()
        if "waiting" not in self.progress.states.values():  # no need to start a cluster
            return 0
        with engine, live_table(self.progress, engine.workers) as show:
            for key in self.progress.cells:
                under_way += self._submit(key, engine)
            while under_way:
                show(engine.running())
                for outcome in engine.wait(_LOOK_EVERY):
                    computed += outcome.state == "done"
                    under_way += self._record(outcome, engine) - 1
        return computed

    def _submit(self, key: str, engine: Engine) -> int:
        """Hands a cell to the engine if all that it needs is done; returns how many were handed over, 0 or 1."""
        if self.progress.states[key] != "waiting" or self.unmet[key]:
            return 0
        cell, place = self.progress.cells[key], self.store.place
        step = self.store.study.steps[cell.step]
        needs = {
            name: tuple(place(self.progress.cells[need]).resolve() for need in keys)
            for name, keys in cell.needs.items()
        }
        engine.submit(
            Task(
                key=key,
                run=step.run,
                step=cell.step,
                factors=cell.factors,
                settings=cell.settings,
                needs=needs,
                place=place(cell).resolve(),
                modules=self.modules,
                cpus=step.cpus,
                gpus=step.gpus,
            )
        )
        return 1

    def _record(self, outcome: Outcome, engine: Engine) -> int:
        """Records a cell that ended; returns how many others could start."""
        key = outcome.key
        if outcome.state == "disk full":
            raise _full(outcome.reason)
        if outcome.state != "done":
            self.progress.set_missing(key, outcome.state, outcome.reason)
            return 0
        self.progress.set_done(key, outcome.seconds)
        started = 0
        for dependent in self.progress.dependents[key]:
            self.unmet[dependent] -= 1
            started += self._submit(dependent, engine)
        self._drop()
        return started

    def _drop(self) -> None:
        if self.weights is None:
            return
        with _one_line_when_full(self.store.folder):
            self.dropped += self.weights.drop({*self.done_elsewhere, *self.progress.done()})


def _full(reason: str) -> RunError:
    return RunError(
        f"the disk is full ({reason}); what was done stays done: make room and give the same command again"
    )


@contextmanager
def _one_line_when_full(folder: Path) -> Iterator[None]:
    """A full disk is no fault of what writes to it."""
    try:
        yield
    except Exception as error:
        if is_disk_full(error, folder):
            raise _full(in_one_line(error)) from error
        raise


def _gather(gather: Callable[[FinishedStudy], None], finished: FinishedStudy) -> None:
    try:
        gather(finished)
    except CounterpoiseError:
        raise
    except Exception as error:
        path = finished.folder / "traceback.txt"
        write_text(path, traceback.format_exc())
        raise RunError(
            f"all cells are in {finished.folder / 'table.csv'}, but what gathers them failed: "
            f"{in_one_line(error)} ({path})"
        ) from error


def _finish(store: Store, progress: StudyProgress, shown: Sequence[str]) -> FinishedStudy:
    """The table of all finished cells, also of steps that were not requested this time, and what is missing."""
    done: list[tuple[PlannedCell, dict[str, object]]] = []
    for cell in store.plan().values():
        if record := store.record(cell):
            done.append((cell, record["result"]))
    table = gather_rows(done, list(store.study.factors))
    write_table(table, store.folder)
    missing = [
        MissingCell(progress.cells[key].step, progress.cells[key].factors, reason)
        for key, reason in progress.reasons.items()
    ]
    return FinishedStudy(store.folder, table, missing, dict(store.study.settings), tuple(shown))

"""`counterpoise study`: a grid of cells, on this machine or on Ray."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer
from typer.core import TyperGroup

from counterpoise.cli import options
from counterpoise.cli.interruption import resumable
from counterpoise.core.durations import duration_text
from counterpoise.core.printable import printable

if TYPE_CHECKING:
    from counterpoise.studies.engine.execution import Engine
    from counterpoise.studies.engine.progress import StudyProgress
    from counterpoise.studies.engine.study import Study


_DATA = "COUNTERPOISE_DATA"


class _RunUnlessNamed(TyperGroup):
    """`study kurita2019` is short for `study run kurita2019`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = ["run", *args]
        return super().parse_args(ctx, args)


_HELP = """Run a study: one of the four papers, or your own grid in YAML.

\b
Examples:
  counterpoise study list
  counterpoise study kurita2019 --out kurita
  counterpoise study my-grid.yaml --workers 2
  counterpoise study status kurita
"""

app = typer.Typer(
    name="study",
    cls=_RunUnlessNamed,
    help=_HELP,
    no_args_is_help=True,
)


@app.command()
def run(
    ctx: typer.Context,
    study: Annotated[str, typer.Argument(metavar="NAME|FILE.yaml", help="See `counterpoise study list`.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the study; runs/NAME-SCALE if not given.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="smoke (the default), paper, or another scale that the study defines.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="Only these steps, tables and values of factors, and what they need, e.g. table3,model=builtin."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting of the study, over its scale's. Repeatable."
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help="local (processes) or ray.")] = "local",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Cells at once; as many as there are cores if not given.")
    ] = None,
    address: options.Address = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Retry failed cells.")] = False,
    accept_changes: Annotated[
        bool, typer.Option("--accept-changes", help="Resume even if the study has changed.")
    ] = False,
    drop_models: Annotated[
        bool,
        typer.Option(
            "--drop-models",
            help="Delete the weights of trained models once every cell that needs them is done.",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show what would run and what it would cost, without running it."),
    ] = False,
    data: options.Data = None,
) -> None:
    """Run a study, or resume it: finished cells are not computed again. `run` may be left out.

    \b
    Examples:
      counterpoise study jentzsch2022 --out runs/jentzsch
      counterpoise study jentzsch2022 --scale paper --dry-run    # what it would cost
      counterpoise study jentzsch2022 --scale paper --drop-models
      counterpoise study kurita2019 --only table3,table5
      counterpoise study jentzsch2022 --only condition=mix-pro,seed=0,seed=1
      counterpoise study bartl2020 --only table4,variant=corrected --set passages=50
      counterpoise study my-grid.yaml --only rate --workers 2
      counterpoise study my-grid.yaml --engine ray --address head:6379
      counterpoise study status runs/jentzsch
    """
    from counterpoise.audit.request import parse_settings
    from counterpoise.core.numbers import bytes_text
    from counterpoise.studies.engine.choosing import find_engine
    from counterpoise.studies.engine.runner import run_study
    from counterpoise.studies.engine.study import read_study
    from counterpoise.studies.replication.findings import FILE as FINDINGS

    ctx.with_resource(_look_in(data))
    definition, modules = read_study(study)
    scale = scale or ("smoke" if "smoke" in definition.scales else None)
    chosen = definition.at(scale, parse_settings(setting or []))
    folder = (out or Path("runs") / "-".join(filter(None, [chosen.name, scale]))).expanduser()
    with_gpus = any(step.gpus for step in chosen.steps.values())
    where = find_engine(engine, workers, address, with_gpus)
    if (
        engine == "local" and modules is None
    ):  # Ray's nodes may have another; a study of one's own checks itself
        _check_device(chosen)
    how: _How = {
        "modules": modules,
        "only": [entry.strip() for entry in (only or "").split(",") if entry.strip()],
        "retry_failed": retry_failed,
        "accept_changes": accept_changes,
    }
    if dry_run:
        _forecast(chosen, folder, where, how)
        return
    with resumable(folder):
        study_run = run_study(
            chosen, folder, where, drop_models=drop_models, say=partial(typer.echo, err=True), **how
        )
    if (folder / FINDINGS).is_file():
        from counterpoise.report.study_page import write_study_page

        write_study_page(folder)
    _print_progress(study_run.progress)
    typer.echo(f"\n{study_run.computed} cells carried out now; {len(study_run.finished.table)} rows in all")
    if study_run.dropped:
        typer.echo(f"dropped   {bytes_text(study_run.dropped)} of weights")
    typer.echo(f"study     {folder}")
    typer.echo(f"table     {folder / 'table.csv'}")
    for path in _gathered(folder):
        typer.echo(f"gathered  {path}")
    if "failed" in study_run.progress.states.values():
        typer.echo("counterpoise: some cells failed; try them again with --retry-failed", err=True)
        raise typer.Exit(1)


@contextmanager
def _look_in(data: Path | None) -> Iterator[None]:
    """Third-party data are looked for in this folder, by the workers too, until the command ends."""
    before = os.environ.get(_DATA)
    if data is not None:
        os.environ[_DATA] = str(data.resolve())
    try:
        yield
    finally:
        if before is not None:
            os.environ[_DATA] = before
        elif data is not None:
            del os.environ[_DATA]


@app.command("list")
def list_() -> None:
    """List the studies that come with Counterpoise.

    \b
    Examples:
      counterpoise study list
    """
    from counterpoise.report.terminal_table import print_table
    from counterpoise.studies.engine.grid import plan
    from counterpoise.studies.engine.study import read_study, study_names

    rows = []
    for name in study_names():
        study, _ = read_study(name)
        cells = [f"{scale} {len(plan(study.at(scale)))}" for scale in study.scales or [""]]
        rows.append([name, study.title, ", ".join(cells)])
    print_table(["study", "title", "cells"], rows)


@app.command()
def status(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a study.")],
) -> None:
    """Say how far a study is, also while it runs.

    \b
    Examples:
      counterpoise study status kurita
    """
    from counterpoise.core.numbers import bytes_text
    from counterpoise.studies.engine.progress import StudyProgress
    from counterpoise.studies.engine.store import Store
    from counterpoise.studies.engine.weights import Weights

    store = Store.read(folder)
    typer.echo(printable(f"{store.study.name}: {store.study.title}"))
    plan = store.plan()
    _print_progress(StudyProgress.read(store, plan))
    weights = Weights(store, plan)
    cells, dropped = weights.dropped()
    if cells or weights.kept():
        lost = f", {bytes_text(dropped)} dropped (cells: {cells})" if cells else ""
        typer.echo(f"weights: {bytes_text(weights.kept())} kept{lost}")


class _How(TypedDict):
    """What a run and its forecast are both given."""

    modules: Path | None
    only: list[str]
    retry_failed: bool
    accept_changes: bool


def _forecast(study: Study, folder: Path, engine: Engine, how: _How) -> None:
    from counterpoise.cli.dry_run import print_forecast
    from counterpoise.studies.engine.forecast import forecast_study
    from counterpoise.studies.engine.local_engine import available_cores, available_gpus

    threads = max(1, available_cores() // engine.workers)
    gpus = len(available_gpus()) if any(step.gpus for step in study.steps.values()) else 0
    print_forecast(forecast_study(study, folder, engine.workers, threads=threads, gpus=gpus, **how))


def _check_device(study: Study) -> None:
    """An error if the device of a paper's settings is not there."""
    if (device := study.settings.get("device")) in ("cuda", "cuda:0", "mps"):
        from counterpoise.models.devices import resolve_device

        resolve_device(str(device))


def _print_progress(progress: StudyProgress) -> None:
    from counterpoise.report.terminal_table import print_table
    from counterpoise.studies.engine.progress import STATES

    rows = []
    for step, counts in progress.by_step().items():
        times = progress.seconds[step]
        each = duration_text(sum(times) / len(times)) if times else ""
        rows.append([step, *(str(counts[state]) for state in STATES), each])
    print_table(["step", *STATES, "time of a cell"], rows)
    for key, reason in progress.reasons.items():
        typer.echo(f"{progress.states[key]}: {printable(f'{progress.cells[key]}: {reason}')}")


def _gathered(folder: Path) -> list[Path]:
    """What the study's own `gather` wrote."""
    ours = {"cells", "study.json", "table.csv", "table.parquet"}
    return sorted(
        path for path in folder.iterdir() if path.name not in ours and not path.name.startswith(".")
    )

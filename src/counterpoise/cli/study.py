"""`counterpoise study`: a grid of cells, on this machine or on Ray."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from counterpoise.cli import options
from counterpoise.cli.interruption import resumable

if TYPE_CHECKING:
    from counterpoise.studies.engine.execution import Engine
    from counterpoise.studies.engine.progress import StudyProgress
    from counterpoise.studies.engine.study import Study


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
    study: Annotated[str, typer.Argument(metavar="NAME|FILE.yaml", help="See `counterpoise study list`.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the study; runs/NAME-SCALE if not given.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="smoke (minutes, the default) or paper; as the study's file has them.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Only these steps or tables, and what they need, e.g. table3,table5.")
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
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try again what failed.")] = False,
    accept_changes: Annotated[
        bool, typer.Option("--accept-changes", help="Go on although the study has changed since.")
    ] = False,
    data: options.Data = None,
) -> None:
    """Run a study, or go on with it: what is done is not done again. `run` may be left out.

    \b
    Examples:
      counterpoise study jentzsch2022 --out runs/jentzsch
      counterpoise study my-grid.yaml --only rate --workers 2
      counterpoise study my-grid.yaml --engine ray --address head:6379
      counterpoise study status runs/jentzsch
    """
    from counterpoise.audit.request import parse_settings
    from counterpoise.studies.engine.runner import run_study
    from counterpoise.studies.engine.study import read_study
    from counterpoise.studies.replication.findings import FILE as FINDINGS

    if data is not None:
        os.environ["COUNTERPOISE_DATA"] = str(data.resolve())  # the workers look there too
    definition, modules = read_study(study)
    scale = scale or ("smoke" if "smoke" in definition.scales else None)
    chosen = definition.at(scale, parse_settings(setting or []))
    folder = (out or Path("runs") / "-".join(filter(None, [chosen.name, scale]))).expanduser()
    with resumable(folder):
        study_run = run_study(
            chosen,
            folder,
            _engine(engine, workers, address, chosen),
            modules=modules,
            only=[name.strip() for name in (only or "").split(",") if name.strip()],
            retry_failed=retry_failed,
            accept_changes=accept_changes,
        )
    if (folder / FINDINGS).is_file():
        from counterpoise.report.study_page import write_study_page

        write_study_page(folder)
    _print_progress(study_run.progress)
    typer.echo(f"\n{study_run.computed} cells carried out now; {len(study_run.finished.table)} rows in all")
    typer.echo(f"study     {folder}")
    typer.echo(f"table     {folder / 'table.csv'}")
    for path in _gathered(folder):
        typer.echo(f"gathered  {path}")
    if "failed" in study_run.progress.states.values():
        typer.echo("counterpoise: some cells failed; try them again with --retry-failed", err=True)
        raise typer.Exit(1)


@app.command("list")
def list_() -> None:
    """List the studies that come with Counterpoise.

    \b
    Examples:
      counterpoise study list
    """
    from counterpoise.report.terminal import print_table
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
    from counterpoise.studies.engine.progress import StudyProgress
    from counterpoise.studies.engine.store import Store

    store = Store.read(folder)
    typer.echo(f"{store.study.name}: {store.study.title}")
    _print_progress(StudyProgress.read(store, set(store.study.steps)))


def _engine(name: str, workers: int | None, address: str | None, study: Study) -> Engine:
    from counterpoise.core.errors import InputError, unknown
    from counterpoise.studies.engine.local_engine import LocalEngine, available_gpus
    from counterpoise.studies.engine.ray_engine import RayEngine

    if name == "ray":
        return RayEngine(address, workers)
    if name != "local":
        raise unknown("engine", name, ["local", "ray"])
    if address is not None:
        raise InputError("--address is that of a Ray cluster; add --engine ray")
    return LocalEngine(workers, available_gpus() if any(step.gpus for step in study.steps.values()) else ())


def _print_progress(progress: StudyProgress) -> None:
    from counterpoise.report.terminal import print_table
    from counterpoise.studies.engine.progress import STATES, in_words

    rows = []
    for step, counts in progress.by_step().items():
        times = progress.seconds[step]
        each = in_words(sum(times) / len(times)) if times else ""
        rows.append([step, *(str(counts[state]) for state in STATES), each])
    print_table(["step", *STATES, "time of a cell"], rows)
    for key, reason in progress.reasons.items():
        typer.echo(f"{progress.states[key]}: {progress.cells[key]}: {reason}")


def _gathered(folder: Path) -> list[Path]:
    """What the study's own `gather` wrote."""
    ours = {"cells", "study.json", "table.csv", "table.parquet"}
    return sorted(
        path for path in folder.iterdir() if path.name not in ours and not path.name.startswith(".")
    )

"""What `counterpoise study --dry-run` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from counterpoise.core.durations import duration_text
from counterpoise.core.numbers import bytes_text
from counterpoise.studies.engine.speed import EFFICIENCY

if TYPE_CHECKING:
    from counterpoise.studies.engine.forecast import Forecast, StepForecast


def print_forecast(forecast: Forecast) -> None:
    """The steps, the totals, and how they were estimated."""
    from counterpoise.report.terminal_table import print_table

    print_table(
        ["step", "to do", "done", "time", "disk", "memory", "from"], [_row(step) for step in forecast.steps]
    )
    typer.echo("")
    for line in (*_totals(forecast), "", *_how(forecast)):
        typer.echo(line)


def _row(step: StepForecast) -> list[str]:
    cells = [step.step, str(step.to_do), str(step.done)]
    if not step.to_do:
        return [*cells, "", bytes_text(step.disk), "", ""]
    return [
        *cells,
        duration_text(step.seconds) or "unknown",
        bytes_text(step.disk) or "unknown",
        bytes_text(step.memory) or "unknown",
        {"estimated": "estimate", "measured": "finished cells", "unknown": ""}[step.basis],
    ]


def _totals(forecast: Forecast) -> list[str]:
    workers = f"{forecast.workers} worker{'s' if forecast.workers > 1 else ''}"
    lines = [
        f"time      {duration_text(forecast.seconds)} with {workers}",
        f"disk      {bytes_text(forecast.disk)} at the end, up to {bytes_text(forecast.peak)} on the way; "
        f"{bytes_text(forecast.free)} are free",
        f"          {bytes_text(forecast.dropped_disk)} with --drop-models, "
        f"up to {bytes_text(forecast.dropped_peak)} on the way",
        f"memory    {bytes_text(forecast.memory)} with {workers}",
    ]
    if forecast.unknown:
        lines.append(f"          plus {_cells(forecast.unknown)} without an estimate")
    lines += [f"recompute {cell}: its dropped weights are needed" for cell in forecast.again]
    if forecast.failed:
        lines.append(f"failed    {_cells(forecast.failed)}; --retry-failed would run them again")
    return lines


def _how(forecast: Forecast) -> list[str]:
    share = EFFICIENCY.get(forecast.speed.device, EFFICIENCY["cuda"])
    return [
        f"Estimated from the sizes of models and texts, at {share:.0%} of {forecast.speed},",
        "measured just now. Expect a factor of 2 to 3 either way; times from finished",
        "cells are closer. Nothing was computed or written.",
    ]


def _cells(count: int) -> str:
    return f"{count} cell" if count == 1 else f"{count} cells"

"""Reads runs back with their results; a damaged folder is one clear error."""

from __future__ import annotations

from pathlib import Path

from counterpoise.audit.checksums import in_words
from counterpoise.audit.run import Run, damage_in_one_line
from counterpoise.core.errors import RunError
from counterpoise.core.notices import notice
from counterpoise.measures.base.result import Result


def read_results(folder: str | Path) -> tuple[Run, list[Result]]:
    """The run in a folder and the results of its finished measures; a run without any is refused.

    Where a file is not as the audit wrote it, a line on standard error says so, and so does a warning of the result.

    >>> read_results("nowhere")
    Traceback (most recent call last):
    counterpoise.core.errors.RunError: nowhere is not a run: it has no manifest.json
    """
    run = Run.read(folder)
    results = finished_results(run)
    if run.altered:
        notice(f"warning: {run.folder}: {in_words(run.altered)}")
    return run, results


def finished_results(run: Run, with_items: bool = True) -> list[Result]:
    """The results of an open run, whole or not at all; `with_items=False` reads their summaries only."""
    with damage_in_one_line(run.folder):
        results = list((run.results if with_items else run.read_results(with_items=False)).values())
        _ = run.is_complete, run.left_out  # what every page of a run quotes
        _ = run.manifest["started"], run.manifest["versions"]["counterpoise"]
    if not results:
        raise RunError(f"{run.folder} has no finished measure yet; start the same audit again to continue it")
    empty = [result.measure for result in results if result.summary.empty]
    if empty:
        raise RunError(f"{run.folder} is damaged: summary.json has no row of {', '.join(empty)}")
    return results

"""Audits: what `counterpoise audit` writes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from counterpoise.audit.checksums import in_words
from counterpoise.audit.reading import finished_results
from counterpoise.audit.run import Run
from counterpoise.core.errors import RunError
from counterpoise.core.manifests import is_corpus_manifest
from counterpoise.report.html import render
from counterpoise.report.one_line import audit_line
from counterpoise.web import limits
from counterpoise.web.bounded_tables import check_content
from counterpoise.web.kinds.base import RunEntry, RunKind, name_of_model, one_line
from counterpoise.web.safe_files import SafeFiles, Stamp, stamp_of

_PLAIN_NAME = re.compile(r"\w[\w.-]*")


def audit_stamp(files: SafeFiles, run: Run) -> Stamp:
    """The time of change and the size of every file of a run that is read; all of them are checked."""
    names = [name for name in run.done if isinstance(name, str)]
    for name in names:
        if not _PLAIN_NAME.fullmatch(name):
            raise RunError(f"{name[:40]!r} is no name of a measure")
    tables = [f"scores/{name}.parquet" for name in names]
    for name in ["manifest.json", *(["summary.json"] if names else [])]:
        files.inside(run.folder / name)
    for name in tables:
        files.table(run.folder / name)
    if names:  # read with the summaries
        check_content(files.table(run.folder / "skipped.parquet"))
    of_results = ["summary.json", "skipped.parquet"] if names else []
    return stamp_of(run.folder, ("manifest.json", *of_results, *tables))


def check_items(files: SafeFiles, run: Run) -> None:
    """Refuses a run whose items are too large to be read."""
    for name in run.done:
        check_content(files.table(run.folder / "scores" / f"{name}.parquet"))


def _describe(files: SafeFiles, entry: RunEntry, manifest: Any) -> RunEntry:
    run = Run.read(entry.folder)
    stamp = audit_stamp(files, run)
    options = run.manifest["options"]
    return replace(
        entry,
        subject=name_of_model(options["model"], files.root),
        verdict=_verdict(entry.folder, stamp) if run.done else "No measure is finished yet.",
        model=one_line(options["model"]),
        measures=tuple(run.done),
        variant=one_line(options["variant"]),
        started=one_line(run.manifest["started"]),
        finished=run.is_complete,
        tables={name: f"scores/{name}.parquet" for name in run.done},
    )


@lru_cache(maxsize=limits.RUNS)
def _verdict(folder: Path, stamp: Stamp) -> str:
    """What the report answers; `stamp` is there so that a run that goes on is read again."""
    run = Run.read(folder)
    line = audit_line(finished_results(run, with_items=False))
    return one_line(f"{in_words(run.altered)}. {line}" if run.altered else line)


def _render(files: SafeFiles, folder: Path) -> str:
    run = Run.read(folder)
    audit_stamp(files, run)
    check_items(files, run)
    return render(run)


AUDIT = RunKind(
    "audit",
    "Audit",
    marker="manifest.json",
    page="report.html",
    describe=_describe,
    render=_render,
    accepts=lambda manifest: not is_corpus_manifest(manifest),
)

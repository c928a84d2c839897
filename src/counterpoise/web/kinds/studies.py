"""Studies: what `counterpoise study` writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from counterpoise.report.one_line import study_line
from counterpoise.report.study_page import render_study
from counterpoise.studies.engine.store import Store
from counterpoise.studies.replication.findings import FILE as FINDINGS
from counterpoise.studies.replication.findings import Findings
from counterpoise.web.kinds.base import RunEntry, RunKind, one_line
from counterpoise.web.safe_files import SafeFiles

_TABLE = "table.parquet"


def _describe(files: SafeFiles, entry: RunEntry, document: Any) -> RunEntry:
    study = Store.read(entry.folder).study
    finished = files.has(entry.folder / _TABLE)
    return replace(
        entry,
        subject=one_line(study.title or study.name),
        verdict=_verdict(files, entry.folder, finished),
        started=one_line(document["started"]),
        finished=finished,
        tables={"table": _TABLE} if finished else {},
    )


def _verdict(files: SafeFiles, folder: Path, finished: bool) -> str:
    if files.has(folder / FINDINGS):
        files.inside(folder / FINDINGS)
        if verdict := study_line(Findings.read(folder)):
            return one_line(verdict)
    return (
        "All rows of the finished cells are in its table."
        if finished
        else "This study is not finished: it has no table yet."
    )


def _render(files: SafeFiles, folder: Path) -> str:
    files.inside(folder / FINDINGS)
    return render_study(Findings.read(folder))


STUDY = RunKind(
    "study",
    "Study",
    marker="study.json",
    page="study.html",
    describe=_describe,
    render=_render,
    depends_on=("study.json", FINDINGS, _TABLE),
)

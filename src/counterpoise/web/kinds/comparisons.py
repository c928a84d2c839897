"""Comparisons: what `counterpoise compare` writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from counterpoise.report.one_line import comparison_line
from counterpoise.web.kinds.base import RunEntry, RunKind, one_line
from counterpoise.web.safe_files import SafeFiles


def _describe(files: SafeFiles, entry: RunEntry, document: Any) -> RunEntry:
    page = files.inside(entry.folder / COMPARISON.page)
    written = datetime.fromtimestamp(page.stat().st_mtime, timezone.utc)  # the files do not say
    return replace(
        entry,
        subject=" and ".join(one_line(name) for name in document["models"]),
        verdict=one_line(comparison_line(document["verdicts"])),
        measures=tuple(dict.fromkeys(one_line(verdict["measure"]) for verdict in document["verdicts"])),
        started=written.isoformat(timespec="seconds"),
    )


COMPARISON = RunKind(
    "comparison",
    "Comparison",
    marker="comparison.json",
    page="compare.html",
    describe=_describe,
    depends_on=("comparison.json", "compare.html"),
    holds_runs=True,  # the models that had no run yet
)

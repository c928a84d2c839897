"""Audits of many models, also as a curve over training: what `counterpoise audit A B ...` writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from counterpoise.studies.audits.results import MARKER, BiasCurve, ModelAudits
from counterpoise.web.kinds.base import RunEntry, RunKind, one_line
from counterpoise.web.safe_files import SafeFiles


def _describe(files: SafeFiles, entry: RunEntry, document: Any) -> RunEntry:
    written = datetime.fromtimestamp(files.inside(entry.folder / MARKER).stat().st_mtime, timezone.utc)
    failed = len(document["failed"])
    return replace(
        entry,
        subject=one_line(document["about"]),
        verdict=f"{failed:,} more could not be audited." if failed else "Each model has a run of its own.",
        measures=tuple(one_line(name) for name in document["measures"]),
        started=written.isoformat(timespec="seconds"),
    )


def _kind(label: str, page_name: str) -> RunKind:
    return RunKind(
        page_name,
        label,
        marker=MARKER,
        page=f"{page_name}.html",
        describe=_describe,
        accepts=lambda document: document["kind"] == page_name,
        depends_on=(MARKER, f"{page_name}.html"),
        holds_runs=True,
    )


CURVE = _kind("Bias over training", BiasCurve.page_name)
MODELS = _kind("Many models", ModelAudits.page_name)
